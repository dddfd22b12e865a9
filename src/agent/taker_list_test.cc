#include "agent/taker_list.h"

#include <doctest/doctest.h>

#include <set>

namespace taker_list_test {

using namespace convoy;

namespace {

struct Taker final : SampleTaker {
  explicit Taker(std::set<std::string> names, std::uint64_t each = 1) : sensors(std::move(names)), every(each) {}
  bool takes(WorldNumber, const SensorSpec& sensor, const DueSample& due) const override {
    return sensors.contains(sensor.name) && due.index % every == 0;
  }
  void took(WorldNumber, const SensorSpec& sensor, const Sample& sample, Instant) override {
    got.push_back(sensor.name + std::to_string(sample.index));
  }
  std::set<std::string> sensors;
  std::uint64_t every;
  std::vector<std::string> got;
};

SensorSpec named(const char* name) {
  SensorSpec out;
  out.name = name;
  return out;
}

}  // namespace

TEST_CASE("of several takers each gets what it takes, and none what another one takes") {
  const WorldNumber robot(1);
  Taker a({"scan", "imu"}, 2), b({"imu"});
  TakerList list;
  CHECK(list.taker() == nullptr);
  list.add(nullptr), list.add(&a), list.add(&b);
  REQUIRE(list.taker() == &list);

  for (const char* name : {"scan", "imu", "fix"})
    for (std::uint64_t index = 0; index < 3; ++index) {
      CAPTURE(name);
      CAPTURE(index);
      const SensorSpec sensor = named(name);
      const bool taken = list.takes(robot, sensor, {index, Duration(1)});
      CHECK(taken == (sensor.name == "imu" || (sensor.name == "scan" && index % 2 == 0)));
      Sample sample;
      sample.index = index, sample.period = Duration(1);
      if (taken) list.took(robot, sensor, sample, instant(0));
    }

  CHECK(a.got == std::vector<std::string>{"scan0", "scan2", "imu0", "imu2"});
  CHECK(b.got == std::vector<std::string>{"imu0", "imu1", "imu2"});
}

TEST_CASE("who has gone since a sample was computed does not get it, and who has come does") {
  Taker a({"imu"}), b({});
  TakerList list;
  list.add(&a), list.add(&b);
  const SensorSpec imu = named("imu");
  REQUIRE(list.takes(WorldNumber(1), imu, {}));

  std::swap(a.sensors, b.sensors);
  list.took(WorldNumber(1), imu, {}, instant(0));

  CHECK(a.got.empty());
  CHECK(b.got == std::vector<std::string>{"imu0"});
}

}  // namespace taker_list_test
