#include "record/foxglove/transforms.h"

#include <doctest/doctest.h>

#include <string>

namespace transforms_test {

using namespace convoy;

namespace {

std::string hex(ByteView bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += {"0123456789abcdef"[b / 16], "0123456789abcdef"[b % 16]};
  return out;
}

}  // namespace

// That other people's protobuf decodes both is checked by record/third_party.
TEST_CASE("a transform has the bytes that the encoding's specification gives it") {
  const FrameTransform t{.parent_frame = "w", .child_frame = "b", .X_PC = {.p = {1, 0, -0.0}}};
  Bytes out{1, 2, 3};

  encode_frame_transforms(instant(300'000'000'002), std::span(&t, 1), out);

  CHECK(hex(out) ==
        "0a2c"            // transforms, 44 bytes
        "0a0508ac021002"  // timestamp: 300 s, 2 ns
        "120177"
        "1a0162"                                    // "w", "b"
        "221209000000000000f03f190000000000000080"  // x = 1, z = -0
        "2a0921000000000000f03f");                  // w = 1
}

TEST_CASE("time before the epoch has nanoseconds that count forward") {
  const FrameTransform t{};
  Bytes out;

  encode_frame_transforms(instant(-1), std::span(&t, 1), out);

  CHECK(hex(out).find("08ffffffffffffffffff01"
                      "10ff93ebdc03") != std::string::npos);  // -1 s, 999,999,999 ns
}

}  // namespace transforms_test
