#include "core/nearest.h"

#include <algorithm>
#include <numeric>

namespace convoy {

namespace {

constexpr std::size_t kLeastPart = 4;  // characters: a shorter word is a part of too much

// Insertions, deletions, replacements and swaps of neighbours that make b of a.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  name = name.substr(0, kComparedCharacters);
  const std::string* best = nullptr;
  std::size_t least = std::min(name.size() / 3 + 2, name.size());  // more than that is no slip of the finger
  for (const std::string& other : known) {
    const std::string_view word = std::string_view(other).substr(0, kComparedCharacters);
    if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) >= least) continue;
    const std::size_t changes = distance(name, word);
    if (changes < least) least = changes, best = &other;
  }
  if (!best && name.size() >= kLeastPart)
    for (const std::string& other : known)
      if (!best && other.find(name) != other.npos) best = &other;
  return best ? *best : std::string();
}

}  // namespace convoy
