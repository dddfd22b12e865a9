// Where a film's bytes go: a file (src/os), or memory in the tests.
#pragma once

#include <cstdint>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy::film {

class FilmFile {
 public:
  virtual ~FilmFile() = default;
  // Appends all of it, or fails.
  virtual Status write(ByteView bytes) = 0;
  // Puts other bytes in the place of some that were written. What is appended stays behind the rest.
  virtual Status rewrite(std::uint64_t at, ByteView bytes) = 0;
};

}  // namespace convoy::film
