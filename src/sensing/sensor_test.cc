// Types of sensors, their presets, and how both are asked for.
#include "sensing/sensor.h"

#include <doctest/doctest.h>

#include <set>

#include "sensing/presets.h"
#include "sensing/ranger.h"

namespace sensor_test {

using namespace convoy;

TEST_CASE("every type's default and every preset can be made, and has a name of its own") {
  std::set<std::string> names;
  for (const SensorType& type : sensor_types()) {
    CHECK(names.insert(type.name).second);
    const SensorSpec spec = *sensor_of(type.name);
    CHECK(spec.period == type.period);
    if (spec.type != "mujoco") CHECK(make_sensor(spec));  // that needs a name
  }
  for (const SensorPreset& preset : sensor_presets()) {
    CHECK(names.insert(preset.name).second);
    const SensorSpec spec = *sensor_of(preset.name);
    CHECK(find_sensor_type(spec.type));
    CHECK_MESSAGE(make_sensor(spec), preset.name);
  }
  CHECK_FALSE(sensor_of("sonar"));
}

TEST_CASE("what cannot be is refused with a reason") {
  SensorSpec spec;
  spec.type = "skan";
  CHECK(make_sensor(spec).error().message() == "there is no type of sensors 'skan'; did you mean 'scan'?");
  spec.type = "scan";
  spec.parameters = save(ScanModel{.beams = 0});
  CHECK(make_sensor(spec).error().message() == "a scan has a beam at least");
  spec.parameters = save(ScanModel{.range_min = 4, .range_max = 3});
  CHECK(make_sensor(spec).error().message() == "range_min is at least 0, and below range_max");
  spec.parameters.pop_back();
  CHECK(make_sensor(spec).error().message() == "its parameters are malformed");
  spec.type = "range";
  spec.parameters = save(ImuModel{});
  CHECK_FALSE(make_sensor(spec));
}

TEST_CASE("shipped robots carry what their makers put on them, each under a name of its own") {
  const auto burger = sensors_of_model("turtlebot3_burger");
  REQUIRE(burger.size() == 3);
  CHECK(burger[0].name == "scan");
  CHECK(burger[0].period == std::chrono::milliseconds(200));
  CHECK(burger[1].name == "imu");
  CHECK(burger[2].name == "odom");
  CHECK(sensors_of_model("somebody_elses").empty());

  SensorSpec third = burger[0];
  std::vector<SensorSpec> two = burger;
  for (const char* name : {"scan2", "scan3"}) {
    third.name = "scan";
    make_name_unique(third, two);
    CHECK(third.name == name);
    two.push_back(third);
  }
}

TEST_CASE("a sensor is mounted on a link that there is") {
  Shapes shapes;
  shapes.links.push_back({"torso", Link::Base::kRobot, kNoPart, 0, {}, {}});
  SensorSpec spec;
  CHECK(check_mount(spec, shapes));
  spec.link = "torso";
  CHECK(check_mount(spec, shapes));
  spec.link = "tors";
  CHECK(check_mount(spec, shapes).error().message() == "its robot has no link 'tors'; did you mean 'torso'?");
}

}  // namespace sensor_test
