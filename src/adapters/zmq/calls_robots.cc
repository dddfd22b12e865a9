// Calls that command robots.
#include <cmath>
#include <cstring>

#include "adapters/zmq/operations.h"

namespace convoy::zmq {

using control::RobotControls;
using control::RobotEntry;

namespace {

// One bin of f64: all actuators of the caller's robots, in their order. NaN leaves one as it is.
Checked<std::vector<RobotControls>> read_packed(const Call& call) {
  const auto bytes = read_binary(*field_of(call.request, "ctrl"));
  if (!bytes) return refuse("bad_value", "ctrl is one field of bytes");
  std::vector<RobotControls> out;
  std::size_t at = 0;
  for (WorldNumber number : robots_of(call)) {
    const RobotEntry* robot = call.control.roster().find(number);
    if (!robot) return tl::unexpected(gone());
    if (const auto ok = call.control.leases().check(*robot, call.caller); !ok)
      return tl::unexpected(in_words(ok.error()));
    RobotControls one{number, std::vector<Control>(robot->panel.actuators.size())};
    if ((bytes->size() - at) / sizeof(double) < one.controls.size())
      return refuse("dim_mismatch", "ctrl has fewer numbers than these robots have actuators");
    for (std::size_t i = 0; i < one.controls.size(); ++i, at += sizeof(double)) {
      one.controls[i].actuator = static_cast<std::uint32_t>(i);
      std::memcpy(&one.controls[i].value, bytes->data() + at, sizeof(double));
    }
    for (const Control& control : one.controls)
      if (std::isinf(control.value)) return refuse("bad_value", "ctrl holds infinity");
    out.push_back(std::move(one));
  }
  if (at != bytes->size()) return refuse("dim_mismatch", "ctrl has more numbers than these robots have actuators");
  return out;
}

// What a request commands one robot: all of its actuators, or some by name, which lie over those.
Checked<RobotControls> read_controls_of(const RobotEntry& robot, const std::string& name, const Json& wanted) {
  const auto& actuators = robot.panel.actuators;
  RobotControls out{robot.number, {}};
  if (const Json* ctrl = field_of(wanted, "ctrl")) {
    const auto row = read_row(*ctrl, "ctrl of '" + name + "'", {actuators.size()});
    if (!row) return tl::unexpected(row.error());
    for (double value : *row) out.controls.push_back({static_cast<std::uint32_t>(out.controls.size()), value});
  }
  const Json* some = field_of(wanted, "ctrl_map");
  if (!some) return out;
  if (!some->is_object()) return refuse("bad_value", "ctrl_map is a map from actuators");
  for (const auto& [actuator, value] : some->items()) {
    std::size_t i = 0;
    while (i < actuators.size() && actuators[i].name != actuator) ++i;
    if (i == actuators.size())
      return refuse("bad_value", "'" + name + "' has no actuator '" + actuator.substr(0, 140) + "'");
    if (!value.is_number() || !std::isfinite(value.get<double>())) return refuse("bad_value", "a control is no number");
    out.controls.push_back({static_cast<std::uint32_t>(i), value.get<double>()});
  }
  return out;
}

Checked<control::GainPatch> read_patch(const std::string& actuator, const Json& gains) {
  const std::string shown = "'" + actuator.substr(0, 140) + "'";
  control::GainPatch out{actuator, {}, {}, {}};
  if (!gains.is_object() || gains.empty())
    return refuse("bad_value", "gains of " + shown + " are some of kp, kv and torque_limit");
  for (const auto& [name, value] : gains.items()) {
    std::optional<double>* to = name == "kp"             ? &out.kp
                                : name == "kv"           ? &out.kv
                                : name == "torque_limit" ? &out.torque_limit
                                                         : nullptr;
    if (!to) return refuse("bad_value", "gains of " + shown + " are some of kp, kv and torque_limit");
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
      return refuse("bad_value", name + " of " + shown + " is a number not below 0");
    *to = value.get<double>();
  }
  return out;
}

}  // namespace

Checked<std::vector<RobotControls>> read_controls(const Call& call) {
  if (field_of(call.request, "ctrl")) return read_packed(call);
  std::vector<RobotControls> out;
  const Json* all = field_of(call.request, "per_articulation");
  if (!all) return out;
  if (!all->is_object()) return refuse("bad_value", "per_articulation is a map from names");
  for (const auto& [name, wanted] : all->items()) {
    const auto robot = find(call, name, For::kCommanding);
    if (!robot) return tl::unexpected(robot.error());
    auto one = read_controls_of(**robot, name, wanted);
    if (!one) return tl::unexpected(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

void set_twist(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  const Json *linear = field_of(call.request, "linear"), *angular = field_of(call.request, "angular");
  if (!name || !name->is_string() || !linear || !angular)
    return call.reply.refuse({"missing_field", "set_twist has articulation, linear[3] and angular[3]"});
  const auto robot = find(call, name->get<std::string>(), For::kCommanding);
  if (!robot) return call.reply.refuse(robot.error());
  const auto v = read_row(*linear, "linear", {3}), w = read_row(*angular, "angular", {3});
  if (!v || !w) return call.reply.refuse(v ? w.error() : v.error());
  if (!(*robot)->has_drive) return call.reply.refuse({"no_twist_controller", "'" + (*robot)->name + "' has no drive"});
  call.control.commands().drive((*robot)->number, Twist{{(*v)[0], (*v)[1], 0}, {0, 0, (*w)[2]}});
  call.reply.ok(Json::object());
}

void set_actions(Call& call) {
  const Json *name = field_of(call.request, "articulation"), *keys = field_of(call.request, "actions");
  if (!name || !name->is_string() || !keys)
    return call.reply.refuse({"missing_field", "set_actions has articulation and actions"});
  const auto robot = find(call, name->get<std::string>(), For::kCommanding);
  if (!robot) return call.reply.refuse(robot.error());
  if (!keys->is_number_unsigned() || keys->get<std::uint64_t>() > 0xffffffffu)
    return call.reply.refuse({"bad_value", "actions is a mask of 32 bits"});
  call.control.commands().set_actions((*robot)->number, keys->get<std::uint32_t>());
  call.reply.ok(Json::object());
}

// All of it or nothing. What is asked again before the next tick lies over what was asked before.
void set_gains(Call& call) {
  const Json *name = field_of(call.request, "articulation"), *all = field_of(call.request, "gains");
  if (!name || !name->is_string() || !all)
    return call.reply.refuse({"missing_field", "set_gains has articulation and gains"});
  const auto robot = find(call, name->get<std::string>(), For::kCommanding);
  if (!robot) return call.reply.refuse(robot.error());
  if (!all->is_object()) return call.reply.refuse({"bad_value", "gains is a map from actuators or joints"});
  std::vector<control::GainPatch> patches;
  for (const auto& [actuator, gains] : all->items()) {
    auto patch = read_patch(actuator, gains);
    if (!patch) return call.reply.refuse(patch.error());
    patches.push_back(std::move(*patch));
  }
  control::Resolved resolved = control::resolve(**robot, patches);
  if (!resolved.unknown.empty())
    return call.reply.refuse({"bad_value", "'" + (*robot)->name + "' has no actuator '" +
                                               resolved.unknown.front().substr(0, 140) +
                                               "', nor a joint that one drives"});
  call.control.commands().patch_gains((*robot)->number, std::move(resolved.patches));
  call.reply.ok(Json::object());
}

// Of one robot, or of all that the caller may command. URLab's dashboard is "ui".
void set_control_source(Call& call) {
  const Json *wanted = field_of(call.request, "source"), *name = field_of(call.request, "articulation");
  if (!wanted || !wanted->is_string())
    return call.reply.refuse({"missing_field", "set_control_source has source: zmq, ui, ros2, nodes or any"});
  const std::string text = wanted->get<std::string>();
  const auto source = text == "ui" ? ControlSource::kDashboard : control_source_of(text);
  if (!source) return call.reply.refuse({"bad_value", "source is zmq, ui, ros2, nodes or any"});
  if (name) {
    if (!name->is_string()) return call.reply.refuse({"bad_value", "articulation is a robot's name"});
    const auto robot = find(call, name->get<std::string>(), For::kCommanding);
    if (!robot) return call.reply.refuse(robot.error());
    call.control.commands().set_source((*robot)->number, *source);
  } else {
    for (const RobotEntry& robot : call.control.roster().all())
      if (call.control.leases().may_command(robot.number, call.caller))
        call.control.commands().set_source(robot.number, *source);
  }
  Json fields_set{{"source", text}};
  if (name) fields_set["articulation"] = *name;
  call.reply.ok(fields_set);
}

}  // namespace convoy::zmq
