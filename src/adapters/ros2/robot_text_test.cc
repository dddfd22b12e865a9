#include "adapters/ros2/robot_text.h"

#include <doctest/doctest.h>

namespace robot_text_test {

using namespace convoy::ros2;

namespace {

std::string told(std::string_view text) {
  const auto robot = robot_text_of(text);
  return robot ? std::string(suffix_of(robot->format)) + " " + robot->name : "none";
}

}  // namespace

TEST_CASE("a description says its format by its first element, and its name there") {
  CHECK(told("<robot name=\"scout\"/>") == ".urdf scout");
  CHECK(told("<?xml version='1.0'?>\n<!-- <mujoco> -->\n<!DOCTYPE robot>\n<robot\n  version='1' name = 'my scout'>") ==
        ".urdf my scout");
  CHECK(told("<mujoco model='arm'><worldbody/></mujoco>") == ".xml arm");
  CHECK(told("<mujoco/>") == ".xml ");
  CHECK(told("<sdf version='1.9'><world name='w'><!-- <model name='no'/> --><model name='cart'>") == ".sdf cart");
  CHECK(told("<sdf/>") == ".sdf ");
  CHECK(told("<robot nickname='no' name='yes'/>") == ".urdf yes");
}

TEST_CASE("what is no description is none, wherever it is cut") {
  CHECK(told("") == "none");
  CHECK(told("robot") == "none");
  CHECK(told("<") == "none");
  CHECK(told("<world/>") == "none");
  CHECK(told("<!-- <robot/>") == "none");
  CHECK(told("<robots name='a'/>") == "none");
  const std::string whole = "<?xml?><!-- a --><sdf version='1.9'><model name='cart'></model></sdf>";
  for (std::size_t i = 0; i <= whole.size(); ++i) (void)told(whole.substr(0, i));
  CHECK(told("<robot name=") == ".urdf ");
  CHECK(told("<robot name='scout") == ".urdf ");
}

}  // namespace robot_text_test
