// For tests: a robot of a file in a world of its own, stepped tick by tick.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "physics/mujoco/engine.h"
#include "physics/mujoco/factory.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/robot.h"
#include "world/world.h"

namespace convoy::mujoco {

inline constexpr Duration kTick = std::chrono::milliseconds(10);

inline Result<Bytes> read_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

// Files by path, in memory.
inline FileReader of(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& path) -> Result<Bytes> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorCode::kNotFound, "no such file: " + path);
    return Bytes(found->second.begin(), found->second.end());
  };
}

inline ImportedModel shipped(const std::string& name) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_model(std::string(CONVOY_SOURCE_DIR "/models/") + name + ".xml", {read_disk, {}, "dut", {}, {}});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

inline ImportedModel written(const std::string& xml, Ground ground = Ground::kAuto) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_model("dut.xml", {of({{"dut.xml", xml}}), {}, "dut", {}, {}, ground});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

inline EngineView seen(const Physics& robot) {
  EngineView out;
  REQUIRE(robot.view(out));
  return out;
}

// An mjData of its own in a robot's state, with all that follows from it.
class Unfolded {
 public:
  explicit Unfolded(const Robot& robot) : data_(mj_makeData(robot.compiled().model)) {
    mj_setState(robot.compiled().model, data_, robot.row().data(), mjSTATE_INTEGRATION);
    mj_forward(robot.compiled().model, data_);
  }
  ~Unfolded() { mj_deleteData(data_); }
  Unfolded(const Unfolded&) = delete;
  Unfolded& operator=(const Unfolded&) = delete;
  const mjData* operator->() const { return data_; }
  const mjData* get() const { return data_; }

 private:
  mjData* data_;
};

// The text as MuJoCo alone has it.
class Plain {
 public:
  explicit Plain(const std::string& xml) {
    char text[1000] = "";
    mjSpec* spec = mj_parseXMLString(xml.c_str(), nullptr, text, sizeof text);
    REQUIRE_MESSAGE(spec, text);
    m = mj_compile(spec, nullptr);
    mj_deleteSpec(spec);
    REQUIRE(m);
    d = mj_makeData(m);
    if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
  }
  ~Plain() { mj_deleteData(d), mj_deleteModel(m); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  void run(double duration) {
    for (int i = 0, n = static_cast<int>(std::lround(duration / m->opt.timestep)); i < n; ++i) mj_step(m, d);
  }

  mjModel* m = nullptr;
  mjData* d = nullptr;
};

// Of the row's qpos and qvel, how many differ from MuJoCo's in any bit.
inline int differing(const Robot& robot, const Plain& plain) {
  const auto& at = robot.compiled().row;
  int out = 0;
  for (int i = 0; i < plain.m->nq; ++i) out += robot.row()[at.qpos + static_cast<std::size_t>(i)] != plain.d->qpos[i];
  for (int i = 0; i < plain.m->nv; ++i) out += robot.row()[at.qvel + static_cast<std::size_t>(i)] != plain.d->qvel[i];
  return out;
}

// One robot, alone in its world.
class Stage {
 public:
  explicit Stage(const ImportedModel& robot, const Pose& at = {}, MapData map = {},
                 const std::vector<ImportedModel>& others = {}) {
    Setup setup;
    setup.models = {robot.model}, setup.files = robot.files, setup.map = std::move(map), setup.tick = kTick;
    for (const ImportedModel& other : others) {
      setup.models.push_back(other.model);
      setup.files.insert(setup.files.end(), other.files.begin(), other.files.end());
    }
    EntitySpec spec;
    spec.name = "dut", spec.model = robot.model.name, spec.pose = at;
    setup.entities = {spec};
    auto made = World::make(setup);
    if (!made) FAIL(made.error().message());
    world = std::make_unique<World>(std::move(*made));
    tail.assign(world->snapshot().tail(Slot(0)).begin(), world->snapshot().tail(Slot(0)).end());
    state = world->snapshot().state(Slot(0));
    physics = another();
  }

  std::unique_ptr<Physics> another() const {
    auto made = factory.make(*world->models()[0], *world, kTick);
    made->reset(world->snapshot().state(Slot(0)));
    return made;
  }
  Robot& robot() { return dynamic_cast<Robot&>(*physics); }
  const Model& model() const { return *world->models()[0]; }

  // Ticks with one command; true while nothing is wrong.
  bool run(double duration, const Twist& command = {}, std::vector<Control> controls = {}) {
    for (int i = 0, n = static_cast<int>(std::lround(duration / seconds(kTick))); i < n; ++i) {
      events = {};
      PhysicsInput input;
      input.begin = now, input.step = kTick, input.self = WorldNumber(1), input.command = command;
      input.map = &world->map(), input.controls = controls, input.carried = carried, input.files = &world->files();
      input.environment = &environment;
      physics->step(input, state, tail, events);
      now += kTick;
      touched = touched || events.touched_map;
      if (!events.fault.empty()) fault = events.fault;
      controls.clear();
    }
    return fault.empty();
  }
  Bytes saved() const {
    Bytes out;
    SaveFields v(out);
    physics->save(v);
    return out;
  }

  Factory factory;
  std::unique_ptr<World> world;
  std::unique_ptr<Physics> physics;
  State state;
  std::vector<double> tail;
  std::vector<Carried> carried;
  Environment environment;
  PhysicsEvents events;
  Instant now{};
  bool touched = false;
  std::string fault;
};

}  // namespace convoy::mujoco
