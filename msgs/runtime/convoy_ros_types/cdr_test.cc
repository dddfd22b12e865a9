#include <doctest/doctest.h>

#include <cstring>

#include "convoy_test_msgs/msg/everything.hpp"
#include "convoy_test_msgs/msg/pair.hpp"
#include "example_interfaces/msg/w_string.hpp"
#include "geometry_msgs/msg/polygon.hpp"
#include "sensor_msgs/msg/point_cloud2.hpp"
#include "std_msgs/msg/header.hpp"
#include "testing/all_packages.h"
#include "testing/fill.h"

namespace cdr_test {

using namespace convoy;
using namespace convoy::ros;
using convoy_test_msgs::msg::Everything;

namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Message>
Bytes written(const Message& message) {
  return TypeSupport::of<Message>().to_cdr(&message).value();
}

template <class Message>
std::string trouble(const Bytes& bytes) {
  Message message;
  const Status status = TypeSupport::of<Message>().from_cdr(bytes, &message);
  return status ? "none" : status.error().text;
}

Bytes filled(const TypeSupport& type, std::uint64_t seed) {
  AnyMessage message(type);
  fill(type, message.get(), seed);
  return type.to_cdr(message.get()).value();
}

template <class Function>
void for_each_type(Function function) {
  const Types types = all_types();
  for (const PackageFacts* package : types.packages()) {
    for (const MessageFacts* facts : package->messages) function(TypeSupport(*facts));
  }
}

void append_u32(Bytes& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

TEST_CASE("a header is written as the format specifies") {
  std_msgs::msg::Header header;
  header.stamp.sec = 1;
  header.stamp.nanosec = 0x01020304;
  header.frame_id = "map";

  CHECK(written(header) == Bytes{0, 1, 0, 0, 1, 0, 0, 0, 4, 3, 2, 1, 4, 0, 0, 0, 'm', 'a', 'p', 0});
}

TEST_CASE("primitives are aligned from after the header, whatever was in the buffer before") {
  convoy_test_msgs::msg::Small small;
  small.name = "ab";
  small.value = 9;
  Bytes bytes = {1, 2, 3};

  REQUIRE(TypeSupport::of<convoy_test_msgs::msg::Small>().to_cdr(&small, bytes));

  CHECK(bytes == Bytes{1, 2, 3, 0, 1, 0, 0, 3, 0, 0, 0, 'a', 'b', 0, 9});
}

TEST_CASE("a wstring has four bytes for each UTF-16 unit and no end") {
  example_interfaces::msg::WString message;
  message.data = u"\u00e9\U0001f600";

  CHECK(written(message) == Bytes{0, 1, 0, 0, 3, 0, 0, 0, 0xe9, 0, 0, 0, 0x3d, 0xd8, 0, 0, 0x00, 0xde, 0, 0});
}

TEST_CASE("every type comes back as it was written") {
  for_each_type([](const TypeSupport& type) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      AnyMessage message(type), back(type);
      fill(type, message.get(), seed);
      const Bytes bytes = type.to_cdr(message.get()).value();

      CHECK_MESSAGE(type.from_cdr(bytes, back.get()).has_value(), type.name());

      CHECK_MESSAGE(message == back, type.name());
      CHECK_MESSAGE(type.to_cdr(back.get()).value() == bytes, type.name());
    }
  });
}

TEST_CASE("every type is read over a message that holds something else") {
  for_each_type([](const TypeSupport& type) {
    AnyMessage message(type);
    fill(type, message.get(), 6);
    const Bytes bytes = filled(type, 7);

    REQUIRE(type.from_cdr(bytes, message.get()));

    CHECK_MESSAGE(type.to_cdr(message.get()).value() == bytes, type.name());
  });
}

TEST_CASE("every type is refused when it is cut short anywhere") {
  for_each_type([](const TypeSupport& type) {
    const Bytes bytes = filled(type, 3);
    AnyMessage message(type);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      const bool refused = !type.from_cdr(cut, message.get()).has_value();
      if (!refused) FAIL_CHECK(type.name(), " cut to ", length, " of ", bytes.size());
    }
  });
}

TEST_CASE("every type with a flipped bit is refused or is another valid message") {
  for_each_type([](const TypeSupport& type) {
    const Bytes good = filled(type, 4);
    AnyMessage message(type);
    for (std::size_t bit = 0; bit < good.size() * 8; bit += 3) {
      Bytes bytes = good;
      bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << (bit % 8));
      if (!type.from_cdr(bytes, message.get(), Rest::kIgnored)) continue;
      const auto again = type.to_cdr(message.get());
      AnyMessage back(type);
      if (!again || !type.from_cdr(*again, back.get())) FAIL_CHECK(type.name(), " with bit ", bit, " flipped");
    }
  });
}

TEST_CASE("big-endian bytes are read") {
  const Bytes bytes = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 0, 0, 0, 4, 'm', 'a', 'p', 0};
  std_msgs::msg::Header header;

  REQUIRE(TypeSupport::of<std_msgs::msg::Header>().from_cdr(bytes, &header));

  CHECK(header.stamp.sec == 1);
  CHECK(header.stamp.nanosec == 0x01020304);
  CHECK(header.frame_id == "map");

  const Bytes points = {0,    0,    0, 0, 0,    0,    0, 2, 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0,
                        0x40, 0x40, 0, 0, 0xbf, 0x80, 0, 0, 0,    0,    0, 0, 0,    0, 0, 0};
  geometry_msgs::msg::Polygon polygon;
  REQUIRE(TypeSupport::of<geometry_msgs::msg::Polygon>().from_cdr(points, &polygon));
  CHECK(polygon.points[0].z == 3.0f);
  CHECK(polygon.points[1].x == -1.0f);
}

TEST_CASE("a run of plain messages is aligned element by element where the block would not be") {
  Everything message;
  message.pairs.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    message.pairs[i].a = static_cast<float>(i);
    message.pairs[i].c = 10.0 + static_cast<double>(i);
  }
  // One more character before them moves the pairs by four bytes, from where blocks fit to where they do not.
  for (const std::size_t length : {0u, 4u, 8u, 12u}) {
    message.texts = {std::string(length, 'x')};

    Everything back;
    REQUIRE(TypeSupport::of<Everything>().from_cdr(written(message), &back));

    CHECK(back == message);
  }
}

TEST_CASE("a huge count is refused before memory is reserved") {
  Bytes bytes = {0, 1, 0, 0};
  append_u32(bytes, 0xffffffff);
  append_u32(bytes, 0);

  CHECK(trouble<geometry_msgs::msg::Polygon>(bytes) ==
        "geometry_msgs/msg/Polygon, points: 4294967295 elements do not fit in 4 bytes");
  CHECK(trouble<example_interfaces::msg::WString>(bytes) ==
        "example_interfaces/msg/WString, data: a string of 4294967295 does not fit in 4 bytes");
}

TEST_CASE("what is wrong is reported with its place") {
  std_msgs::msg::Header header;
  header.frame_id = "map";
  Bytes bytes = written(header);

  bytes.back() = '!';
  CHECK(trouble<std_msgs::msg::Header>(bytes) == "std_msgs/msg/Header, frame_id: a string without its closing NUL");
  bytes.resize(9);
  CHECK(trouble<std_msgs::msg::Header>(bytes) == "std_msgs/msg/Header, stamp.nanosec: cut short");
  CHECK(trouble<std_msgs::msg::Header>({0, 1, 0}) == "std_msgs/msg/Header: no CDR header");
  bytes[1] = 7;  // XCDR2
  CHECK(trouble<std_msgs::msg::Header>(bytes) == "std_msgs/msg/Header: encapsulation 7 is not plain XCDR1");
}

TEST_CASE("a byte that is neither 0 nor 1 is no bool") {
  Bytes bytes = written(Everything());
  bytes[4] = 2;

  CHECK(trouble<Everything>(bytes) == "convoy_test_msgs/msg/Everything, flag: 2 is not a bool");
}

TEST_CASE("padding to a whole number of four bytes may follow, and anything where the caller allows it") {
  std_msgs::msg::Header header;
  header.frame_id = "ab";  // 19 bytes
  Bytes bytes = written(header);
  const TypeSupport type = TypeSupport::of<std_msgs::msg::Header>();

  bytes.push_back(0xee);
  CHECK(type.from_cdr(bytes, &header));
  bytes.push_back(0);
  CHECK(trouble<std_msgs::msg::Header>(bytes) == "std_msgs/msg/Header: 2 bytes follow the message");
  bytes.resize(24);
  CHECK(trouble<std_msgs::msg::Header>(bytes) == "std_msgs/msg/Header: 5 bytes follow the message");
  CHECK(type.from_cdr(bytes, &header, Rest::kIgnored));
  CHECK(header.frame_id == "ab");
}

TEST_CASE("bounds hold when writing and when reading") {
  const TypeSupport type = TypeSupport::of<Everything>();
  Everything message;
  message.short_text = "abcdef";
  Bytes bytes = {1, 2, 3};

  CHECK(type.to_cdr(&message, bytes).error().text ==
        "convoy_test_msgs/msg/Everything, short_text: a string is longer than it may be");
  CHECK(bytes == Bytes{1, 2, 3});

  // The bytes of a type with the same fields and no bound: "hello" becomes "short_text" if what is before it goes.
  message = Everything();
  message.short_text = "abcde";
  bytes = written(message);
  const std::string_view five("\x06\0\0\0abcde", 9);
  const auto at = std::search(bytes.begin(), bytes.end(), five.begin(), five.end());
  REQUIRE(at != bytes.end());
  *at = 7;
  CHECK(trouble<Everything>(bytes).find("short_text: a string of 6; its bound is 5") != std::string::npos);
}

TEST_CASE("an empty string may come without its NUL") {
  std_msgs::msg::Header header;
  header.frame_id = "before";

  REQUIRE(TypeSupport::of<std_msgs::msg::Header>().from_cdr(Bytes{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                                            &header));

  CHECK(header.frame_id.empty());
}

}  // namespace cdr_test
