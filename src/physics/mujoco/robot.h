// A MuJoCo robot. Its state is a row of numbers (mjSTATE_INTEGRATION), which is loaded into a pooled mjData for each
// tick.
//
// It is solved in its file's own frame F, which stands in the world (station.h). Alone it is its file, to the bit. What
// comes from outside is put into F, and what leaves is put into the world: X_WR = X_WF X_FB X_BR.
//
// A twist drives the wheels that the model names: forward speed and turn rate are limited by the model's speeds and
// accelerations and become wheel speeds, as for a differential drive. After a control for a driven wheel, twists are
// ignored until one is not 0. All other controls keep their last value; at first that of the start keyframe.
//
// While it carries something it is stepped in a variant of its model (load.h), which has the same state.
//
// A robot that diverges, exceeds its arena or causes a MuJoCo error fails: it stays in the state of the boundary before
// (PhysicsEvents::fault). Dropped contacts or constraints are failures too.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "core/fields.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/controller.h"
#include "physics/mujoco/encounter.h"
#include "physics/mujoco/engine_row.h"
#include "physics/mujoco/outside_parts.h"
#include "physics/mujoco/station.h"
#include "physics/mujoco/wheel_drive.h"
#include "physics/mujoco/wrench_meter.h"
#include "physics/physics.h"

namespace convoy::mujoco {

struct RobotState {
  WheelDriveState wheels;
  Controller controller;
  std::uint64_t refused = 0;    // controls that were no numbers, or of no actuator
  std::uint64_t one_sided = 0;  // ticks that ended in touch with a neighbour that no push moves
  Pushes pushes;                // forces from outside
  OptionValues options;         // of its engine, from outside
  Duration straining{0};        // how long it has pushed a neighbour near the limit of its traction
  std::string fault;            // why it does not move any more; empty: it moves
  Pose X_WF;                    // where its file's frame stands
  Bytes engine;                 // mjSTATE_INTEGRATION in F, warm start included, as the machine has it
  friend bool operator==(const RobotState&, const RobotState&) = default;
};
template <class V, MaybeConst<RobotState> T>
void fields(V& v, T& s) {
  v("speed", s.wheels.speed), v("turn_rate", s.wheels.turn_rate), v("own_wheels", s.wheels.own_controls);
  v("controller", s.controller), v("refused", s.refused), v("one_sided", s.one_sided), v("straining", s.straining);
  v("pushes", s.pushes), v("options", s.options);
  v("fault", s.fault), v("place", s.X_WF), v("engine", s.engine);
}

class Robot final : public Physics {
 public:
  // The compiled model is that of `model`, whose limits count. `walls` may be null; `files` holds the model's.
  Robot(const Model& model, std::shared_ptr<const Compiled> compiled, std::shared_ptr<Library> library,
        std::shared_ptr<const Walls> walls, const ModelFiles& files);

  double neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const override;
  void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) override;
  void reset(const State& state) override;
  void put(const State& state, std::span<const double> tail) override;
  void save(SaveFields& out) const override;
  bool load(Reader& in) override;
  bool accepts(ByteView saved) const override;
  void describe(DescribeFields::List& out) const override;
  void set_controller(const ControllerSpec& spec) override;
  std::vector<std::pair<std::string, std::string>> parameters() const override;
  bool set_parameter(const std::string& name, const std::string& value) override;
  const Panel* panel() const override { return &bare_->panel; }
  bool read(PanelReadings& out) const override;
  bool view(EngineView& out) const override;
  bool propose(const EngineValues& values, State& state, std::span<double> tail, Bytes& saved) const override;
  void set_part(const SetPart& part, Instant now) override;
  void start_from(const std::string& keyframe) override;
  std::optional<Vec3> gravity(const Environment& environment) const override;
  bool feel(const PhysicsInput& input, const State& state, std::span<const double> tail, Feeling& out) const override;
  std::uint64_t one_sided_ticks() const override { return inner_.one_sided; }

  const Compiled& compiled() const { return *compiled_; }         // with what it carries
  std::span<const double> row() const { return row_.numbers(); }  // its mjSTATE_INTEGRATION, in F
  const RobotState& inner() const { return inner_; }

 private:
  std::string take_load(const PhysicsInput& input);
  void take_controls(std::span<const Control> controls, Instant now);
  std::string advance(const PhysicsInput& input, int steps, const State& before, std::size_t tail_size);
  std::string advance_together(const PhysicsInput& input, int steps, const State& before, std::size_t tail_size);
  class Borrowed;
  void keep();  // row_ and inner_.engine from data_
  void keep_derived(const mjData* d) const;
  void restore();
  bool read_inner(Reader& in, RobotState& out) const;
  void refresh() const;
  void watch_traction(Duration step, PhysicsEvents& events);
  void count_contacts(const mjModel* m, const mjData* d, int outside, PhysicsEvents& events) const;

  Model limits_;                              // a copy: for its limits
  ModelFiles files_;                          // its own
  std::shared_ptr<const Compiled> bare_;      // without anything that it carries
  std::shared_ptr<const Compiled> compiled_;  // with it
  std::vector<Carried> carried_;              // in compiled_
  std::shared_ptr<Library> library_;
  bool usable_ = true;              // false: no mjData could be made
  mutable mjData* data_ = nullptr;  // while a Borrowed lives, in the robot's state
  RobotState inner_;
  Station station_;  // inner_.X_WF
  EngineRow row_;    // inner_.engine as numbers
  // What a step has left that is no state; stale while it does not follow from the state.
  struct Seen {
    std::vector<double> sensors, qacc;
    std::vector<double> qpos, qvel;  // as view() shows them: free bodies in the world
    bool stale = true;
  };
  mutable Seen seen_;
  int key_;    // in which it begins
  Plan plan_;  // of inner_.controller
  WheelDrive wheels_;
  Encounter encounter_;
  WrenchMeter meter_;  // of the tick in progress
};

}  // namespace convoy::mujoco
