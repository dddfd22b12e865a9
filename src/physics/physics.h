// The interface of a robot's physics, implemented by kinematic and by MuJoCo robots.
//
// A step is a pure function of the saved inner state, the input and the state: no clock, and no other map or neighbour
// than those of the input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "physics/panel.h"
#include "world/contact_reading.h"
#include "world/controller_spec.h"
#include "world/edit.h"
#include "world/environment.h"
#include "world/model.h"
#include "world/model_files.h"
#include "world/snapshot.h"
#include "world/static_map.h"
#include "world/traffic.h"

namespace convoy {

// An entity that is rigidly attached to a robot, and solid.
struct Carried {
  WorldNumber number = kNoEntity;
  Pose X_BC;  // its pose in the frame of its carrier
  const Model* model = nullptr;
};

// Another entity within reach at boundary k, as in the snapshot.
struct Neighbour {
  WorldNumber number = kNoEntity;
  const State* state = nullptr;
  const Model* model = nullptr;
  std::span<const double> tail;        // world/model.h
  bool held = false;                   // it has no agent, and stays where it is
  bool attached = false;               // it is carried by another
  std::span<const Carried> carried{};  // by it, at any depth
  Pose origin{};                       // X_WB at its creation
};

// Is shown a robot between the physics steps of a tick.
class StepWatcher {
 public:
  virtual ~StepWatcher() = default;
  // A step ends at that instant, within the tick: does it want to see the robot there?
  virtual bool wants(Instant at) = 0;
  virtual void saw(Instant at, const State& state, std::span<const double> tail) = 0;
};

struct PhysicsInput {
  Instant begin{};     // of the step
  Duration step{};     // its length, within the tick
  Duration before{0};  // how far steps before this one have come in the tick
  Duration behind{0};  // how much of the tick is left behind it
  WorldNumber self = kNoEntity;
  Twist command;  // wanted body twist: v.x forward m/s, w.z counter-clockwise rad/s, in the body frame
  const StaticMap* map = nullptr;
  // The agent's own state at boundary k, as its neighbours see it, if the step is not the first one of the tick; else
  // null, and the state given to step() is that one.
  const State* at_boundary = nullptr;
  // All that may be touched in this tick, in world-number order (see neighbourhood()). The same in all steps of a tick.
  std::span<const Neighbour> neighbours;
  std::span<const Carried> carried;  // by world number
  // New values of actuators, from the step's beginning on.
  std::span<const Control> controls;
  bool may_play = true;  // what its controller does by itself is obeyed
  // What the models of neighbours and of what is carried are made of; null: MuJoCo robots know of neither.
  const ModelFiles* files = nullptr;
  const Environment* environment = nullptr;  // null: none that changes what the models say
  StepWatcher* watcher = nullptr;            // of physics that makes its own steps; null: nobody looks

  Duration tick() const { return before + step + behind; }
};

// What came of it, for statistics, odometry and the digest.
struct PhysicsEvents {
  double distance = 0;       // m travelled by the base in this step
  bool touched_map = false;  // motion was cut by the static map
  // Neighbours (world numbers, ascending) that cut the motion.
  std::vector<WorldNumber> touched;
  // Rim speeds in this step, m/s: of the driven wheels (Ackermann: the rear axle's middle for both; tricycle: the one
  // driven wheel for both). Wheels slip rather than stop when the robot is blocked.
  double wheel_left = 0, wheel_right = 0;
  double steering = 0;  // steering angle in this step, rad (Ackermann, tricycle)
  // Set in the step in which the physics fails: why the robot does not move any more.
  std::string fault;
  // Set once: why a contact with another agent is less exact than it would be within one agent.
  std::string advice;
};

struct Feeling {
  std::vector<ContactReading> contacts;  // kMaxContacts at most
  std::vector<double> sensors;           // of the panel, one after the other
};

class Physics {
 public:
  virtual ~Physics() = default;
  // The distance from the base within which a neighbour's bounding circle must come, at a boundary, to matter in a tick
  // of that length, m. Depends on the model, not on the state.
  virtual double neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const = 0;
  // Advances the state by input.step: the whole tick, or of physics with a panel() some of its steps. `tail` holds the
  // joint positions, then the joint velocities (world/model.h).
  virtual void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) = 0;
  // Puts the inner state back as at creation, at the given pose.
  virtual void reset(const State& state) = 0;
  // The base was put at a pose with a twist from outside, and the joints where the tail has them, at rest, if there is
  // one; the rest of the inner state may stay.
  virtual void put(const State& state, std::span<const double> /*tail*/) { reset(state); }
  // All inner state, canonical: what step() depends on besides its arguments.
  virtual void save(SaveFields& out) const = 0;
  virtual bool load(Reader& in) = 0;
  virtual void describe(DescribeFields::List& out) const = 0;
  // Sets the controller; after reset(). Parts that the model does not have are left out.
  virtual void set_controller(const ControllerSpec&) {}
  // Sets a parameter of the controller, from the next step on. False: it has none of that name.
  virtual bool set_parameter(const std::string&, const std::string&) { return false; }
  // All such settings, as text.
  virtual std::vector<std::pair<std::string, std::string>> parameters() const { return {}; }
  // Names of joints, actuators and sensors; null: none beside the model's own.
  virtual const Panel* panel() const { return nullptr; }
  // As the last step left them: the engine's sensors and accelerations are those with which it began. False: no panel.
  virtual bool read(PanelReadings&) const { return false; }
  // Views of the engine's arrays. False: no engine.
  virtual bool view(EngineView&) const { return false; }
  // Computes state, tail and saved bytes for these values, and changes nothing. False: they do not fit the model.
  virtual bool propose(const EngineValues&, State&, std::span<double>, Bytes&) const { return false; }
  // Sets one part, which the world's check has let pass, from the next step on.
  virtual void set_part(const SetPart&, Instant /*now*/) {}
  // In which of the model's keyframes reset() puts it, from now on; empty: the model's own start.
  virtual void start_from(const std::string& /*keyframe*/) {}
  // What it feels in the state of the boundary that `input` tells of: of that state alone, whatever led there. False: it
  // cannot tell.
  virtual bool feel(const PhysicsInput&, const State&, std::span<const double> /*tail*/, Feeling&) const {
    return false;
  }
  // What its bodies feel in that environment, in W, m/s^2. Nothing: it knows of none.
  virtual std::optional<Vec3> gravity(const Environment&) const { return {}; }
  // Ticks that ended in touch with a neighbour that no push of its moves, since it was made or reset.
  virtual std::uint64_t one_sided_ticks() const { return 0; }
  // Would load() take them?
  virtual bool accepts(ByteView saved) const = 0;
};

// How long one of its steps is in a tick of that length: of physics that makes its own steps, else the tick.
inline Duration physics_step(const Physics& physics, Duration tick) {
  const Panel* panel = physics.panel();
  return panel && panel->step > Duration(0) && panel->step < tick ? panel->step : tick;
}

}  // namespace convoy
