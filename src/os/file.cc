#include "os/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace convoy::os {

int write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

Result<Bytes> read_file(const std::string& path, std::size_t limit) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_failure("open", path, errno);
  struct stat info {};
  Bytes out;
  // One byte more than is expected, so that the end shows without another turn; /proc claims a size of 0.
  if (::fstat(fd.get(), &info) == 0 && S_ISDIR(info.st_mode)) return system_failure("read", path, EISDIR);
  std::size_t room = std::min<std::size_t>(static_cast<std::size_t>(info.st_size), limit) + 1;
  for (std::size_t used = 0;;) {
    if (out.size() == used) out.resize(used + std::max<std::size_t>(room, 4096)), room = used;
    const ssize_t n = ::read(fd.get(), out.data() + used, out.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure("read", path, errno);
    used += static_cast<std::size_t>(n);
    if (used > limit) {
      return fail(ErrorCode::kInvalid, fmt::format("{} is longer than the {} bytes allowed here", path, limit));
    }
    if (n > 0) continue;
    out.resize(used);
    return out;
  }
}

Result<std::string> read_text(const std::string& path, std::size_t limit) {
  return read_file(path, limit).map([](const Bytes& bytes) { return std::string(as_text(bytes)); });
}

Status make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return system_failure("create directory", path, error.value());
  return {};
}

Status make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return system_failure("create directory", path, errno);
  return {};
}

Status write_private_file(const std::string& path, ByteView bytes) {
  const Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_failure("create", path, errno);
  if (const int error = write_all(fd.get(), bytes); error != 0) return system_failure("write", path, error);
  return {};
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return system_failure("remove", path, errno);
  return {};
}

// ---- AppendFile

Result<AppendFile> AppendFile::open(const std::string& path, Mode mode) {
  AppendFile file;
  file.path_ = path;
  if (mode == Mode::kNew) {
    auto made = create_file(path);
    if (!made) return tl::unexpected<Error>(made.error());
    file.fd_ = std::move(*made);
    return file;
  }
  file.fd_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file.fd_) return system_failure("append to", path, errno);
  struct stat info {};
  if (::fstat(file.fd_.get(), &info) == 0) file.size_ = static_cast<std::uint64_t>(info.st_size);
  return file;
}

AppendFile::~AppendFile() {
  if (fd_) (void)flush();
}

Status AppendFile::result() const {
  if (failed_.text.empty()) return {};
  return tl::unexpected<Error>(failed_);
}

Status AppendFile::put(ByteView bytes) {
  if (failed_.text.empty()) {
    const int error = write_all(fd_.get(), bytes);
    if (error != 0) failed_ = system_error("write", path_, error);
  }
  return result();
}

Status AppendFile::write(ByteView bytes) {
  if (!failed_.text.empty()) return result();
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kAppendBuffer) {
    if (const Status ok = flush(); !ok) return ok;
    if (bytes.size() > kAppendBuffer) return put(bytes);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Status AppendFile::flush() {
  const Status ok = put(buffer_);
  buffer_.clear();
  return ok;
}

Status AppendFile::sync() {
  if (const Status ok = flush(); !ok) return ok;
  if (::fdatasync(fd_.get()) != 0 && errno != EINVAL) failed_ = system_error("write", path_, errno);  // EINVAL: a pipe
  return result();
}

// ---- MappedFile

Result<MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_failure("open", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return system_failure("read", path, errno);
  MappedFile out;
  if (info.st_size == 0) return out;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return system_failure("map", path, errno);
  out.bytes_ = {static_cast<const std::uint8_t*>(at), size};
  return out;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

// ---- TempDirectory

Result<TempDirectory> TempDirectory::create(std::string_view prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/{}.XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp", prefix);
  if (::mkdtemp(path.data()) == nullptr) return system_failure("create directory", path, errno);
  TempDirectory out;
  out.path_ = std::move(path);
  return out;
}

TempDirectory::~TempDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace convoy::os
