// A run with a robot of two slides that a door to ROS 2 commands, in virtual time: for tests.
#pragma once

#include <array>

#include "adapters/ros2/testing.h"
#include "physics/slides.h"

namespace convoy::ros2 {

using Joints = std::array<double, 2>;

// "alpha" with the joints "a" and "b", which go within a tick where the actuators "left" (from -1 to 1) and "right" command.
inline Setup slides_room() {
  Setup setup = testing::empty_arena(10, 1);
  Model slides = built_in_models()[0];
  slides.name = "slides", slides.drive = Drive::kNone;
  slides.joints = {"a", "b"}, slides.actuators = {"left", "right"};
  setup.models.push_back(slides);
  setup.entities = {testing::robot("alpha", "slides", 0, 0, 0, DriverKind::kNone)};
  return setup;
}

struct SlidesEngine {
  SlidesFactory engines;
};

// Paused at its beginning.
class SlidesRig : private SlidesEngine, public DoorRig {
 public:
  explicit SlidesRig(Settings settings = {.ns = "/"})
      : DoorRig({.setup = slides_room(), .settings = std::move(settings), .physics = &engines}) {}

  WorldNumber number() { return world().entity(world().find("alpha")).number; }
  // So many ticks, and what was sent before has arrived.
  void step(std::uint64_t ticks) {
    const Tick to = rig.run().tick() + ticks;
    REQUIRE(rig.error_of(testing::step(ticks)).empty());
    REQUIRE(until([&] { return rig.run().tick() >= to; }));
    REQUIRE(until([&] { return rig.host(0).tick() >= to; }));
  }
  Joints joints() {
    EngineView view;
    REQUIRE(rig.host(0).fleet()->agent(number())->physics().view(view));
    return {view.qpos[0], view.qpos[1]};
  }
};

}  // namespace convoy::ros2
