#include <doctest/doctest.h>

#include <limits>

#include "convoy_test_msgs/msg/everything.hpp"
#include "geometry_msgs/msg/polygon_stamped.hpp"
#include "std_msgs/msg/empty.hpp"
#include "std_msgs/msg/float64.hpp"
#include "std_msgs/msg/string.hpp"

#include "convoy_ros_types/type_support.h"

namespace yaml_test {

using namespace convoy::ros;

namespace {

template <class Message>
std::string yaml(const Message& message, const YamlOptions& options = {}) {
  return TypeSupport::of<Message>().to_yaml(&message, options);
}

std::string printed(double value) {
  std_msgs::msg::Float64 message;
  message.data = value;
  return yaml(message).substr(6);
}

std::string printed(const std::string& text) {
  std_msgs::msg::String message;
  message.data = text;
  return yaml(message).substr(6);
}

}  // namespace

TEST_CASE("messages print as blocks") {
  geometry_msgs::msg::PolygonStamped polygon;
  polygon.header.frame_id = "map";
  polygon.polygon.points.resize(2);
  polygon.polygon.points[1].x = 0.1f;

  CHECK(yaml(polygon) ==
        "header:\n"
        "  stamp:\n"
        "    sec: 0\n"
        "    nanosec: 0\n"
        "  frame_id: map\n"
        "polygon:\n"
        "  points:\n"
        "  - x: 0.0\n"
        "    y: 0.0\n"
        "    z: 0.0\n"
        "  - x: 0.10000000149011612\n"
        "    y: 0.0\n"
        "    z: 0.0\n");
}

TEST_CASE("what is empty prints as such") {
  CHECK(yaml(std_msgs::msg::Empty()) == "{}\n");
  CHECK(yaml(geometry_msgs::msg::PolygonStamped()).find("  points: []\n") != std::string::npos);
  CHECK(yaml(convoy_test_msgs::msg::Everything()).find("\nnothing: {}\n") != std::string::npos);
}

TEST_CASE("floats print as Python's, with the point that YAML wants") {
  CHECK(printed(0.0) == "0.0\n");
  CHECK(printed(-0.0) == "-0.0\n");
  CHECK(printed(0.1) == "0.1\n");
  CHECK(printed(1e16) == "1.0e+16\n");
  CHECK(printed(123456789012345.0) == "123456789012345.0\n");
  CHECK(printed(1e-5) == "1.0e-05\n");
  CHECK(printed(1.5e300) == "1.5e+300\n");
  CHECK(printed(std::numeric_limits<double>::quiet_NaN()) == ".nan\n");
  CHECK(printed(-std::numeric_limits<double>::infinity()) == "-.inf\n");
}

TEST_CASE("strings are quoted where they could be read as something else") {
  CHECK(printed("map") == "map\n");
  CHECK(printed("/robot_1/base_link") == "/robot_1/base_link\n");
  CHECK(printed("two words") == "two words\n");
  CHECK(printed("") == "''\n");
  CHECK(printed("true") == "'true'\n");
  CHECK(printed("No") == "'No'\n");
  CHECK(printed("12") == "'12'\n");
  CHECK(printed("a: b") == "'a: b'\n");
  CHECK(printed("it's #1") == "'it''s #1'\n");
  CHECK(printed(" a ") == "' a '\n");
  CHECK(printed("\u00e9\u4e16") == "'\u00e9\u4e16'\n");
  CHECK(printed("a\nb\t\"c\"\\") == "\"a\\nb\\t\\\"c\\\"\\\\\"\n");
  CHECK(printed(std::string("\xff\0", 2)) == "\"\\xff\\x00\"\n");
}

TEST_CASE("long fields are cut if asked") {
  convoy_test_msgs::msg::Everything message;
  message.doubles = {1, 2, 3};
  message.text = "\u4e16\u4e16\u4e16";
  const std::string text = yaml(message, {.elements = 2, .characters = 4});

  CHECK(text.find("doubles:\n- 1.0\n- 2.0\n- '...'\n") != std::string::npos);
  CHECK(text.find("\ntext: '\u4e16...'\n") != std::string::npos);
}

TEST_CASE("a field prints alone") {
  convoy_test_msgs::msg::Everything message;
  message.flags = {true, false};
  const TypeSupport type = TypeSupport::of<convoy_test_msgs::msg::Everything>();
  const auto field = [&](const char* path) { return type.to_yaml(&message, path).value(); };

  CHECK(field("f32") == "0.5");
  CHECK(field("flags") == "- true\n- false\n");
  CHECK(field("flags[0]") == "true");
  CHECK(field("raws") == "[]\n");
  CHECK(field("smalls_fixed[1]") == "name: small\nvalue: 0\n");
  CHECK(field("small") == "name: small\nvalue: 0\n");
  CHECK(field("nothing") == "{}\n");
  CHECK_FALSE(type.to_yaml(&message, "none"));
}

}  // namespace yaml_test
