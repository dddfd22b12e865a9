// A regular file that grows as the work goes on, and whose beginning is written once more when its end is known.
//
// Links are followed. What was there is emptied with the first bytes, no sooner: a work that fails before it has any
// leaves the file as it was, or none where there was none.
#pragma once

#include <string>

#include "convoy/result.h"
#include "core/bytes.h"
#include "os/descriptor.h"

namespace convoy::os {

class HeadedFile {
 public:
  // An error: nothing can be written there, or it is a device, a pipe or a folder.
  static Result<HeadedFile> open(const std::string& path);
  HeadedFile(HeadedFile&&) = default;
  HeadedFile& operator=(HeadedFile&&) = delete;
  ~HeadedFile();

  Status write(ByteView bytes);  // at the end
  Status rewrite(std::uint64_t at, ByteView bytes);
  Status sync();  // to the disk
  const std::string& path() const { return path_; }

 private:
  HeadedFile() = default;

  Descriptor fd_;
  std::string path_;
  bool made_ = false;  // there was none
  bool any_ = false;   // something has been written
};

}  // namespace convoy::os
