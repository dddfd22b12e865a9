// Commands of one channel that wait for the next tick: controls, twists, keys, gains, and whose commands count.
//
//   commands.set_controls(robot, controls);      // of one actuator the last value holds
//   commands.give(room, inputs);                 // as the tick begins, robot by robot in world-number order
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/gains.h"
#include "control/leases.h"
#include "control/roster.h"

namespace convoy::control {

class Commands {
 public:
  // `source`: as which the robots get them.
  explicit Commands(ControlSource source) : source_(source) {}

  // Forgets the commands to robots that have left, and those of who is no longer their holder.
  void follow(const Roster& roster, const Leases& leases);

  // The callers know that robot and actuators are there. A value that is NaN leaves its actuator as it is.
  void set_controls(WorldNumber robot, std::span<const Control> controls);
  void drive(WorldNumber robot, const Twist& v_B) { waiting_of(robot).twist = v_B; }
  // Keys that are held: a bit each.
  void set_actions(WorldNumber robot, std::uint32_t keys) { waiting_of(robot).actions = keys; }
  // Whose commands it obeys from now on.
  void set_source(WorldNumber robot, ControlSource ruler) { waiting_of(robot).ruler = ruler; }
  void change_sensor(WorldNumber robot, SetSensor change) { waiting_of(robot).sensors.push_back(std::move(change)); }
  // Lies over what waits; other gains stay as they are.
  void patch_gains(WorldNumber robot, std::vector<GainPatch> patches);
  // In place of all that waits; what is not named gets its defaults. Given whole or, without room, not yet.
  void replace_gains(WorldNumber robot, std::vector<GainPatch> patches);

  // The world has begun anew: what moves robots is forgotten.
  void forget_motion();

  // Appends at most `room` inputs, and takes them off it. How many commands found no room: they wait for the next tick.
  std::size_t give(std::size_t& room, std::vector<Input>& inputs);

 private:
  struct Waiting {
    std::vector<double> controls;  // by actuator; NaN: none
    bool any_control = false;
    std::optional<Twist> twist;
    std::optional<ControlSource> ruler;
    std::optional<std::uint32_t> actions;
    std::vector<GainPatch> gains;  // one an actuator
    bool defaults_first = false;   // replaces the gains
    std::vector<SetSensor> sensors;
    std::string holder;  // as whom it is commanded: who had leased it when it was
  };
  class Out;
  static bool give_gains(Waiting& waiting, Out& out);
  static bool give_controls(Waiting& waiting, Out& out);

  Waiting& waiting_of(WorldNumber robot);

  ControlSource source_;
  std::map<WorldNumber, std::string> holders_;
  std::map<WorldNumber, Waiting> waiting_;
  std::uint64_t version_ = 0;  // of the roster
};

}  // namespace convoy::control
