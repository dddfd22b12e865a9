// Users' code in a run: which files hosts have, by content, and who has another build than the first that reported it.
//
// Never part of the setup, of a digest or of the journal: a run's bytes say what happened, this says what with.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "world/code_file.h"

namespace convoy {

inline constexpr std::size_t kMaxCodeFiles = 10'000;  // of one host
inline constexpr std::size_t kMaxCodeName = 4096;     // bytes

// Names are shown to people: text without control characters, and not without end.
Status check_code(std::span<const CodeFile> files);

class CodeBook {
 public:
  // One line for each file that is another than the one that was reported first: host, file, and both hashes.
  std::vector<std::string> differences(const std::string& host, std::span<const CodeFile> files) const;
  // Takes over what a host has. kInvalid: such a list nobody sends; kDenied, where `strict`: it has other builds. Else
  // those are tolerated.
  Status admit(const std::string& host, std::span<const CodeFile> files, bool strict);
  // Files of that name are of no account from now on.
  void leave_out(std::string name) { left_out_ = std::move(name); }
  // What nobody had before is from now on what all must have.
  void add(const std::string& host, std::span<const CodeFile> files);

  const std::vector<CodeFile>& files() const { return files_; }  // as they were reported first, in that order
  // Differences with which hosts go on, where that is not strict.
  const std::vector<std::string>& tolerated() const { return tolerated_; }
  // Those that were not taken yet.
  std::vector<std::string> take_news();
  // True: files() has grown since the last call.
  bool take_grown();

 private:
  struct First {
    std::uint64_t hash = 0;
    std::string host;
  };
  std::map<std::string, First> first_;
  std::string left_out_;  // empty: none
  std::vector<CodeFile> files_;
  std::vector<std::string> tolerated_;
  std::size_t named_ = 0, taken_ = 0;
};

}  // namespace convoy
