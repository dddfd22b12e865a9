// Reads protobuf's wire format, for tests: the fields of a message by number.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace convoy::testing {

struct WireField {
  std::uint64_t number = 0;  // of a varint, or the bits of a fixed one
  Bytes bytes;               // of one with a length
  double real() const { return std::bit_cast<double>(number); }
  std::string text() const { return {bytes.begin(), bytes.end()}; }
};

// In the order of the message.
class WireMessage {
 public:
  explicit WireMessage(ByteView bytes) {
    Reader in(bytes);
    while (in.ok() && in.left() > 0) {
      const std::uint64_t tag = varint(in);
      WireField field;
      switch (tag & 7) {
        case 0: field.number = varint(in); break;
        case 1: field.number = in.u64(); break;
        case 5: field.number = in.u32(); break;
        case 2: {
          const ByteView view = in.bytes(varint(in));
          field.bytes.assign(view.begin(), view.end());
          break;
        }
        default: FAIL("a wire type that nobody writes");
      }
      fields_[tag >> 3].push_back(std::move(field));
    }
    CHECK(in.done());
  }

  const std::vector<WireField>& all(std::uint64_t number) { return fields_[number]; }
  std::size_t count(std::uint64_t number) { return fields_[number].size(); }
  // proto3: what is not there is 0 or empty.
  WireField one(std::uint64_t number) { return count(number) > 0 ? fields_[number].back() : WireField{}; }
  WireMessage message(std::uint64_t number, std::size_t i = 0) { return WireMessage(fields_[number].at(i).bytes); }

 private:
  static std::uint64_t varint(Reader& in) {
    std::uint64_t out = 0;
    for (int shift = 0; in.ok(); shift += 7) {
      const std::uint8_t byte = in.u8();
      out |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return out;
  }
  std::map<std::uint64_t, std::vector<WireField>> fields_;
};

}  // namespace convoy::testing
