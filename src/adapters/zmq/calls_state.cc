// Calls that read robots' states, and put robots elsewhere.
#include <algorithm>

#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"

namespace convoy::zmq {

using control::Put;
using control::RobotEntry;

namespace {

// Fields that are absent are null.
struct PutFields {
  const Json *qpos = nullptr, *qvel = nullptr, *keyframe = nullptr, *joints = nullptr, *mocaps = nullptr;
};

std::string shown(const std::string& name) { return "'" + name.substr(0, 140) + "'"; }

// Is it an orientation?
bool turns(const double* q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0; }

// How many numbers a joint has in qpos and qvel.
std::pair<std::size_t, std::size_t> sizes_of(Panel::Joint::Type type) {
  switch (type) {
    case Panel::Joint::Type::kFree: return {7, 6};
    case Panel::Joint::Type::kBall: return {4, 3};
    case Panel::Joint::Type::kSlide:
    case Panel::Joint::Type::kHinge: break;
  }
  return {1, 1};
}

// {"elbow": 0.5}, or with its velocity behind it {"elbow": [0.5, 0.1]}.
Checked<void> read_joints(const RobotEntry& robot, const Json& all, Put& out) {
  if (!all.is_object()) return refuse("bad_value", "joints is a map from joints");
  for (const auto& [name, value] : all.items()) {
    const auto& joints = robot.panel.all_joints;
    const auto joint = std::find_if(joints.begin(), joints.end(), [&, n = name](const auto& j) { return j.name == n; });
    if (joint == joints.end()) return refuse("bad_value", shown(robot.name) + " has no joint " + shown(name));
    const auto [nq, nv] = sizes_of(joint->type);
    const auto row = read_row(value.is_number() ? Json::array({value}) : value, "joint " + shown(name), {nq, nq + nv});
    if (!row) return tl::unexpected(row.error());
    for (std::size_t i = 0; i < nq; ++i) out.qpos_at.emplace_back(joint->qpos + i, (*row)[i]);
    for (std::size_t i = nq; i < row->size(); ++i) out.qvel_at.emplace_back(joint->qvel + i - nq, (*row)[i]);
    if (nq >= 4 && !turns((*row).data() + nq - 4))
      return refuse("bad_value", "the orientation of " + shown(name) + " is 0");
  }
  return {};
}

// {"hand": [x, y, z, qw, qx, qy, qz]}
Checked<void> read_mocaps(const RobotEntry& robot, const Json& all, Put& out) {
  if (!all.is_object()) return refuse("bad_value", "mocap is a map from mocap bodies");
  for (const auto& [name, value] : all.items()) {
    const auto& mocaps = robot.panel.mocaps;
    const auto found = std::find(mocaps.begin(), mocaps.end(), name);
    if (found == mocaps.end()) return refuse("bad_value", shown(robot.name) + " has no mocap body " + shown(name));
    const auto row = read_row(value, "mocap body " + shown(name), {7});
    if (!row) return tl::unexpected(row.error());
    const auto& v = *row;
    if (!turns(v.data() + 3)) return refuse("bad_value", "the orientation of " + shown(name) + " is 0");
    out.mocaps.emplace_back(static_cast<std::size_t>(found - mocaps.begin()),
                            Pose{{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}});
  }
  return {};
}

// All of a robot's numbers, or those of its free base.
Checked<Put> read_put(const RobotEntry& robot, const PutFields& fields) {
  Put out{.robot = robot.number};
  const Panel& p = robot.panel;
  if (fields.keyframe) {
    const std::string name = fields.keyframe->is_string() ? fields.keyframe->get<std::string>() : "";
    for (std::size_t i = 0; i < p.keyframes.size(); ++i)
      if (p.keyframes[i].name == name) out.keyframe = i;
    if (!out.keyframe)
      return refuse("unknown_keyframe", "'" + robot.name + "' has no keyframe '" + name.substr(0, 140) + "'");
  }
  const bool free = !p.all_joints.empty() && p.all_joints[0].type == Panel::Joint::Type::kFree;
  if (fields.qpos) {
    auto row = read_row(*fields.qpos, "qpos of '" + robot.name + "'", {p.nq, free ? 7 : p.nq});
    if (!row) return tl::unexpected(row.error());
    out.qpos = std::move(*row);
    if (free && !turns(out.qpos.data() + 3))
      return refuse("bad_value", "the orientation in qpos of '" + robot.name + "' is 0");
  }
  if (fields.qvel) {
    auto row = read_row(*fields.qvel, "qvel of '" + robot.name + "'", {p.nv, free ? 6 : p.nv});
    if (!row) return tl::unexpected(row.error());
    out.qvel = std::move(*row);
  }
  if (fields.joints)
    if (auto ok = read_joints(robot, *fields.joints, out); !ok) return tl::unexpected(ok.error());
  if (fields.mocaps)
    if (auto ok = read_mocaps(robot, *fields.mocaps, out); !ok) return tl::unexpected(ok.error());
  return out;
}

Checked<std::vector<Put>> read_resets(const Call& call) {
  const auto names = named(call, "articulations", For::kCommanding);
  if (!names) return tl::unexpected(names.error());
  const Json *qpos = field_of(call.request, "per_articulation_qpos"),
             *qvel = field_of(call.request, "per_articulation_qvel");
  for (const Json* map : {qpos, qvel}) {
    if (!map) continue;
    if (!map->is_object()) return refuse("bad_value", "per_articulation_qpos and _qvel are maps from names");
    for (const auto& [name, row] : map->items()) {
      const auto robot = find(call, name, For::kCommanding);
      if (!robot) return tl::unexpected(robot.error());
      if (std::find(names->begin(), names->end(), (*robot)->number) == names->end())
        return refuse("bad_value", "'" + name + "' is not among those to be reset");
    }
  }
  std::vector<Put> out;
  for (WorldNumber number : *names) {
    const RobotEntry* robot = call.control.roster().find(number);
    if (!robot) return tl::unexpected(gone());
    const auto own = [&](const Json* map) { return map ? field_of(*map, robot->name.c_str()) : nullptr; };
    auto put = read_put(*robot, {own(qpos), own(qvel), field_of(call.request, "keyframe_name")});
    if (!put) return tl::unexpected(put.error());
    out.push_back(std::move(*put));
  }
  return out;
}

}  // namespace

Checked<std::vector<Put>> read_reset_after(const Call& call) {
  std::vector<Put> out;
  const Json* all = field_of(call.request, "reset_after");
  if (!all) return out;
  if (!all->is_object()) return refuse("bad_value", "reset_after is a map from names");
  for (const auto& [name, wanted] : all->items()) {
    const auto robot = find(call, name, For::kCommanding);
    if (!robot) return tl::unexpected(robot.error());
    auto put =
        read_put(**robot, {field_of(wanted, "qpos"), field_of(wanted, "qvel"), field_of(wanted, "keyframe_name")});
    if (!put) return tl::unexpected(put.error());
    out.push_back(std::move(*put));
  }
  return out;
}

void reset(Call& call) {
  auto shown = read_shown(call);
  if (!shown) return call.reply.refuse(shown.error());
  auto puts = read_resets(call);
  if (!puts) return call.reply.refuse(puts.error());
  const bool world = field_of(call.request, "articulations") == nullptr;
  call.control.reset(call.fleet, {call.caller, world, std::move(*puts)}, observation(call, std::move(*shown)));
}

void get_state(Call& call) {
  const char* field = field_of(call.request, "articulation") ? "articulation" : "articulations";
  const auto names = named(call, field, For::kReading);
  if (!names) return call.reply.refuse(names.error());
  const auto shown = read_shown(call);
  if (!shown) return call.reply.refuse(shown.error());
  const HostPosition& position = call.control.position();
  control::Bodies& bodies = call.control.bodies();
  Json robots = Json::object();
  for (WorldNumber number : *names) {
    const RobotEntry* robot = call.control.roster().find(number);
    if (!robot) return call.reply.refuse(gone());
    Json one = shown->level == control::Level::kNone ? Json::object() : show(bodies, call.fleet, *robot, shown->level);
    one["state"] = Json::binary(bodies.save(call.fleet, *robot, position.tick));
    robots[robot->name] = std::move(one);
  }
  call.reply.ok({{"time", time_of(call.control, call.fleet)},
                 {"tick", position.tick},
                 {"run", position.run},
                 {"per_articulation", std::move(robots)}});
}

void set_state(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  if (!name || !name->is_string()) return call.reply.refuse({"missing_field", "set_state has an articulation"});
  const auto robot = find(call, name->get<std::string>(), For::kCommanding);
  if (!robot) return call.reply.refuse(robot.error());
  const Json *state = field_of(call.request, "state"), *qpos = field_of(call.request, "qpos"),
             *qvel = field_of(call.request, "qvel"), *joints = field_of(call.request, "joints"),
             *mocaps = field_of(call.request, "mocap");
  if (!state && !qpos && !qvel && !joints && !mocaps)
    return call.reply.refuse({"missing_field", "set_state has a state, or qpos, qvel, joints or mocap"});
  control::Done done = call.reply.once_reached([](const Reply& reply, const control::Reached& reached) {
    reply.ok({{"tick", reached.tick}});
  });
  if (!state) {
    const auto put = read_put(**robot, {qpos, qvel, nullptr, joints, mocaps});
    if (!put) return call.reply.refuse(put.error());
    return call.control.put(call.fleet, call.caller, *put, std::move(done));
  }
  const auto bytes = read_binary(*state);
  auto body = bytes ? call.control.bodies().load(call.fleet, **robot, *bytes) : std::nullopt;
  if (!body) return call.reply.refuse({"bad_value", "state is not what get_state gave of a robot of this model"});
  GatewayWish wish;
  wish.kind = GatewayWish::Kind::kEdit, wish.edit = std::move(*body);
  call.control.ask(call.fleet, call.caller, std::move(wish), std::move(done));
}

void list_keyframes(Call& call) {
  const Json* name = field_of(call.request, "articulation");
  if (!name || !name->is_string()) return call.reply.refuse({"missing_field", "list_keyframes has an articulation"});
  const auto robot = find(call, name->get<std::string>(), For::kReading);
  if (!robot) return call.reply.refuse(robot.error());
  Json keyframes = Json::array();
  for (const Panel::Keyframe& key : (*robot)->panel.keyframes)
    keyframes.push_back(
        {{"name", key.name}, {"time", key.time}, {"qpos", key.qpos}, {"qvel", key.qvel}, {"ctrl", key.ctrl}});
  call.reply.ok({{"keyframes", keyframes}});
}

}  // namespace convoy::zmq
