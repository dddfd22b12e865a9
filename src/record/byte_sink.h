// Where a recording's bytes go: a file (src/os), or memory in the tests.
#pragma once

#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Appends all of it, or fails; after a failure what has arrived is unknown.
  virtual Status write(ByteView bytes) = 0;
  // What was written survives the end of this process once this returns.
  virtual Status flush() = 0;
};

class MemorySink final : public ByteSink {
 public:
  Status write(ByteView more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return {};
  }
  Status flush() override { return {}; }

  Bytes bytes;
};

}  // namespace convoy
