// Bumpers and areas, and what else a robot knows from inside.
#include "sensing/touch.h"

#include <doctest/doctest.h>

#include "core/approx.h"
#include "core/pose.h"
#include "sensing/fake_inside.h"
#include "sensing/presets.h"
#include "sensing/sensor.h"

namespace touch_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// A robot at the origin, a crate of a bounding radius, and one far away.
World yard(double x, double y) {
  Setup setup;
  setup.models = built_in_models();
  for (const auto& [name, model, at] : {std::tuple{"robot", "turtlebot3_burger", Vec3{0, 0, 0}},
                                        std::tuple{"visitor", "turtlebot3_waffle", Vec3{x, y, 0}},
                                        std::tuple{"stranger", "turtlebot3_waffle", Vec3{50, 0, 0}}}) {
    EntitySpec spec;
    spec.name = name, spec.model = model, spec.pose.p = at;
    setup.entities.push_back(spec);
  }
  return *World::make(setup);
}

std::shared_ptr<const Sensor> made(const char* type, Bytes parameters = {}) {
  SensorSpec spec = *sensor_of(type);
  if (!parameters.empty()) spec.parameters = std::move(parameters);
  auto sensor = make_sensor(spec);
  REQUIRE_MESSAGE(sensor, sensor.error().message());
  return std::move(*sensor);
}

}  // namespace

TEST_CASE("a touch is told in the sensor's frame, with the other's name, place, normal and force") {
  const World world = yard(2, 0);
  FakeInside inside;
  inside.touching = {{"bumper", WorldNumber(2), "", {1.2, 0, 0.1}, {-1, 0, 0}, {-8, 0, 1}, 1e-4},
                     {"wheel", kNoEntity, "", {0, 0, 0}, {0, 0, 1}, {0, 0, 20}, 1e-5}};
  SensorView view{.X_WS = {{1, 0, 0.1}, from_yaw(math::kPi / 2)}, .world = &world, .inside = &inside};

  const auto all = std::get<Touches>(made("contact")->sample(view)).touches;
  const auto bumper = std::get<Touches>(made("contact", save(ContactModel{.part = "bumper"}))->sample(view)).touches;
  const auto strong = std::get<Touches>(made("contact", save(ContactModel{.min_force = 10}))->sample(view)).touches;
  const auto first = std::get<Touches>(made("contact", save(ContactModel{.most = 1}))->sample(view)).touches;

  REQUIRE(all.size() == 2);
  CHECK(all[0].part == "bumper");
  CHECK(all[0].other == "visitor");
  CHECK(norm(all[0].position - Vec3{0, -0.2, 0}) < 1e-12);  // S looks along y: what is ahead in x is to its right
  CHECK(norm(all[0].normal - Vec3{0, 1, 0}) < 1e-12);
  CHECK(norm(all[0].force - Vec3{0, 8, 1}) < 1e-12);
  CHECK(all[0].depth == 1e-4);
  CHECK(all[1].other == "");
  REQUIRE(bumper.size() == 1);
  CHECK(bumper[0].part == "bumper");
  REQUIRE(strong.size() == 1);
  CHECK(strong[0].part == "wheel");
  CHECK(first.size() == 1);
}

TEST_CASE("an area tells who is in it, who has come and who is gone, and remembers from sample to sample") {
  const auto dut = made("overlap", save(OverlapModel{{2, 1, 1}}));
  FakeInside inside;
  Bytes memory;
  const auto seen_at = [&](double x, double y) {
    const World world = yard(x, y);
    inside.near = {Slot(1)};
    return std::get<Overlaps>(
        dut->sample({.X_WS = {{0.5, 0, 0.2}, from_yaw(math::kPi / 2)}, .world = &world, .inside = &inside}, memory));
  };
  const double radius = yard(0, 0).radii()[1];

  const Overlaps none = seen_at(0.5 + 0.5 + radius + 0.01, 0);  // the box is 1 m wide along x here, 2 m along y
  const Overlaps came = seen_at(0.5 + 0.5 + radius - 0.01, 0.9);
  const Overlaps stays = seen_at(0.5, 1);
  inside.near.clear();
  const World empty = yard(40, 0);
  const Overlaps gone = std::get<Overlaps>(dut->sample({.world = &empty, .inside = &inside}, memory));

  CHECK(inside.asked_radius == approx(0.5 * std::sqrt(4 + 1 + 1)));
  CHECK(none.inside.empty());
  CHECK(none.appeared.empty());
  CHECK(came.inside == std::vector<std::string>{"visitor"});
  CHECK(came.appeared == std::vector<std::string>{"visitor"});
  CHECK(stays.inside == std::vector<std::string>{"visitor"});
  CHECK(stays.appeared.empty());
  CHECK(gone.inside.empty());
  CHECK(gone.gone == std::vector<std::string>{"visitor"});
}

TEST_CASE("a battery is emptied by standing and by driving, to nothing and not below") {
  const BatteryModel model{
      .capacity = 10, .charge = 0.8, .idle = 5, .per_meter = 20, .voltage_empty = 10, .voltage_full = 12};

  const BatteryReading full = battery_of(model, 0s, 0, 0), driven = battery_of(model, 600s, 300, 0.5);
  const BatteryReading empty = battery_of(model, std::chrono::hours(2), 1e6, 1);

  CHECK(full.share == approx(0.8));
  CHECK(full.voltage == approx(10 + 0.8 * 2));
  CHECK(full.current == approx(-5 / full.voltage));
  CHECK(full.capacity == approx(10.0 / 12));
  CHECK(full.charge == approx(8.0 / 12));
  CHECK(driven.share == approx(0.8 - (5 * 600 + 20 * 300) / 36000.0));
  CHECK(driven.current == approx(-(5 + 20 * 0.5) / driven.voltage));
  CHECK(empty.share == 0);
  CHECK(empty.voltage == 10);
  CHECK(empty.current == 0);
}

TEST_CASE("keys and sticks are what who operates the robot holds, cut at the stick's ends") {
  FakeInside inside;
  inside.held = 0x80000005u;
  inside.twist = {{0.5, -3, 0}, {0, 0, 1}};
  const SensorView view{.inside = &inside};

  const auto keys = std::get<KeysReading>(made("keyboard")->sample(view));
  const auto stick = std::get<StickReading>(made("joy", save(JoystickModel{2, 4}))->sample(view));

  CHECK(keys.held == 0x80000005u);
  CHECK(stick.axes == std::array<float, 3>{0.25f, -1, 0.25f});
  CHECK(stick.buttons == 0x80000005u);
}

TEST_CASE("wheels, joints and the engine's own sensors are told as they are") {
  FakeInside inside;
  inside.wheels.x = 3, inside.joint_readings.names = {"left"}, inside.engine = {{"force", {1, 2, 3}}};
  const SensorView view{.inside = &inside};
  const auto dut = made("mujoco", save(EngineSensorModel{"force"})),
             wrong = made("mujoco", save(EngineSensorModel{"forse"}));

  CHECK(std::get<OdometryReading>(made("odom")->sample(view)).x == 3);
  CHECK(std::get<JointsReading>(made("joint_states")->sample(view)).names == std::vector<std::string>{"left"});
  CHECK(std::get<EngineReading>(dut->sample(view)).values == std::vector<double>{1, 2, 3});
  CHECK(dut->problem(inside) == "");
  CHECK(wrong->problem(inside) == "its robot's file has no sensor 'forse'; did you mean 'force'?");
  inside.engine.clear();
  CHECK(dut->problem(inside) == "its robot's physics has no sensors");
}

TEST_CASE("what cannot be a bumper, an area, a battery or a stick is refused") {
  CHECK(problem_of(ContactModel{.min_force = -1}) != "");
  CHECK(problem_of(ContactModel{.most = 0}) != "");
  CHECK(problem_of(OverlapModel{{1, 0, 1}}) != "");
  CHECK(problem_of(BatteryModel{.capacity = 0}) != "");
  CHECK(problem_of(BatteryModel{.charge = 1.1}) != "");
  CHECK(problem_of(BatteryModel{.voltage_empty = 13}) != "");
  CHECK(problem_of(JoystickModel{0, 1}) != "");
  CHECK(problem_of(EngineSensorModel{}) != "");
  CHECK(problem_of(ContactModel{}) + problem_of(OverlapModel{}) + problem_of(BatteryModel{}) +
            problem_of(JoystickModel{}) ==
        "");
}

}  // namespace touch_test
