#include "sweep/journal.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace convoy::sweep {

Result<Journal> Journal::open(const std::string& path, std::vector<std::uint64_t> keys) {
  std::uint64_t whole = 0;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  for (const std::uint64_t key : keys) entries.push_back({key, kNone, false});
  if (std::ifstream in(path, std::ios::binary); in) {
    std::string line;
    while (std::getline(in, line) && !in.eof()) {
      const std::uint64_t begin = whole;
      whole += line.size() + 1;
      const auto outcome = line.size() <= kMaxOutcome ? parse_outcome(line) : tl::unexpected(Error{});
      if (!outcome) continue;
      if (Entry* entry = find(entries, outcome->key)) entry->line = begin, entry->done = outcome->done;
    }
    in.close();
    std::error_code error;
    if (whole < std::filesystem::file_size(path, error) && !error) std::filesystem::resize_file(path, whole, error);
    if (error) return fail(ErrorCode::kUnavailable, error.message(), path);
  }
  auto file = os::AppendFile::open(path, os::AppendFile::Mode::kAppend);
  if (!file) return tl::unexpected(file.error());
  Journal out(std::move(*file));
  out.entries_ = std::move(entries);
  return out;
}

Journal::Entry* Journal::find(std::vector<Entry>& entries, std::uint64_t key) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), key, [](const Entry& e, std::uint64_t k) { return e.key < k; });
  return found != entries.end() && found->key == key ? &*found : nullptr;
}

const Journal::Entry& Journal::at(std::uint64_t key) const {
  static const Entry none;
  const Entry* found = find(const_cast<Journal*>(this)->entries_, key);
  return found ? *found : none;
}

Result<Outcome> Journal::outcome_of(std::uint64_t key) const {
  const Entry& entry = at(key);
  if (entry.line == kNone) return fail(ErrorCode::kNotFound, "no such run", file_.path());
  std::ifstream in(file_.path(), std::ios::binary);
  std::string line;
  if (!in.seekg(static_cast<std::streamoff>(entry.line)) || !std::getline(in, line))
    return fail(ErrorCode::kUnavailable, "cannot be read", file_.path());
  return parse_outcome(line);
}

Status Journal::add(const Outcome& outcome) {
  Entry* entry = find(entries_, outcome.key);
  const std::uint64_t begin = file_.size();
  if (auto ok = file_.write(as_bytes(outcome.line() + "\n")); !ok) return ok;
  if (auto ok = file_.flush(); !ok) return ok;
  if (entry) entry->line = begin, entry->done = outcome.done;
  return {};
}

}  // namespace convoy::sweep
