// A file that another process writes, line by line, perhaps on another machine.
#pragma once

#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy::apps {

class FileTail {
 public:
  explicit FileTail(std::string path) : path_(std::move(path)) {}

  // Its whole lines that are new since the last time, without their ends. Nothing where there is no such file yet.
  template <class Each>
  void read(const Each& each) {
    std::error_code none;
    if (const auto size = std::filesystem::file_size(path_, none); none || size <= at_) return;
    std::ifstream in(path_, std::ios::binary);
    if (!in.seekg(static_cast<std::streamoff>(at_))) return;
    for (std::string line; std::getline(in, line) && !in.eof(); at_ += line.size() + 1) each(std::string_view(line));
  }
  // Of the whole file.
  std::vector<std::string> last(std::size_t lines) const {
    std::deque<std::string> out;
    std::ifstream in(path_, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      out.push_back(std::move(line));
      if (out.size() > lines) out.pop_front();
    }
    return {out.begin(), out.end()};
  }

 private:
  std::string path_;
  std::uintmax_t at_ = 0;
};

}  // namespace convoy::apps
