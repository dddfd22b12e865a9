// A bag to play: an MCAP file, or a folder of ros2 bag with one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "convoy/result.h"
#include "os/file.h"
#include "record/mcap_cursor.h"

namespace convoy::ros {

// The file is mapped, and read as far as it is played.
class BagSource {
 public:
  // Errors name the file. Memory that it has handed out stays where it is when it moves.
  static Result<std::unique_ptr<BagSource>> open(const std::string& path);

  const McapReader& reader() const { return *reader_; }
  // The log time of its first message; none: it has no messages.
  Result<std::optional<std::uint64_t>> first() const;
  std::uint64_t last() const { return reader_->statistics().end_ns; }
  const std::string& path() const { return path_; }

 private:
  BagSource(std::string path, os::MappedFile file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  os::MappedFile file_;
  std::optional<McapReader> reader_;
};

}  // namespace convoy::ros
