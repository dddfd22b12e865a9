#include "os/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "os/file.h"
#include "os/machine.h"

namespace convoy::os {

Result<FileLock> FileLock::take(const std::string& path) {
  Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return system_failure("open", path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure("lock", path, errno);
    const auto holder = read_text(path, 100);
    return fail(ErrorCode::kState,
                fmt::format("process {} is at work there", holder && !holder->empty() ? *holder : "?"));
  }
  const std::string number = std::to_string(process_id());
  if (::ftruncate(fd.get(), 0) != 0) return system_failure("write", path, errno);
  if (const int error = write_all(fd.get(), as_bytes(number)); error != 0) return system_failure("write", path, error);
  return FileLock(std::move(fd));
}

}  // namespace convoy::os
