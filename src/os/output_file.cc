#include "os/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "os/file.h"

namespace convoy::os {
namespace {

constexpr int kMaxFollowed = 40;      // one after another, as the kernel has it
constexpr int kTemporaryTries = 100;  // other writers of the same file, and what crashed ones have left

std::optional<struct stat> status_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return info;
}

bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// A copy of our own stdout or stderr if they are this file.
Descriptor shared(const struct stat& file) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat info {};
    if (::fstat(fd, &info) == 0 && same(info, file) && (::fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
      return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }
  return {};
}

struct Temporary {
  std::string path;
  Descriptor fd;
  int error = 0;
};

Temporary make_temporary(const std::string& beside) {
  Temporary made;
  for (int i = 0; i < kTemporaryTries; ++i) {
    made.path = fmt::format("{}.{}-{}.tmp", beside, ::getpid(), i);
    made.fd = Descriptor(::open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    made.error = made.fd ? 0 : errno;
    if (made.error != EEXIST) break;
  }
  return made;
}

// Whether a file that may be written may not be replaced.
bool keeps_its_place(int error) { return error == EACCES || error == EPERM || error == EROFS || error == EBUSY; }

}  // namespace

std::string followed(std::string path) {
  for (int i = 0; i < kMaxFollowed; ++i) {
    std::error_code none;
    const auto next = std::filesystem::read_symlink(path, none);
    if (none) break;
    path = (std::filesystem::path(path).parent_path() / next).string();  // an absolute one stands for itself
  }
  return path;
}

bool is_special(const std::string& path) {
  const auto info = status_of(path);
  return info && !S_ISREG(info->st_mode) && !S_ISDIR(info->st_mode);
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  OutputFile out;
  out.path_ = path;
  const auto info = status_of(path);
  if (!info && errno != ENOENT) return system_failure("create", path, errno);
  if (info) {
    if (S_ISDIR(info->st_mode)) return system_failure("write", path, EISDIR);
    if (S_ISREG(info->st_mode)) out.there_ = shared(*info);
    if (out.there_) return out;
    out.there_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.there_) return system_failure("write", path, errno);
    if (!S_ISREG(info->st_mode)) return out;
    out.truncates_ = true;
  }
  out.target_ = followed(path);
  const Temporary trial = make_temporary(out.target_);
  if (trial.fd) ::unlink(trial.path.c_str());
  if (!trial.fd && !(out.there_ && keeps_its_place(trial.error))) return system_failure("create", path, trial.error);
  // A link of /proc to a file that has been removed leads to no file, or to another.
  const auto target = status_of(out.target_);
  if (!trial.fd || (info && !(target && same(*target, *info)))) out.target_.clear();
  return out;
}

int OutputFile::replace(ByteView bytes) {
  Temporary temporary = make_temporary(target_);
  if (!temporary.fd) return temporary.error;
  struct stat info {};
  if (there_ && ::fstat(there_.get(), &info) == 0) {  // as far as we may
    (void)!::fchown(temporary.fd.get(), info.st_uid, info.st_gid);
    (void)!::fchmod(temporary.fd.get(), info.st_mode & 07777);
  }
  int error = write_all(temporary.fd.get(), bytes);
  if (error == 0 && ::fsync(temporary.fd.get()) != 0) error = errno;
  temporary.fd.reset();
  if (error == 0 && ::rename(temporary.path.c_str(), target_.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.path.c_str());
    return error;
  }
  const std::string folder = std::filesystem::path(target_).parent_path().string();
  const Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());  // some file systems cannot; the rename has happened all the same
  return 0;
}

int OutputFile::overwrite(ByteView bytes) {
  if (truncates_ && ::ftruncate(there_.get(), 0) != 0) return errno;
  if (const int error = write_all(there_.get(), bytes); error != 0) return error;
  return ::fsync(there_.get()) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;  // EINVAL: a device or a pipe
}

Status OutputFile::write(ByteView bytes) {
  int error = target_.empty() ? EPERM : replace(bytes);
  if (there_ && keeps_its_place(error)) error = overwrite(bytes);
  if (error != 0) return system_failure("write", path_, error);
  return {};
}

Result<Descriptor> create_file(const std::string& path) {
  if (const auto info = status_of(path); info && S_ISREG(info->st_mode))
    if (Descriptor ours = shared(*info)) return ours;
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) return system_failure("create", path, errno);
  return fd;
}

}  // namespace convoy::os
