// What a robot knows from inside, for tests: as they set it.
#pragma once

#include <map>

#include "sensing/robot_inside.h"

namespace convoy {

struct FakeInside final : RobotInside {
  double way = 0;
  Twist twist;
  std::uint32_t held = 0;
  Vec3 pull{0, 0, -9.81};
  OdometryReading wheels;
  JointsReading joint_readings;
  std::vector<ContactReading> touching;
  std::vector<Slot> near;
  std::map<std::string, std::vector<double>, std::less<>> engine;
  mutable double asked_radius = 0;

  double distance() const override { return way; }
  Twist told() const override { return twist; }
  std::uint32_t keys() const override { return held; }
  Vec3 gravity() const override { return pull; }
  OdometryReading odometry() const override { return wheels; }
  JointsReading joints() const override { return joint_readings; }
  std::vector<ContactReading> contacts() const override { return touching; }
  std::vector<Slot> around(const Vec3&, double radius) const override {
    asked_radius = radius;
    return near;
  }
  std::vector<std::string> engine_sensors() const override {
    std::vector<std::string> out;
    for (const auto& [name, values] : engine) out.push_back(name);
    return out;
  }
  std::optional<std::vector<double>> engine_sensor(std::string_view name) const override {
    const auto at = engine.find(name);
    return at == engine.end() ? std::nullopt : std::optional(at->second);
  }
};

}  // namespace convoy
