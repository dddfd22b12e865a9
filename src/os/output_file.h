// A file whose contents come at the end of some work, and whose place is tried at its beginning.
//
//   auto report = os::OutputFile::open("report.json");  // where nothing can be written, that shows here
//   ...
//   Status ok = report->write(text);
//
// Links are followed, and stay. A regular file, or none, is replaced: others see the old file or the new one, never a
// part, also after a power cut (temporary file, sync, rename); until then it is as it was. What is no regular file (a
// device, a pipe), or is our own stdout or stderr, is written where it is. So is a regular file that can be written but
// not replaced: in a folder that is read-only, or mounted by itself.
#pragma once

#include <string>

#include "convoy/result.h"
#include "core/bytes.h"
#include "os/descriptor.h"

namespace convoy::os {

class OutputFile {
 public:
  // Waits where opening for writing does: for the reader of a named pipe.
  static Result<OutputFile> open(const std::string& path);

  Status write(ByteView bytes);  // the whole contents, once
  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;
  int replace(ByteView bytes);  // errno, or 0
  int overwrite(ByteView bytes);

  std::string path_;
  std::string target_;      // where the links lead; empty: written in place
  Descriptor there_;        // what was there
  bool truncates_ = false;  // what is in place is emptied first
};

inline Status write_file(const std::string& path, ByteView bytes) {
  auto file = OutputFile::open(path);
  return file ? file->write(bytes) : tl::unexpected<Error>(file.error());
}
inline Status write_file(const std::string& path, std::string_view text) { return write_file(path, as_bytes(text)); }

// For files that are written as the work goes on: follows links, and empties a regular file. Our own stdout or stderr
// is not opened anew, but shared, so that each of the two goes on where the other has come to.
Result<Descriptor> create_file(const std::string& path);

// Where links lead, also if nothing is there yet.
std::string followed(std::string path);
// Whether something is there that is neither a regular file nor a folder: it is written in place, never replaced.
bool is_special(const std::string& path);

}  // namespace convoy::os
