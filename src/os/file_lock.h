// A file that one process holds at a time. The lock goes with the process, however that ends; the file stays.
#pragma once

#include <string>

#include "convoy/result.h"
#include "os/descriptor.h"

namespace convoy::os {

class FileLock {
 public:
  // Makes the file if it is not there. kState: another process holds it, whose number is in the text.
  static Result<FileLock> take(const std::string& path);

 private:
  explicit FileLock(Descriptor fd) : fd_(std::move(fd)) {}
  Descriptor fd_;
};

}  // namespace convoy::os
