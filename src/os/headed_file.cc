#include "os/headed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/file.h"

namespace convoy::os {

Result<HeadedFile> HeadedFile::open(const std::string& path) {
  HeadedFile out;
  out.path_ = path;
  // Opening a pipe would wait for its reader.
  if (is_special(path)) return fail(ErrorCode::kInvalid, "cannot write " + path + ": it is no regular file");
  out.fd_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  out.made_ = static_cast<bool>(out.fd_);
  if (!out.fd_ && errno == EEXIST) out.fd_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!out.fd_) return system_failure("create", path, errno);
  return out;
}

HeadedFile::~HeadedFile() {
  if (fd_ && made_ && !any_) ::unlink(path_.c_str());
}

Status HeadedFile::write(ByteView bytes) {
  if (!any_ && ::ftruncate(fd_.get(), 0) != 0) return system_failure("write", path_, errno);
  any_ = true;
  if (const int error = write_all(fd_.get(), bytes); error != 0) return system_failure("write", path_, error);
  return {};
}

Status HeadedFile::rewrite(std::uint64_t at, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure("write", path_, errno);
    at += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Status HeadedFile::sync() {
  if (::fsync(fd_.get()) != 0) return system_failure("write", path_, errno);
  return {};
}

}  // namespace convoy::os
