// Files: read whole, appended, mapped; errors name the path and the reason. Written whole: output_file.h.
#pragma once

#include <string>

#include "convoy/result.h"
#include "core/bytes.h"
#include "os/descriptor.h"
#include "os/output_file.h"

namespace convoy::os {

inline constexpr std::size_t kMaxReadFile = 256u << 20;
inline constexpr std::size_t kAppendBuffer = 256u << 10;

// The whole file, an Error if it is longer than `limit`. Works for pipes and /proc too.
Result<Bytes> read_file(const std::string& path, std::size_t limit = kMaxReadFile);
Result<std::string> read_text(const std::string& path, std::size_t limit = kMaxReadFile);

int write_all(int fd, ByteView bytes);  // errno of the first failure, or 0

Status make_directories(const std::string& path);  // with parents; fine if it is there
// For this user alone. kExists: something is there.
Status make_private_directory(const std::string& path);
Status write_private_file(const std::string& path, ByteView bytes);
bool exists(const std::string& path);
Status remove_file(const std::string& path);

// Writes at the end of a file, through a buffer of kAppendBuffer. The first failure is kept and given by every later
// call; nothing is written after it.
class AppendFile {
 public:
  enum class Mode { kNew, kAppend };  // kNew empties what is there
  static Result<AppendFile> open(const std::string& path, Mode mode);
  AppendFile(AppendFile&&) = default;
  AppendFile& operator=(AppendFile&&) = default;
  ~AppendFile();  // flushes; a caller that wants to know calls flush() before

  Status write(ByteView bytes);
  Status flush();                               // to the kernel
  Status sync();                                // to the disk
  std::uint64_t size() const { return size_; }  // with what is buffered
  const std::string& path() const { return path_; }

 private:
  AppendFile() = default;
  Status put(ByteView bytes);
  Status result() const;

  Descriptor fd_;
  std::string path_;
  Bytes buffer_;
  std::uint64_t size_ = 0;
  Error failed_;  // its text is empty while all is well
};

// A file mapped for reading. It must not be shortened by others in the meantime (that would end the process).
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();
  ByteView bytes() const { return bytes_; }

 private:
  MappedFile() = default;
  ByteView bytes_;
};

// A new directory under $TMPDIR or /tmp, removed with its contents in the end.
class TempDirectory {
 public:
  static Result<TempDirectory> create(std::string_view prefix = "convoy");
  TempDirectory(TempDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDirectory& operator=(TempDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TempDirectory();
  const std::string& path() const { return path_; }

 private:
  TempDirectory() = default;
  std::string path_;
};

}  // namespace convoy::os
