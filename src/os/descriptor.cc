#include "os/descriptor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace convoy::os {
namespace {

ErrorCode code_of(int error) {
  switch (error) {
    case ENOENT: return ErrorCode::kNotFound;
    case EEXIST:
    case EADDRINUSE: return ErrorCode::kExists;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::kDenied;
    case EINVAL:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case EADDRNOTAVAIL: return ErrorCode::kInvalid;
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT: return ErrorCode::kUnsupported;
    default: return ErrorCode::kUnavailable;
  }
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string errno_text(int error) { return std::generic_category().message(error); }

Error system_error(std::string_view what, std::string_view subject, int error) {
  return {code_of(error), fmt::format("cannot {} {}: {}", what, subject, errno_text(error)), {}};
}

}  // namespace convoy::os
