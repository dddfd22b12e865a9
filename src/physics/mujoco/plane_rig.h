// A test rig: a MuJoCo robot and one that the plane moves, which meet.
#pragma once

#include "physics/mujoco/ghost_rig.h"
#include "physics/plane.h"

namespace convoy::mujoco {

// Moved by a force along x, without wheels.
class Sledge final : public Physics {
 public:
  Sledge(const Factory& factory, const Model& model) : factory_(factory), model_(model) {}
  double neighbourhood(const Model& model, Duration, std::span<const Carried>) const override {
    return bounding_radius(model) + 1;
  }
  void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) override {
    if (!begun_) state.twist.v.x = speed;
    begun_ = true;
    std::vector<MetBody> own, others;
    Neighbour self;
    self.number = input.self, self.state = &state, self.model = &model_, self.tail = tail;
    factory_.add_bodies(self, input.files, own);
    for (const Neighbour& other : input.neighbours) factory_.add_bodies(other, input.files, others);
    Plane plane(input, model_, state, own, others);
    for (int i = 0; i < 5; ++i) plane.step(0.002, {force, 0}, 0);  // as MuJoCo steps
    plane.finish(state);
    state.stamp = input.begin + input.step;
    const Vec3 ground = plane.mean_force();
    const double wrench[kWrenchSize] = {ground.x, ground.y, ground.z, 0, 0, plane.mean_torque()};
    std::copy(std::begin(wrench), std::end(wrench), tail.end() - kWrenchSize);
    events.touched = plane.touched();
  }
  void reset(const State&) override {}
  void save(SaveFields&) const override {}
  bool load(Reader&) override { return true; }
  void describe(DescribeFields::List&) const override {}
  bool accepts(ByteView saved) const override { return saved.empty(); }

  double speed = 0, force = 0;  // m/s, at the beginning; N

 private:
  const Factory& factory_;
  Model model_;
  bool begun_ = false;
};

struct PlaneRig {
  PlaneRig(GhostRig::Guest robot, GhostRig::Guest sledge)
      : rig({with_engine(std::move(robot)), with_engine(std::move(sledge))}) {
    rig.physics[1] = std::make_unique<Sledge>(rig.factory, rig.world->model_of(GhostRig::slot(1)));
  }
  Sledge& sledge() { return dynamic_cast<Sledge&>(*rig.physics[1]); }
  // So that no other takes it for a crate: nothing lies on the ground here.
  static GhostRig::Guest with_engine(GhostRig::Guest guest) {
    guest.model.model.engine.type = "sledge";
    return guest;
  }
  GhostRig rig;
};

}  // namespace convoy::mujoco
