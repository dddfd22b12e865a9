// Calls that command robots: inputs of the tick that comes next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roles/call.h"
#include "roles/control_source.h"

namespace convoy {

namespace {

// By its name in the robot's model.
Result<std::uint32_t> actuator_of(const Call& call, Slot robot, const std::string& name) {
  const std::vector<std::string>& known = call.world().model_of(robot).actuators;
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::uint32_t>(found - known.begin());
  const std::string near = nearest_name(name, known);
  return fail(ErrorCode::kNotFound, "'" + call.world().entity(robot).name + "' has no actuator '" +
                                        name.substr(0, 140) + "'" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace

void drive(const Call& call) {
  const proto::Drive& drive = call.request.drive();
  const Slot slot = call.entity(drive.name());
  if (slot == kNoSlot) return;
  if (!std::isfinite(drive.forward()) || !std::isfinite(drive.turn()))
    return call.refuse(ErrorCode::kInvalid, "the twist holds NaN or infinity");
  if (!(drive.timeout() >= 0 && drive.timeout() <= 3600))
    return call.refuse(ErrorCode::kInvalid, "the timeout lies between 0 and 3600 s");
  if (call.world().model_of(slot).drive == Drive::kNone)
    return call.refuse(ErrorCode::kUnsupported, "'" + drive.name() + "' has no drive");
  DriveCommand command{call.world().entity(slot).number, {}, {}};
  command.twist.v.x = drive.forward();
  command.twist.w.z = drive.turn();
  command.timeout = Duration(static_cast<std::int64_t>(drive.timeout() * 1e9));
  command.source = ControlSource::kDashboard, command.holder = call.request.holder();
  if (auto ok = call.run.submit(command); !ok) return call.refuse(ok.error());
  proto::Reply reply;  // a tick in progress has its inputs already
  reply.set_tick(call.run.next_tick());
  call.say(std::move(reply));
}

void set_controls(const Call& call) {
  const proto::SetControls& set = call.request.set_controls();
  const Slot slot = call.entity(set.name());
  if (slot == kNoSlot) return;
  if (set.actuators_size() != set.values_size() || set.actuators().empty() ||
      set.actuators_size() > static_cast<int>(kMaxControls))
    return call.refuse(ErrorCode::kInvalid, "controls are 1 to 10000 actuators with a value each");
  SetControls input{call.world().entity(slot).number, {}, ControlSource::kDashboard, call.request.holder()};
  for (int i = 0; i < set.actuators_size(); ++i) {
    const auto actuator = actuator_of(call, slot, set.actuators(i));
    if (!actuator) return call.refuse(actuator.error());
    if (!std::isfinite(set.values(i))) return call.refuse(ErrorCode::kInvalid, "a control is NaN or infinity");
    input.controls.push_back({*actuator, set.values(i)});
  }
  if (auto ok = call.run.submit(std::move(input)); !ok) return call.refuse(ok.error());
  proto::Reply reply;
  reply.set_tick(call.run.next_tick());
  call.say(std::move(reply));
}

void set_actions(const Call& call) {
  const proto::SetActions& set = call.request.set_actions();
  const Slot slot = call.entity(set.name());
  if (slot == kNoSlot) return;
  SetParameter input{call.world().entity(slot).number, kControllerNode,           "actions",
                     std::to_string(set.mask()),       ControlSource::kDashboard, call.request.holder()};
  if (auto ok = call.run.submit(std::move(input)); !ok) return call.refuse(ok.error());
  proto::Reply reply;
  reply.set_tick(call.run.next_tick());
  call.say(std::move(reply));
}

// As inputs, like those of doors inside hosts (control/commands): PD first, then each gain.
void set_gains(const Call& call) {
  const proto::SetGains& wanted = call.request.set_gains();
  const Slot slot = call.entity(wanted.name());
  if (slot == kNoSlot) return;
  const auto input = [&](std::string name, std::string value) {
    return SetParameter{call.world().entity(slot).number, kControllerNode,      std::move(name), std::move(value),
                        ControlSource::kDashboard,        call.request.holder()};
  };
  std::vector<SetParameter> inputs{input("mode", "pd")};
  if (wanted.gains().empty()) return call.refuse(ErrorCode::kInvalid, "no gains are given");
  for (const proto::Gain& gain : wanted.gains()) {
    if (const auto actuator = actuator_of(call, slot, gain.actuator()); !actuator) return call.refuse(actuator.error());
    const std::pair<const char*, std::optional<double>> all[] = {
        {".kp", gain.has_kp() ? std::optional(gain.kp()) : std::nullopt},
        {".kv", gain.has_kv() ? std::optional(gain.kv()) : std::nullopt},
        {".torque_limit", gain.has_torque_limit() ? std::optional(gain.torque_limit()) : std::nullopt}};
    for (const auto& [which, value] : all) {
      if (!value) continue;
      if (!(std::isfinite(*value) && *value >= 0))
        return call.refuse(ErrorCode::kInvalid, "a gain is negative, NaN or infinity");
      inputs.push_back(input(gain.actuator() + which, fmt::format("{}", *value)));
    }
  }
  for (SetParameter& one : inputs)
    if (auto ok = call.run.submit(std::move(one)); !ok) return call.refuse(ok.error());
  proto::Reply reply;
  reply.set_tick(call.run.next_tick());
  call.say(std::move(reply));
}

// Of all robots those that a host runs.
void set_source(const Call& call) {
  const proto::ControlSource& wanted = call.request.control_source();
  std::vector<WorldNumber> robots;
  for (const std::string& name : wanted.names()) {
    const Slot slot = call.entity(name);
    if (slot == kNoSlot) return;
    if (call.world().entity(slot).owner == kNobody)
      return call.refuse(ErrorCode::kUnavailable, "nobody runs '" + name + "'");
    robots.push_back(call.world().entity(slot).number);
  }
  if (wanted.names().empty())
    for (const Entity& e : call.world().entities())
      if (e.owner != kNobody) robots.push_back(e.number);
  control_source(wanted, robots, call.request.holder(), call.run, call.now, call.answer);
}

}  // namespace convoy
