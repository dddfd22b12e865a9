// A robot's controller: passes controls on or turns them into torques by PD, plays poses while no source commands the
// robot, and stops actuators whose controls are too old.
//
//   torque = kp (target - q) - kv dq/dt, not beyond +-torque_limit; in each physics step
//
// Only motors of hinges and slides have PD (actuators without a feedback of their own); controls of others pass as they
// are. Targets are kept within the joint's limits. The gains' defaults are URLab's.
//
// A control from outside ends the playing. After `silence` without any, the actuators that had got one stop: motors and
// velocity servos go to 0; position servos and PD keep their target.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "core/fields.h"
#include "physics/mujoco/player.h"
#include "world/controller_spec.h"
#include "world/traffic.h"

namespace convoy::mujoco {

struct Gains {
  double kp = 100, kv = 5, torque_limit = 200;
  friend bool operator==(const Gains&, const Gains&) = default;
};
template <class V, MaybeConst<Gains> T>
void fields(V& v, T& g) {
  v("kp", g.kp), v("kv", g.kv), v("torque_limit", g.torque_limit);
}

// The controller's state; the plan of poses is not part of it.
struct Controller {
  bool pd = false;
  Gains defaults;
  // By actuator; empty until it is switched on.
  std::vector<Gains> gains;
  std::vector<double> targets;
  Duration silence{0};                   // 0: controls hold
  std::vector<std::uint32_t> commanded;  // ascending: actuators that got a control since the last silence
  Instant commanded_at{};                // the last time
  bool playing = false;
  Duration played{0};        // since the start delay was over
  std::vector<double> from;  // by actuator, when it began; empty until then
  friend bool operator==(const Controller&, const Controller&) = default;
};
template <class V, MaybeConst<Controller> T>
void fields(V& v, T& c) {
  v("pd", c.pd), v("defaults", c.defaults), v("gains", c.gains), v("targets", c.targets), v("silence", c.silence);
  v("commanded", c.commanded), v("commanded_at", c.commanded_at), v("playing", c.playing), v("played", c.played);
  v("from", c.from);
}
// Checks loaded bytes: do the sizes and numbers fit the model?
bool is_sound(const Controller& c, const mjModel* m);

// The joint that this motor turns or pushes, or -1: it is none.
int motor_joint(const mjModel* m, int actuator);

// Does the model have what the specification names? kNotFound names what it lacks.
Status check(const ControllerSpec& spec, const mjModel* m);
// From a state in which the robot begins. What the model does not have is left out.
Controller make_controller(const ControllerSpec& spec, const mjModel* m, const mjData* d, Plan& plan);

// "mode" is raw, passthrough or pd (which holds the joints where they are); "gains" is default; "kp", "kv",
// "torque_limit" of all and "<actuator>.kp" and so on are numbers not below 0, with pd alone; "silence" is hold or a
// number of seconds; "playing" is true (from the beginning) or false. False: it is something else, and nothing changed.
bool set_parameter(Controller& c, const Plan& plan, const mjModel* m, const mjData* d, const std::string& name,
                   const std::string& value);
std::vector<std::pair<std::string, std::string>> parameters(const Controller& c, const Plan& plan, const mjModel* m);

enum class Taken : std::uint8_t { kRefused, kTarget, kControl };
// kRefused: it is no number, or of no actuator. kControl: it is for the actuator itself.
Taken take_control(Controller& c, const mjModel* m, mjData* d, const Control& control, Instant now);
// Call in a tick without controls: stops the actuators if the last control is older than the silence.
void let_lapse(Controller& c, const mjModel* m, mjData* d, Instant now);
// Before each step.
void play(Controller& c, const Plan& plan, const mjModel* m, mjData* d, Duration step);
void apply(const Controller& c, const mjModel* m, mjData* d);

}  // namespace convoy::mujoco
