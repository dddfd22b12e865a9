#include "run/code_book.h"

#include <algorithm>

#include "core/hash.h"
#include "core/utf8.h"

namespace convoy {

Status check_code(std::span<const CodeFile> files) {
  if (files.size() > kMaxCodeFiles) return fail(ErrorCode::kInvalid, "a list of code has too many files");
  for (const CodeFile& file : files)
    if (file.name.empty() || file.name.size() > kMaxCodeName || !is_utf8(file.name) ||
        std::any_of(file.name.begin(), file.name.end(), [](unsigned char c) { return c < 32 || c == 127; }))
      return fail(ErrorCode::kInvalid, "a list of code has a name that is not valid");
  return {};
}

std::vector<std::string> CodeBook::differences(const std::string& host, std::span<const CodeFile> files) const {
  std::vector<std::string> lines;
  for (const CodeFile& file : files) {
    if (file.name == left_out_) continue;
    const auto it = first_.find(file.name);
    if (it == first_.end() || it->second.hash == file.hash) continue;
    lines.push_back(host + " has another build of " + file.name + " (" + hex16(file.hash) + ") than " +
                    it->second.host + " (" + hex16(it->second.hash) + ")");
  }
  return lines;
}

void CodeBook::add(const std::string& host, std::span<const CodeFile> files) {
  for (const CodeFile& file : files)
    if (file.name != left_out_ && first_.emplace(file.name, First{file.hash, host}).second) files_.push_back(file);
}

Status CodeBook::admit(const std::string& host, std::span<const CodeFile> files, bool strict) {
  if (auto ok = check_code(files); !ok) return ok;
  const std::vector<std::string> lines = differences(host, files);
  if (strict && !lines.empty()) {
    const std::size_t more = lines.size() - 1;
    return fail(ErrorCode::kDenied,
                lines.front() + (more > 0 ? ", and " + std::to_string(more) + " more files differ" : ""));
  }
  for (const std::string& line : lines)
    if (std::find(tolerated_.begin(), tolerated_.end(), line) == tolerated_.end()) tolerated_.push_back(line);
  add(host, files);
  return {};
}

std::vector<std::string> CodeBook::take_news() {
  std::vector<std::string> news(tolerated_.begin() + static_cast<std::ptrdiff_t>(named_), tolerated_.end());
  named_ = tolerated_.size();
  return news;
}

bool CodeBook::take_grown() { return std::exchange(taken_, files_.size()) != files_.size(); }

}  // namespace convoy
