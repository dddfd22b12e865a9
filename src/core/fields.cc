#include "core/fields.h"

#include <algorithm>

namespace convoy {

std::optional<std::string> first_difference(const DescribeFields::List& a, const DescribeFields::List& b) {
  const std::size_t n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i].first != b[i].first) return a[i].first + " / " + b[i].first;
    if (a[i].second != b[i].second) return a[i].first + ": " + a[i].second + " / " + b[i].second;
  }
  if (a.size() == b.size()) return std::nullopt;
  return (a.size() > n ? a : b)[n].first + ": only in " + (a.size() > n ? "the first" : "the second");
}

}  // namespace convoy
