#include "adapters/web/foxglove_wire.h"

#include <doctest/doctest.h>

namespace foxglove_wire_test {

using namespace convoy;
using namespace convoy::web;

namespace {

Bytes bytes(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("messages from us have their number, their head in little-endian, and what they carry") {
  CHECK(foxglove_data(0x01020304, 0x05, bytes("ab")) == bytes("\x01\x04\x03\x02\x01\x05\0\0\0\0\0\0\0ab"sv));
  CHECK(foxglove_time(258) == bytes("\x02\x02\x01\0\0\0\0\0\0"sv));
  CHECK(foxglove_response({1, 2, "json", bytes("{}")}) == bytes("\x03\x01\0\0\0\x02\0\0\0\x04\0\0\0json{}"sv));
  CHECK(foxglove_playback({.paused = true, .time_ns = 7, .speed = 1, .request = "x"}) ==
        bytes("\x05\x01\x07\0\0\0\0\0\0\0\0\0\x80\x3f\0\x01\0\0\0x"sv));
}

TEST_CASE("messages of clients are read whole, and not when they are cut") {
  const Bytes published = bytes("\x01\x09\0\0\0{}"sv), call = bytes("\x02\x01\0\0\0\x02\0\0\0\x04\0\0\0json{}"sv),
              play = bytes("\x03\x01\0\0\0\x40\x01\x07\0\0\0\0\0\0\0\x01\0\0\0x"sv);
  CHECK(read_foxglove(published) == FoxgloveAsked(FoxglovePublished{9, bytes("{}")}));
  CHECK(read_foxglove(call) == FoxgloveAsked(FoxgloveCall{1, 2, "json", bytes("{}")}));
  CHECK(read_foxglove(play) == FoxgloveAsked(FoxglovePlay{true, 2.0F, true, "x"}));

  for (const auto& [whole, head] : {std::pair{&published, 5U}, {&call, 17U}, {&play, 20U}})
    for (std::size_t size = 0; size < head; ++size) {
      CAPTURE(size);
      CHECK(!read_foxglove(ByteView(*whole).first(size)));
    }
  CHECK(!read_foxglove(bytes("\x03\x02\0\0\0\x40\x01\x07\0\0\0\0\0\0\0\x01\0\0\0x"sv)));  // no such command
  CHECK(!read_foxglove(bytes("\x04\0\0\0\0"sv)));
}

}  // namespace foxglove_wire_test
