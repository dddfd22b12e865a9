// A test rig: several MuJoCo robots, each an agent of its own, that meet as ghosts.
#pragma once

#include "physics/mujoco/testing.h"

namespace convoy::mujoco {

class GhostRig {
 public:
  struct Guest {
    ImportedModel model;
    Pose at;
  };
  explicit GhostRig(std::vector<Guest> guests) {
    Setup setup;
    setup.tick = kTick;
    for (std::size_t i = 0; i < guests.size(); ++i) {
      Model& model = guests[i].model.model;
      model.name = "model_" + std::to_string(i);
      setup.models.push_back(model);
      for (const Bytes& bytes : guests[i].model.files)
        if (std::find(setup.files.begin(), setup.files.end(), bytes) == setup.files.end()) setup.files.push_back(bytes);
      EntitySpec spec;
      spec.name = "robot_" + std::to_string(i), spec.model = model.name, spec.pose = guests[i].at;
      setup.entities.push_back(spec);
    }
    auto made = World::make(setup);
    if (!made) FAIL(made.error().message());
    world = std::make_unique<World>(std::move(*made));
    for (std::size_t i = 0; i < guests.size(); ++i) physics.push_back(another(i));
    events.resize(guests.size()), commands.resize(guests.size()), controls.resize(guests.size());
    carried.resize(guests.size());
    world->settle();
  }

  static Slot slot(std::size_t i) { return Slot(static_cast<std::uint32_t>(i)); }
  std::unique_ptr<Physics> another(std::size_t i) const {
    auto out = factory.make(world->model_of(slot(i)), *world, kTick);
    out->reset(world->snapshot().state(slot(i)));
    return out;
  }
  const State& state(std::size_t i) const { return world->snapshot().state(slot(i)); }
  std::span<const double> tail(std::size_t i) const { return world->snapshot().tail(slot(i)); }
  Robot& robot(std::size_t i) { return dynamic_cast<Robot&>(*physics[i]); }
  Bytes saved(std::size_t i) const {
    Bytes out;
    SaveFields v(out);
    physics[i]->save(v);
    return out;
  }

  // One tick of one robot, from the snapshot. Controls are those of its beginning.
  void step(std::size_t i, State& state, std::span<double> tail) {
    std::vector<Neighbour> neighbours;
    const Snapshot& now = world->snapshot();
    const double reach = physics[i]->neighbourhood(world->model_of(slot(i)), kTick, carried[i]);
    for (std::size_t other = 0; other < physics.size(); ++other) {
      const Vec3 d = now.state(slot(other)).pose.p - now.state(slot(i)).pose.p;
      const bool near = std::sqrt(d.x * d.x + d.y * d.y) <= reach + world->radii()[other];
      if (other != i && near)
        neighbours.push_back({now.number(slot(other)), &now.state(slot(other)), &world->model_of(slot(other)),
                              now.tail(slot(other)), false, false, carried[other], world->entity(slot(other)).pose});
    }
    PhysicsInput input;
    const Duration part = kTick / parts;
    const State at_boundary = state;
    input.begin = begin, input.step = part, input.behind = kTick - part, input.self = now.number(slot(i)),
    input.command = commands[i];
    input.map = &world->map(), input.neighbours = neighbours, input.controls = controls[i];
    input.files = &world->files(), input.carried = carried[i];
    for (int p = 0; p < parts; ++p) {
      events[i] = {};
      physics[i]->step(input, state, tail, events[i]);
      REQUIRE(events[i].fault == "");
      input.begin += part, input.before += part, input.behind -= part;
      input.at_boundary = &at_boundary, input.controls = {};
    }
    if (!events[i].advice.empty()) advice.push_back(i);
  }
  void tick() {
    for (std::size_t i = 0; i < physics.size(); ++i) {
      world->next().state(slot(i)) = state(i);
      std::copy(tail(i).begin(), tail(i).end(), world->next().tail(slot(i)).begin());
      step(i, world->next().state(slot(i)), world->next().tail(slot(i)));
      controls[i].clear();
    }
    world->turn();
    begin += kTick;
  }
  void run(double duration) {
    for (int i = 0, n = static_cast<int>(std::lround(duration / seconds(kTick))); i < n; ++i) tick();
  }

  Factory factory;
  std::unique_ptr<World> world;
  std::vector<std::unique_ptr<Physics>> physics;
  std::vector<PhysicsEvents> events;
  std::vector<Twist> commands;
  std::vector<std::vector<Control>> controls;
  std::vector<std::vector<Carried>> carried;  // of models that outlive it, none of them a guest
  int parts = 1;                              // steps in which a tick is made
  Instant begin{};
  std::vector<std::size_t> advice;  // the robots that were given some
};

}  // namespace convoy::mujoco
