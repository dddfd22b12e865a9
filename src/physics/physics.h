// The motion of one agent's bodies through one tick: the thin interface behind which kinematic and MuJoCo robots stand.
//
// A Physics is a pure function of its own saved fields, the input and the state: it reads no clock, no map but the one
// given, no neighbour but those given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "physics/panel.h"
#include "world/model_files.h"
#include "world/setup.h"
#include "world/snapshot.h"
#include "world/static_map.h"
#include "world/traffic.h"

namespace convoy {

// A body rigidly attached to a robot's own: carried along, and solid.
struct Carried {
  WorldNumber number = kNoEntity;
  Pose X_BC;  // its pose in the frame of who carries it
  const Model* model = nullptr;
};

// Somebody within reach at boundary k, as the snapshot shows him.
struct Neighbour {
  WorldNumber number = kNoEntity;
  const State* state = nullptr;
  const Model* model = nullptr;
  std::span<const double> tail;        // world/model.h
  bool held = false;                   // it has no agent, and stays where it is
  bool attached = false;               // it is carried by somebody
  std::span<const Carried> carried{};  // by it, at any depth
};

struct PhysicsInput {
  Instant begin{};  // t_k
  Duration step{};  // length of the step, within the tick
  WorldNumber self = kNoEntity;
  Twist command;  // wanted body twist: v.x forward m/s, w.z counter-clockwise rad/s, in the body frame
  const StaticMap* map = nullptr;
  // The agent's own state at boundary k, as its neighbours see it, if the step is not the first one of the tick; else
  // null, and the state given to step() is that one.
  const State* at_boundary = nullptr;
  // All that may be touched in this tick, in world-number order (see neighbourhood()).
  std::span<const Neighbour> neighbours;
  std::span<const Carried> carried;  // by world number
  // New values of actuators, from the step's beginning on.
  std::span<const Control> controls;
  bool may_play = true;  // what its controller does by itself is obeyed
  // What the models of neighbours and of what is carried are made of; null: MuJoCo robots know of neither.
  const ModelFiles* files = nullptr;
  const Model* static_world = nullptr;  // a model of kWorldModel, or null
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
  // Why the bodies stand still from now on; empty: they do not. Said once, in the step in which it happened.
  std::string fault;
  // Why what they do is not as it would be in one agent with whom they touch; empty: it is. Said once.
  std::string advice;
};

class Physics {
 public:
  virtual ~Physics() = default;
  // Whose bounding circle does not come this near to the base at a boundary, m, cannot matter in a tick of that length
  // that begins there. The same for all of a model: what depends on the state, step() sorts out.
  virtual double neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const = 0;
  // Advances the state by input.step. `tail` holds the joint positions, then the joint velocities (world/model.h).
  virtual void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) = 0;
  // Puts the inner state back as at creation, at the given pose.
  virtual void reset(const State& state) = 0;
  // Somebody has put the base at a pose and given it a twist; what else there is inside may stay.
  virtual void put(const State& state) { reset(state); }
  // All inner state, canonical: what step() depends on besides its arguments.
  virtual void save(SaveFields& out) const = 0;
  virtual bool load(Reader& in) = 0;
  virtual void describe(DescribeFields::List& out) const = 0;
  // What stands between its controls and its motors from now on; after reset(). What the model lacks is left out.
  virtual void set_controller(const ControllerSpec&) {}
  // A setting of what stands between its controls and its motors, from the next step on. False: it has no such thing.
  virtual bool set_parameter(const std::string&, const std::string&) { return false; }
  // All such settings, as text.
  virtual std::vector<std::pair<std::string, std::string>> parameters() const { return {}; }
  // Its instruments; null: what its model and state say is all there is.
  virtual const Panel* panel() const { return nullptr; }
  // As the last step left them: the engine's sensors and accelerations are those with which it began. False: no panel.
  virtual bool read(PanelReadings&) const { return false; }
  // The same as the engine has it. False: it has none.
  virtual bool view(EngineView&) const { return false; }
  // What its state, tail and saved bytes would be with these values; nothing changes. False: they do not fit.
  virtual bool propose(const EngineValues&, State&, std::span<double>, Bytes&) const { return false; }
  // Ticks that ended in touch with a neighbour that no push of its moves, since it was made or reset.
  virtual std::uint64_t one_sided_ticks() const { return 0; }
  // Would load() take them?
  virtual bool accepts(ByteView saved) const = 0;
};

}  // namespace convoy
