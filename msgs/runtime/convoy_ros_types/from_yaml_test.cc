#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "convoy_test_msgs/msg/everything.hpp"
#include "geometry_msgs/msg/polygon_stamped.hpp"
#include "geometry_msgs/msg/twist.hpp"
#include "std_msgs/msg/empty.hpp"

#include "convoy_ros_types/type_support.h"
#include "testing/all_packages.h"
#include "testing/fill.h"

namespace from_yaml_test {

using namespace convoy;
using namespace convoy::ros;
using convoy_test_msgs::msg::Everything;

namespace {

template <class Message>
Message read(const std::string& yaml) {
  Message message;
  const Status ok = TypeSupport::of<Message>().from_yaml(yaml, &message);
  CHECK_MESSAGE(ok, yaml);
  return message;
}

template <class Message = Everything>
std::string why_not(const std::string& yaml) {
  Message message;
  const Status ok = TypeSupport::of<Message>().from_yaml(yaml, &message);
  return ok ? "it is taken" : ok.error().message();
}

}  // namespace

TEST_CASE("fields that the text names are set, others keep their defaults") {
  const auto twist = read<geometry_msgs::msg::Twist>("{linear: {x: 0.2}, angular: {z: -1}}");
  CHECK(twist.linear.x == 0.2);
  CHECK(twist.linear.y == 0);
  CHECK(twist.angular.z == -1);
  const auto everything = read<Everything>("i32: 5\ntext: two words\nsmall:\n  value: 7\n");
  CHECK(everything.i32 == 5);
  CHECK(everything.text == "two words");
  CHECK(everything.small.value == 7);
  CHECK(everything.small.name == "small");
  CHECK(everything.f64 == -1.25);
  for (const char* nothing : {"", "{}", "~", "# a remark"}) CHECK(read<Everything>(nothing) == Everything());
  CHECK(read<std_msgs::msg::Empty>("{}") == std_msgs::msg::Empty());
}

TEST_CASE("each kind of field is read at its limits") {
  const auto m = read<Everything>(
      "{flag: no, raw: 0xff, letter: 0o101, i8: -128, u8: 255, i16: -32768, u16: 65535, i32: +7, "
      "i64: -9223372036854775808, u64: 18446744073709551615, f32: 1e3, f64: .5, text: 12, short_text: 'true', "
      "wide_text: \"\u00e9\u4e16\"}");

  CHECK_FALSE(m.flag);
  CHECK(m.raw == 255);
  CHECK(m.letter == 65);
  CHECK(m.i8 == -128);
  CHECK(m.u8 == 255);
  CHECK(m.i16 == -32768);
  CHECK(m.u16 == 65535);
  CHECK(m.i32 == 7);
  CHECK(m.i64 == std::numeric_limits<std::int64_t>::min());
  CHECK(m.u64 == std::numeric_limits<std::uint64_t>::max());
  CHECK(m.f32 == 1000);
  CHECK(m.f64 == 0.5);
  CHECK(m.text == "12");
  CHECK(m.short_text == "true");
  CHECK(m.wide_text == u"\u00e9\u4e16");
  CHECK(std::isnan(read<Everything>("f64: .nan").f64));
  CHECK(std::isnan(read<Everything>("f32: NaN").f32));
  CHECK(read<Everything>("f64: -.inf").f64 == -std::numeric_limits<double>::infinity());
  CHECK(read<Everything>("f64: 0x10").f64 == 16);
}

TEST_CASE("lists are given whole: arrays, sequences, and those of messages") {
  const auto m = read<Everything>(
      "{flags_fixed: [false, on], flags: [yes, no, true], floats_fixed: [4, 5, .6], doubles: [], numbers_bounded: [1, "
      "2], "
      "texts: [a, 'b c'], wide_texts: [x], smalls: [{}, {name: it, value: 3}], smalls_fixed: [{value: 1}, {}], "
      "nothings: [{}, {}], pairs: [{a: 1, c: 2}]}");

  CHECK(m.flags_fixed == std::array<bool, 2>{false, true});
  CHECK(m.flags == std::vector<bool>{true, false, true});
  CHECK(m.floats_fixed == std::array<float, 3>{4, 5, 0.6f});
  CHECK(m.doubles.empty());
  CHECK(m.numbers_bounded.size() == 2);
  CHECK(m.texts == std::vector<std::string>{"a", "b c"});
  CHECK(m.wide_texts.at(0) == u"x");
  REQUIRE(m.smalls.size() == 2);
  CHECK(m.smalls[0].name == "small");
  CHECK(m.smalls[1].value == 3);
  CHECK(m.smalls_fixed[0].value == 1);
  CHECK(m.nothings.size() == 2);
  CHECK(m.pairs.at(0).c == 2);
  const auto shared = read<geometry_msgs::msg::PolygonStamped>("polygon: {points: [&p {x: 1}, *p]}");
  CHECK(shared.polygon.points.at(1).x == 1);
}

TEST_CASE("what is printed can be read again") {
  const Types types = all_types();
  for (const PackageFacts* package : types.packages())
    for (const MessageFacts* facts : package->messages) {
      const TypeSupport type(*facts);
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        AnyMessage message(type), back(type);
        fill(type, message.get(), seed);
        const std::string printed = type.to_yaml(message.get());
        INFO(type.name(), " ", seed);
        const Status ok = type.from_yaml(printed, back.get());
        REQUIRE_MESSAGE(ok, ok.error().message());
        CHECK(type.to_yaml(back.get()) == printed);
      }
    }
}

TEST_CASE("an error names the field, and what was found there") {
  using geometry_msgs::msg::Twist;
  CHECK(why_not<Twist>("{lineer: {x: 1}}") ==
        "unknown field 'lineer' of geometry_msgs/msg/Twist; did you mean 'linear'?");
  CHECK(why_not<Twist>("{linear: {speed: 1}}") ==
        "linear: unknown field 'speed' of geometry_msgs/msg/Vector3; it has: x, y, z");
  CHECK(why_not<std_msgs::msg::Empty>("{a: 1}") == "unknown field 'a' of std_msgs/msg/Empty; it has none");
  CHECK(why_not<Twist>("{linear: {x: fast}}") == "linear.x: is a number, found 'fast'");
  CHECK(why_not<Twist>("{linear: {x: '0.2'}}") == "linear.x: is a number, found '0.2'");
  CHECK(why_not<Twist>("{linear: 3}") == "linear: is a message of geometry_msgs/msg/Vector3, found '3'");
  CHECK(why_not<Twist>("[1, 2]") == "is a message of geometry_msgs/msg/Twist, found a list");
  CHECK(why_not("flag: 1") == "flag: is a bool, found '1'");
  CHECK(why_not("flags: [true, maybe]") == "flags[1]: is a bool, found 'maybe'");
  CHECK(why_not("u8: 256") == "u8: lies between 0 and 255, found '256'");
  CHECK(why_not("u8: -1") == "u8: lies between 0 and 255, found '-1'");
  CHECK(why_not("i8: 128") == "i8: lies between -128 and 127, found '128'");
  CHECK(why_not("i64: 9223372036854775808") ==
        "i64: lies between -9223372036854775808 and 9223372036854775807, found '9223372036854775808'");
  CHECK(why_not("u64: 99999999999999999999") ==
        "u64: lies between 0 and 18446744073709551615, found '99999999999999999999'");
  CHECK(why_not("i32: 2.5") == "i32: is an integer, found '2.5'");
  CHECK(why_not("f32: 1e39") == "f32: is a number of 32 bits, found '1e39'");
  CHECK(why_not("text: [a]") == "text: is a string, found a list");
  CHECK(why_not("text:") == "text: is a string, found nothing");
  CHECK(why_not("short_text: abcdef") == "short_text: is a string of at most 5 characters, found 6");
  CHECK(why_not("doubles: 1") == "doubles: is a list, found '1'");
  CHECK(why_not("floats_fixed: [1, 2]") == "floats_fixed: has 3 elements, found 2");
  CHECK(why_not("flags_bounded: [on, on, on, on]") == "flags_bounded: has at most 3 elements, found 4");
  CHECK(why_not("smalls: [{}, {value: x}]") == "smalls[1].value: is an integer, found 'x'");
  CHECK(why_not("{a: [}").starts_with("not YAML: "));
  // yaml-cpp sees documents without end here.
  CHECK(why_not("[, .6], a: 5\ntext:o b}c\n  d: 7\n") != "it is taken");
  CHECK(why_not("a: 1\n---\nb: 2\n") == "more than one YAML document ('---')");
}

TEST_CASE("a short text cannot make a message without end") {
  std::string many = "smalls: [{}";
  for (std::size_t i = 0; i < kMaxYamlValues; ++i) many += ",{}";
  CHECK(why_not(many + "]") == "smalls: has more values than a message may");
  std::string flags = "[on";
  for (int i = 0; i < 999; ++i) flags += ",on";
  CHECK(why_not("flags: " + flags + "]") == "it is taken");
  CHECK(why_not(std::string(100'000, '[')).starts_with("not YAML: "));
  CHECK(why_not("&a [*a]") == "is a message of convoy_test_msgs/msg/Everything, found a list");
}

}  // namespace from_yaml_test
