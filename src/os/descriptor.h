// A file descriptor that is closed once, and errno as an Error.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "convoy/result.h"

namespace convoy::os {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

std::string errno_text(int error);

// The Error for a system call that failed: "cannot open /a/b: No such file or directory".
Error system_error(std::string_view what, std::string_view subject, int error);
inline tl::unexpected<Error> system_failure(std::string_view what, std::string_view subject, int error) {
  return tl::unexpected<Error>(system_error(what, subject, error));
}

}  // namespace convoy::os
