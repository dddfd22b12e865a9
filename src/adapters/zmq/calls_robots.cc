// Calls about robots: leases, commands, resets, states.
#include <cmath>
#include <cstring>

#include "adapters/zmq/calls.h"

namespace convoy::zmq {

namespace {

// Finite numbers, as many as they may be.
Checked<std::vector<double>> read_row(const Json& field, const std::string& what,
                                      std::initializer_list<std::size_t> sizes) {
  if (!field.is_array()) return refuse("bad_value", what + " is a list of numbers");
  if (std::find(sizes.begin(), sizes.end(), field.size()) == sizes.end())
    return refuse("dim_mismatch",
                  what + " has " + std::to_string(field.size()) + " numbers, not " + std::to_string(*sizes.begin()));
  std::vector<double> out;
  for (const Json& one : field) {
    if (!one.is_number() || !std::isfinite(one.get<double>()))
      return refuse("bad_value", what + " holds what is no number");
    out.push_back(one.get<double>());
  }
  return out;
}

const Json* field_of(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- names

std::vector<WorldNumber> Calls::robots_of(const Session* session) const {
  if (session && !session->leases.empty()) return session->leases;
  std::vector<WorldNumber> out;
  for (const Robots::Robot& robot : robots_.all()) out.push_back(robot.number);
  return out;
}

Checked<const Robots::Robot*> Calls::find(const Call& call, const std::string& name, bool to_command) const {
  const Robots::Robot* robot = robots_.find(name);
  if (!robot) {
    if (call.fleet.world().find(name) == kNoSlot)
      return refuse("unknown_articulation", "there is no robot '" + name.substr(0, 140) + "'");
    return refuse("wrong_host", "'" + name + "' lives at another client: hello lists their endpoints");
  }
  if (to_command && !may_command(robot->number, call.open.session))
    return refuse("leased", "another session has leased '" + name + "'");
  return robot;
}

// A list of names, or one; absent: those of the session.
Checked<std::vector<WorldNumber>> Calls::named(const Call& call, const char* field, bool to_command) const {
  const Json* list = field_of(call.request, field);
  if (!list) {
    for (WorldNumber number : robots_of(call.session))
      if (to_command && !may_command(number, call.open.session))
        return refuse("leased", "another session has leased some of these robots: lease or name those that you want");
    return robots_of(call.session);
  }
  const Json one = Json::array({*list});
  if (list->is_string()) list = &one;
  if (!list->is_array()) return refuse("bad_value", std::string(field) + " is a list of names");
  std::vector<WorldNumber> out;
  for (const Json& name : *list) {
    if (!name.is_string()) return refuse("bad_value", std::string(field) + " is a list of names");
    const auto robot = find(call, name.get<std::string>(), to_command);
    if (!robot) return tl::unexpected(robot.error());
    if (std::find(out.begin(), out.end(), (*robot)->number) != out.end())
      return refuse("bad_value", "'" + (*robot)->name + "' is named twice");
    out.push_back((*robot)->number);
  }
  return out;
}

// ------------------------------------------------------------------------------------------------------ leases

void Calls::lease(Call& call) {
  std::vector<WorldNumber> wanted;
  if (field_of(call.request, "articulations")) {
    auto names = named(call, "articulations", true);
    if (!names) return refuse_open(call.open, names.error());
    wanted = std::move(*names);
  } else {
    for (const Robots::Robot& robot : robots_.all()) {
      if (!may_command(robot.number, call.open.session))
        return refuse_open(call.open, {"leased", "another session has leased '" + robot.name + "'"});
      wanted.push_back(robot.number);
    }
  }
  Json names = Json::array(), layout = Json::array();
  std::vector<WorldNumber>& mine = call.session->leases;
  for (WorldNumber number : wanted) {
    owners_[number] = call.open.session;
    if (std::find(mine.begin(), mine.end(), number) == mine.end()) mine.push_back(number);
  }
  for (WorldNumber number : mine) {
    const Robots::Robot* robot = robots_.find(number);
    if (!robot) continue;
    const Panel& p = robot->panel;
    names.push_back(robot->name);
    layout.push_back({{"name", robot->name},
                      {"nq", p.nq},
                      {"nv", p.nv},
                      {"nu", p.actuators.size()},
                      {"na", p.na},
                      {"nsensordata", p.nsensordata}});
  }
  reply(call.open, {{"articulations", names}, {"layout", layout}});
}

void Calls::release(Call& call) {
  std::vector<WorldNumber>& mine = call.session->leases;
  std::vector<WorldNumber> given = mine;
  if (field_of(call.request, "articulations")) {
    const auto names = named(call, "articulations", false);
    if (!names) return refuse_open(call.open, names.error());
    given = *names;
  }
  Json names = Json::array();
  for (WorldNumber number : given) {
    const auto owner = owners_.find(number);
    if (owner == owners_.end() || owner->second != call.open.session) continue;
    owners_.erase(owner);
    std::erase(mine, number);
    if (const Robots::Robot* robot = robots_.find(number)) names.push_back(robot->name);
  }
  reply(call.open, {{"articulations", names}});
}

// ---------------------------------------------------------------------------------------------------- commands

// One bin of f64: all actuators of the session's robots, in their order.
Checked<std::vector<Calls::Command>> Calls::read_packed(const Call& call) const {
  const auto bytes = read_binary(*field_of(call.request, "ctrl"));
  if (!bytes) return refuse("bad_value", "ctrl is one field of bytes");
  std::vector<Command> out;
  std::size_t at = 0;
  for (WorldNumber number : robots_of(call.session)) {
    const Robots::Robot* robot = robots_.find(number);
    if (!robot) return refuse("unknown_articulation", "a robot of this session is no longer here");
    if (!may_command(number, call.open.session))
      return refuse("leased", "another session has leased '" + robot->name + "'");
    Command command{number, std::vector<double>(robot->controls.size(), kUntold)};
    const std::size_t size = command.controls.size() * sizeof(double);
    if (bytes->size() - at < size)
      return refuse("dim_mismatch", "ctrl has fewer numbers than these robots have actuators");
    if (size > 0) std::memcpy(command.controls.data(), bytes->data() + at, size);
    at += size;
    for (double value : command.controls)
      if (std::isinf(value)) return refuse("bad_value", "ctrl holds infinity");
    out.push_back(std::move(command));
  }
  if (at != bytes->size()) return refuse("dim_mismatch", "ctrl has more numbers than these robots have actuators");
  return out;
}

Checked<std::vector<Calls::Command>> Calls::read_commands(const Call& call) const {
  if (field_of(call.request, "ctrl")) return read_packed(call);
  std::vector<Command> out;
  const Json* all = field_of(call.request, "per_articulation");
  if (!all) return out;
  if (!all->is_object()) return refuse("bad_value", "per_articulation is a map from names");
  for (const auto& [name, wanted] : all->items()) {
    const auto robot = find(call, name, true);
    if (!robot) return tl::unexpected(robot.error());
    const auto& actuators = (*robot)->panel.actuators;
    Command command{(*robot)->number, std::vector<double>(actuators.size(), kUntold)};
    if (const Json* ctrl = field_of(wanted, "ctrl")) {
      auto row = read_row(*ctrl, "ctrl of '" + name + "'", {actuators.size()});
      if (!row) return tl::unexpected(row.error());
      command.controls = std::move(*row);
    }
    static const Json nothing = Json::object();
    const Json* some = field_of(wanted, "ctrl_map");
    if (!some) some = &nothing;
    if (!some->is_object()) return refuse("bad_value", "ctrl_map is a map from actuators");
    for (const auto& [actuator, value] : some->items()) {
      std::size_t i = 0;
      while (i < actuators.size() && actuators[i].name != actuator) ++i;
      if (i == actuators.size())
        return refuse("bad_value", "'" + name + "' has no actuator '" + actuator.substr(0, 140) + "'");
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        return refuse("bad_value", "a control is no number");
      command.controls[i] = value.get<double>();
    }
    out.push_back(std::move(command));
  }
  return out;
}

void Calls::set_twist(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  const Json *linear = field_of(call.request, "linear"), *angular = field_of(call.request, "angular");
  if (!name || !name->is_string() || !linear || !angular)
    return refuse_open(call.open, {"missing_field", "set_twist has articulation, linear[3] and angular[3]"});
  const auto robot = find(call, name->get<std::string>(), true);
  if (!robot) return refuse_open(call.open, robot.error());
  const auto v = read_row(*linear, "linear", {3}), w = read_row(*angular, "angular", {3});
  if (!v || !w) return refuse_open(call.open, v ? w.error() : v.error());
  if (!(*robot)->has_drive)
    return refuse_open(call.open, {"no_twist_controller", "'" + (*robot)->name + "' has no drive"});
  robots_.find((*robot)->number)->twist = Twist{{(*v)[0], (*v)[1], 0}, {0, 0, (*w)[2]}};
  reply(call.open, Json::object());
}

void Calls::set_actions(Call& call) {
  const Json *name = field_of(call.request, "articulation"), *keys = field_of(call.request, "actions");
  if (!name || !name->is_string() || !keys)
    return refuse_open(call.open, {"missing_field", "set_actions has articulation and actions"});
  const auto robot = find(call, name->get<std::string>(), true);
  if (!robot) return refuse_open(call.open, robot.error());
  if (!keys->is_number_unsigned() || keys->get<std::uint64_t>() > 0xffffffffu)
    return refuse_open(call.open, {"bad_value", "actions is a mask of 32 bits"});
  robots_.find((*robot)->number)->actions = keys->get<std::uint32_t>();
  reply(call.open, Json::object());
}

namespace {

Checked<GainPatch> read_patch(const Robots::Robot& robot, const std::string& actuator, const Json& gains) {
  const auto& all = robot.panel.actuators;
  const std::string shown = "'" + actuator.substr(0, 140) + "'";
  if (std::none_of(all.begin(), all.end(), [&](const Panel::Actuator& a) { return a.name == actuator; }))
    return refuse("bad_value", "'" + robot.name + "' has no actuator " + shown);
  GainPatch out{actuator, {}, {}, {}};
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

// All of it or nothing. What is asked again before the next tick lies over what was asked before.
void Calls::set_gains(Call& call) {
  const Json *name = field_of(call.request, "articulation"), *all = field_of(call.request, "gains");
  if (!name || !name->is_string() || !all)
    return refuse_open(call.open, {"missing_field", "set_gains has articulation and gains"});
  const auto found = find(call, name->get<std::string>(), true);
  if (!found) return refuse_open(call.open, found.error());
  if (!all->is_object()) return refuse_open(call.open, {"bad_value", "gains is a map from actuators"});
  std::vector<GainPatch> patches;
  for (const auto& [actuator, gains] : all->items()) {
    auto patch = read_patch(**found, actuator, gains);
    if (!patch) return refuse_open(call.open, patch.error());
    patches.push_back(std::move(*patch));
  }
  std::vector<GainPatch>& waiting = robots_.find((*found)->number)->gains;
  for (GainPatch& patch : patches) {
    const auto same =
        std::find_if(waiting.begin(), waiting.end(), [&](const GainPatch& p) { return p.actuator == patch.actuator; });
    if (same == waiting.end()) {
      waiting.push_back(std::move(patch));
      continue;
    }
    if (patch.kp) same->kp = patch.kp;
    if (patch.kv) same->kv = patch.kv;
    if (patch.torque_limit) same->torque_limit = patch.torque_limit;
  }
  reply(call.open, Json::object());
}

// Of one robot, or of all that the caller may command. URLab's dashboard is "ui".
void Calls::set_control_source(Call& call) {
  const Json *wanted = field_of(call.request, "source"), *name = field_of(call.request, "articulation");
  if (!wanted || !wanted->is_string())
    return refuse_open(call.open, {"missing_field", "set_control_source has source: zmq, ui, ros2, nodes or any"});
  const std::string text = wanted->get<std::string>();
  const auto source = text == "ui" ? Source::kDashboard : source_of(text);
  if (!source) return refuse_open(call.open, {"bad_value", "source is zmq, ui, ros2, nodes or any"});
  if (name) {
    if (!name->is_string()) return refuse_open(call.open, {"bad_value", "articulation is a robot's name"});
    const auto robot = find(call, name->get<std::string>(), true);
    if (!robot) return refuse_open(call.open, robot.error());
    robots_.find((*robot)->number)->source = *source;
  } else {
    for (const Robots::Robot& robot : robots_.all())
      if (may_command(robot.number, call.open.session)) robots_.find(robot.number)->source = *source;
  }
  Json said{{"source", text}};
  if (name) said["articulation"] = *name;
  reply(call.open, std::move(said));
}

// ------------------------------------------------------------------------------------------------------ resets

Checked<Calls::Put> Calls::read_put(const Call& call, const Robots::Robot& robot, const Json* qpos, const Json* qvel,
                                    const Json* keyframe) const {
  Put out{robot.number, {}, -1};
  const Panel& p = robot.panel;
  if (keyframe) {
    const std::string name = keyframe->is_string() ? keyframe->get<std::string>() : "";
    for (std::size_t i = 0; i < p.keyframes.size(); ++i)
      if (p.keyframes[i].name == name) out.keyframe = static_cast<int>(i);
    if (out.keyframe < 0)
      return refuse("unknown_keyframe", "'" + robot.name + "' has no keyframe '" + name.substr(0, 140) + "'");
  }
  const bool free = !p.all_joints.empty() && p.all_joints[0].type == Panel::Joint::Type::kFree;
  if (qpos) {
    auto row = free ? read_row(*qpos, "qpos of '" + robot.name + "'", {p.nq, 7})
                    : read_row(*qpos, "qpos of '" + robot.name + "'", {p.nq});
    if (!row) return tl::unexpected(row.error());
    out.values.qpos = std::move(*row);
    const double* q = out.values.qpos.data() + 3;
    if (free && !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0))
      return refuse("bad_value", "the orientation in qpos of '" + robot.name + "' is 0");
  }
  if (qvel) {
    auto row = free ? read_row(*qvel, "qvel of '" + robot.name + "'", {p.nv, 6})
                    : read_row(*qvel, "qvel of '" + robot.name + "'", {p.nv});
    if (!row) return tl::unexpected(row.error());
    out.values.qvel = std::move(*row);
  }
  (void)call;
  return out;
}

Checked<std::vector<Calls::Put>> Calls::read_resets(const Call& call) const {
  const auto names = named(call, "articulations", true);
  if (!names) return tl::unexpected(names.error());
  const Json *qpos = field_of(call.request, "per_articulation_qpos"),
             *qvel = field_of(call.request, "per_articulation_qvel");
  const Json* keyframe = field_of(call.request, "keyframe_name");
  for (const Json* map : {qpos, qvel}) {
    if (!map) continue;
    if (!map->is_object()) return refuse("bad_value", "per_articulation_qpos and _qvel are maps from names");
    for (const auto& [name, row] : map->items()) {
      const auto robot = find(call, name, true);
      if (!robot) return tl::unexpected(robot.error());
      if (std::find(names->begin(), names->end(), (*robot)->number) == names->end())
        return refuse("bad_value", "'" + name + "' is not among those to be reset");
    }
  }
  std::vector<Put> out;
  for (WorldNumber number : *names) {
    const Robots::Robot* robot = robots_.find(number);
    if (!robot) return refuse("unknown_articulation", "a robot of this session is no longer here");
    const auto own = [&](const Json* map) { return map ? field_of(*map, robot->name.c_str()) : nullptr; };
    auto put = read_put(call, *robot, own(qpos), own(qvel), keyframe);
    if (!put) return tl::unexpected(put.error());
    out.push_back(std::move(*put));
  }
  return out;
}

Checked<std::vector<Calls::Put>> Calls::read_reset_after(const Call& call) const {
  std::vector<Put> out;
  const Json* all = field_of(call.request, "reset_after");
  if (!all) return out;
  if (!all->is_object()) return refuse("bad_value", "reset_after is a map from names");
  for (const auto& [name, wanted] : all->items()) {
    const auto robot = find(call, name, true);
    if (!robot) return tl::unexpected(robot.error());
    auto put =
        read_put(call, **robot, field_of(wanted, "qpos"), field_of(wanted, "qvel"), field_of(wanted, "keyframe_name"));
    if (!put) return tl::unexpected(put.error());
    out.push_back(std::move(*put));
  }
  return out;
}

// Puts robots to their beginning, and from there where they are wanted.
void Calls::put_back(Open& open, const Reset& reset, std::vector<Put> puts, Open::Then then) {
  ask(open, {0, GatewayWish::Kind::kEdit, reset, 0, {}});
  open.then = [this, puts = std::move(puts), then = std::move(then)](const Fleet& fleet, Open& reached) {
    put_them(fleet, reached, puts);
    reached.then = then;
  };
}

void Calls::put_them(const Fleet& fleet, Open& open, const std::vector<Put>& puts) {
  for (const Put& put : puts) {
    const Robots::Robot* robot = robots_.find(put.number);
    if (!robot) {
      open.refused = Refusal{"unknown_articulation", "a robot has gone meanwhile"};
      continue;
    }
    EngineValues values =
        put.keyframe < 0 ? put.values : robots_.keyframe(fleet, *robot, static_cast<std::size_t>(put.keyframe));
    const auto lay = [&](const std::vector<double>& wanted, std::span<const double> present, std::vector<double>& to) {
      if (wanted.empty()) return;
      if (to.empty()) to.assign(present.begin(), present.end());
      std::copy(wanted.begin(), wanted.end(), to.begin());  // all of it, or the free base
    };
    const EngineView now = robots_.view(fleet, *robot);
    if (put.keyframe < 0) values = {};
    lay(put.values.qpos, now.qpos, values.qpos), lay(put.values.qvel, now.qvel, values.qvel);
    if (values.qpos.empty() && values.qvel.empty()) continue;
    auto body = robots_.propose(fleet, *robot, values, stands_.tick);
    if (body) ask(open, {0, GatewayWish::Kind::kEdit, std::move(*body), 0, {}});
    else open.refused = Refusal{"bad_value", "'" + robot->name + "' cannot be put there"};
  }
}

void Calls::reset(Call& call) {
  auto shown = read_shown(call);
  if (!shown) return refuse_open(call.open, shown.error());
  auto puts = read_resets(call);
  if (!puts) return refuse_open(call.open, puts.error());
  Reset reset;  // of all, unless some are named
  const bool whole = field_of(call.request, "articulations") == nullptr;
  if (!whole && puts->empty()) return show(call.fleet, call.open, *shown);
  if (!whole)
    for (const Put& put : *puts) reset.entities.push_back(put.number);
  if (whole)
    for (const auto& [number, id] : owners_)
      if (id != call.open.session)
        return refuse_open(call.open,
                           {"leased", "other sessions have leased robots: name those that you want to reset"});
  put_back(call.open, reset, std::move(*puts),
           [this, shown = std::move(*shown)](const Fleet& fleet, Open& open) { show(fleet, open, shown); });
}

// ------------------------------------------------------------------------------------------------------ states

void Calls::get_state(Call& call) {
  const char* field = field_of(call.request, "articulation") ? "articulation" : "articulations";
  const auto names = named(call, field, false);
  if (!names) return refuse_open(call.open, names.error());
  const auto shown = read_shown(call);
  if (!shown) return refuse_open(call.open, shown.error());
  Json robots = Json::object();
  for (WorldNumber number : *names) {
    const Robots::Robot* robot = robots_.find(number);
    if (!robot) return refuse_open(call.open, {"unknown_articulation", "a robot of this session is no longer here"});
    Json one = shown->level == Level::kNone ? Json::object() : robots_.show(call.fleet, *robot, shown->level);
    one["state"] = Json::binary(robots_.state(call.fleet, *robot, stands_.tick));
    robots[robot->name] = std::move(one);
  }
  reply(call.open, {{"time", seconds(instant(stands_.tick * nanos(call.fleet.tick())))},
                    {"tick", stands_.tick},
                    {"run", stands_.run},
                    {"per_articulation", std::move(robots)}});
}

void Calls::set_state(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  if (!name || !name->is_string()) return refuse_open(call.open, {"missing_field", "set_state has an articulation"});
  const auto robot = find(call, name->get<std::string>(), true);
  if (!robot) return refuse_open(call.open, robot.error());
  const Json *state = field_of(call.request, "state"), *qpos = field_of(call.request, "qpos"),
             *qvel = field_of(call.request, "qvel");
  if (!state && !qpos && !qvel)
    return refuse_open(call.open, {"missing_field", "set_state has a state, or qpos, or qvel"});
  if (state) {
    const auto bytes = read_binary(*state);
    auto body = bytes ? robots_.read_state(call.fleet, **robot, *bytes) : std::nullopt;
    if (!body)
      return refuse_open(call.open, {"bad_value", "state is not what get_state gave of a robot of this model"});
    ask(call.open, {0, GatewayWish::Kind::kEdit, std::move(*body), 0, {}});
  } else {
    auto put = read_put(call, **robot, qpos, qvel, nullptr);
    if (!put) return refuse_open(call.open, put.error());
    put_them(call.fleet, call.open, {std::move(*put)});
    if (call.open.refused) return refuse_open(call.open, *call.open.refused);
  }
  call.open.then = [this](const Fleet&, Open& open) { reply(open, {{"tick", open.tick}}); };
}

void Calls::list_keyframes(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  if (!name || !name->is_string())
    return refuse_open(call.open, {"missing_field", "list_keyframes has an articulation"});
  const auto robot = find(call, name->get<std::string>(), false);
  if (!robot) return refuse_open(call.open, robot.error());
  Json keyframes = Json::array();
  for (const Panel::Keyframe& key : (*robot)->panel.keyframes)
    keyframes.push_back(
        {{"name", key.name}, {"time", key.time}, {"qpos", key.qpos}, {"qvel", key.qvel}, {"ctrl", key.ctrl}});
  reply(call.open, {{"keyframes", keyframes}});
}

}  // namespace convoy::zmq
