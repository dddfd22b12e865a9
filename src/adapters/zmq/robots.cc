#include "adapters/zmq/robots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace convoy::zmq {

namespace {

constexpr std::uint32_t kStateMark = 0x31425643;  // "CVB1"

// What get_state gives as bytes.
struct Kept {
  std::uint32_t mark = 0;
  std::string model;
  PutBody body;
};
template <class V>
void fields(V& v, Kept& k) {
  v("mark", k.mark), v("model", k.model), v("body", k.body);
}

// A robot without an engine counts its base as a free joint, then its own joints.
Panel kinematic_panel(const Model& model, Duration tick) {
  Panel out;
  const bool free = model.drive != Drive::kNone || model.joints.empty();
  using Type = Panel::Joint::Type;
  if (free) out.all_joints.push_back({"base", 0, Type::kFree, 0, 0, 0, 0, false}), out.nq = 7, out.nv = 6;
  for (const std::string& name : model.joints)
    out.all_joints.push_back(
        {name, static_cast<std::int32_t>(out.all_joints.size()), Type::kHinge, out.nq++, out.nv++, 0, 0, false});
  out.step = tick;
  return out;
}

const char* name_of(Panel::Joint::Type type) {
  switch (type) {
    case Panel::Joint::Type::kFree: return "free";
    case Panel::Joint::Type::kBall: return "ball";
    case Panel::Joint::Type::kSlide: return "slide";
    case Panel::Joint::Type::kHinge: return "hinge";
  }
  return "";
}

Json list(std::span<const double> values) {
  Json out = Json::array();
  for (double value : values) out.push_back(value);
  return out;
}

Quat unit(const Quat& q) {
  const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}
Pose pose_at(const double* p) { return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}}; }
void put(double* to, const Pose& X) {
  const double all[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
  std::copy(std::begin(all), std::end(all), to);
}
void put(double* to, const Vec3& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
Vec3 vec(const double* p) { return {p[0], p[1], p[2]}; }

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

void Robots::follow(const Fleet& fleet) {
  const auto& agents = fleet.all();
  if (are_agents_of(fleet, robots_)) return;
  std::vector<Robot> before = std::move(robots_);
  robots_.clear(), by_name_.clear();
  for (const auto& agent : agents) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const Robot& r) { return r.number == agent->number(); });
    if (known != before.end()) {
      robots_.push_back(std::move(*known));
    } else {
      Robot made;
      const Panel* panel = agent->physics().panel();
      made.number = agent->number(), made.from_engine = panel != nullptr;
      made.name = fleet.world().entity(fleet.world().slot_of(made.number)).name, made.model = agent->model().name;
      made.has_drive = agent->model().drive != Drive::kNone;
      made.panel = panel ? *panel : kinematic_panel(agent->model(), fleet.tick());
      made.controls.assign(made.panel.actuators.size(), kUntold);
      robots_.push_back(std::move(made));
    }
    by_name_[robots_.back().name] = robots_.size() - 1;
  }
}

Robots::Robot* Robots::find(std::string_view name) {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &robots_[it->second];
}

void add_parameter(std::vector<Input>& inputs, WorldNumber robot, std::string name, std::string value, Source source) {
  auto& set = std::get<SetParameter>(inputs.emplace_back(std::in_place_type<SetParameter>));
  set.entity = robot, set.node = kControllerNode, set.name = std::move(name), set.value = std::move(value);
  set.source = source;
}

void add_gains(std::vector<Input>& inputs, WorldNumber robot, const GainPatch& patch) {
  const auto set = [&](const char* name, const std::optional<double>& value) {
    if (value) add_parameter(inputs, robot, patch.actuator + name, fmt::format("{}", *value), Source::kZmq);
  };
  set(".kp", patch.kp), set(".kv", patch.kv), set(".torque_limit", patch.torque_limit);
}

std::size_t gain_inputs(const GainPatch& patch) {
  return std::size_t{patch.kp.has_value()} + patch.kv.has_value() + patch.torque_limit.has_value();
}

Robots::Robot* Robots::find(WorldNumber number) {
  const auto it = std::lower_bound(robots_.begin(), robots_.end(), number,
                                   [](const Robot& robot, WorldNumber n) { return robot.number < n; });
  return it != robots_.end() && it->number == number ? &*it : nullptr;
}

void Robots::forget_commands() {
  for (Robot& robot : robots_) {
    std::fill(robot.controls.begin(), robot.controls.end(), kUntold);
    robot.any_control = false;
    robot.twist.reset();
    robot.gains.clear();
  }
}

// What finds no room waits for the next tick.
void Robots::give(std::size_t& room, std::vector<Input>& inputs) {
  for (Robot& robot : robots_) {
    if (robot.source && room > 0) {
      add_parameter(inputs, robot.number, "source", std::string(name_of(*robot.source)), Source::kAny);
      robot.source.reset(), --room;
    }
    if (!robot.gains.empty() && room > 0) {
      add_parameter(inputs, robot.number, "mode", "pd", Source::kZmq), --room;
      auto patch = robot.gains.begin();
      for (; patch != robot.gains.end() && gain_inputs(*patch) <= room; ++patch) {
        add_gains(inputs, robot.number, *patch);
        room -= gain_inputs(*patch);
      }
      robot.gains.erase(robot.gains.begin(), patch);
    }
    if (robot.actions && room > 0) {
      add_parameter(inputs, robot.number, "actions", std::to_string(*robot.actions), Source::kZmq), --room;
      robot.actions.reset();
    }
    if (robot.twist && room > 0) {
      inputs.emplace_back(DriveCommand{robot.number, *robot.twist, {}, Source::kZmq}), --room;
      robot.twist.reset();
    }
    for (std::size_t i = 0; robot.any_control && i < robot.controls.size() && room > 0;) {
      SetControls set{robot.number, {}, Source::kZmq};
      for (; i < robot.controls.size() && set.controls.size() < kMaxControls; ++i)
        if (const double value = std::exchange(robot.controls[i], kUntold); !std::isnan(value))
          set.controls.push_back({static_cast<std::uint32_t>(i), value});
      if (!set.controls.empty()) inputs.emplace_back(std::move(set)), --room;
      robot.any_control = i < robot.controls.size();
    }
  }
}

// -------------------------------------------------------------------------------------------------------- out

EngineView Robots::view(const Fleet& fleet, const Robot& robot) {
  EngineView out;
  if (fleet.agent(robot.number)->physics().view(out)) return out;
  const Slot slot = fleet.world().slot_of(robot.number);
  const State& state = present(fleet).state(slot);
  const auto tail = present(fleet).tail(slot);
  const std::size_t nq = robot.panel.nq, nv = robot.panel.nv;
  row_.assign(nq + nv, 0);
  const std::size_t joints = robot.panel.all_joints.size() - (nq != nv), base = nq - joints;  // 7, or 0
  if (nq != nv) {
    put(row_.data(), state.pose);
    put(row_.data() + nq, state.twist.v);
    put(row_.data() + nq + 3, rotate(state.pose.q.conjugate(), state.twist.w));
  }
  for (std::size_t i = 0; i < joints && i < tail.size() / 2; ++i) {
    row_[base + i] = tail[i];
    row_[nq + nv - joints + i] = tail[joints + i];
  }
  out.qpos = std::span(row_).first(nq), out.qvel = std::span(row_).subspan(nq);
  return out;
}

Json Robots::describe(const Robot& robot) const {
  const Panel& p = robot.panel;
  Json joints = Json::array(), actuators = Json::array(), sensors = Json::array(), keyframes = Json::array(),
       cameras = Json::array();
  for (const Panel::Joint& j : p.all_joints)
    joints.push_back({{"name", j.name},
                      {"id", j.id},
                      {"type", name_of(j.type)},
                      {"qposadr", j.qpos},
                      {"dofadr", j.qvel},
                      {"limited", j.limited},
                      {"low", j.low},
                      {"high", j.high}});
  for (std::size_t i = 0; i < p.actuators.size(); ++i)
    actuators.push_back({{"name", p.actuators[i].name},
                         {"id", i},
                         {"low", p.actuators[i].low},
                         {"high", p.actuators[i].high},
                         {"limited", p.actuators[i].limited}});
  std::size_t at = 0;
  for (const Panel::Sensor& s : p.sensors) {
    sensors.push_back({{"name", s.name}, {"id", s.id}, {"dim", s.size}, {"adr", at}});
    at += s.size;
  }
  for (const Panel::Keyframe& key : p.keyframes) keyframes.push_back(key.name);
  for (const std::string& camera : p.cameras) cameras.push_back(robot.name + "/camera/" + camera + " ");
  return {{"name", robot.name},
          {"prefix", robot.name},
          {"actor_id", robot.number},
          {"model", robot.model},
          {"timestep_ns", nanos(p.step)},
          {"nq", p.nq},
          {"nv", p.nv},
          {"nu", p.actuators.size()},
          {"na", p.na},
          {"nsensordata", p.nsensordata},
          {"joints", joints},
          {"actuators", actuators},
          {"sensors", sensors},
          {"keyframes", keyframes},
          {"camera_topics", cameras},
          {"controller", {{"kind", "direct"}}}};
}

Json Robots::show(const Fleet& fleet, const Robot& robot, Level level) {
  const EngineView view = this->view(fleet, robot);
  Json out{{"qpos", list(view.qpos)}, {"qvel", list(view.qvel)}};
  if (level < Level::kStandard) return out;
  out["ctrl"] = list(view.ctrl), out["act"] = list(view.act);
  Json& sensors = out["sensors"] = Json::object();
  std::size_t at = 0;
  for (const Panel::Sensor& s : robot.panel.sensors) {
    sensors[s.name] = list(view.sensors.subspan(at, s.size));
    at += s.size;
  }
  const Twist told = fleet.agent(robot.number)->told(present(fleet).state(fleet.world().slot_of(robot.number)).stamp);
  out["twist"] = {told.v.x, told.v.y, told.w.z}, out["actions"] = fleet.agent(robot.number)->actions();
  return out;
}

void Robots::pack(const Fleet& fleet, const Robot& robot, Level level, Bytes& out) {
  const EngineView view = this->view(fleet, robot);
  Writer w(out);
  const auto add = [&](std::span<const double> row) { w.raw(row.data(), row.size_bytes()); };
  add(view.qpos), add(view.qvel);
  if (level >= Level::kStandard) add(view.act), add(view.sensors);
  if (level >= Level::kFull) add(view.ctrl);
}

// ----------------------------------------------------------------------------------------------------- states

Bytes Robots::state(const Fleet& fleet, const Robot& robot, Tick tick) const {
  const Slot slot = fleet.world().slot_of(robot.number);
  const State& state = present(fleet).state(slot);
  const auto tail = present(fleet).tail(slot);
  const Agent& agent = *fleet.agent(robot.number);
  const Instant now = instant(tick * nanos(fleet.tick()));
  Kept kept{kStateMark, robot.model, {}};
  kept.body.pose = state.pose, kept.body.twist = state.twist, kept.body.tail.assign(tail.begin(), tail.end());
  kept.body.told = agent.told(now), kept.body.told_for = std::min(agent.told_for(now), kLongestTold);
  {
    SaveFields v(kept.body.physics);
    agent.physics().save(v);
  }
  return save(kept);
}

std::optional<PutBody> Robots::read_state(const Fleet& fleet, const Robot& robot, ByteView bytes) const {
  Kept kept;
  if (!load(bytes, kept) || kept.mark != kStateMark || kept.model != robot.model) return {};
  kept.body.entity = robot.number;
  if (!fleet.agent(robot.number)->physics().accepts(kept.body.physics) || !fleet.world().check(kept.body)) return {};
  return std::move(kept.body);
}

std::optional<PutBody> Robots::propose(const Fleet& fleet, const Robot& robot, const EngineValues& values,
                                       Tick tick) const {
  const Slot slot = fleet.world().slot_of(robot.number);
  State state = present(fleet).state(slot);
  const auto tail = present(fleet).tail(slot);
  const Agent& agent = *fleet.agent(robot.number);
  const Instant now = instant(tick * nanos(fleet.tick()));
  PutBody body{robot.number,
               {},
               {},
               {tail.begin(), tail.end()},
               agent.told(now),
               std::min(agent.told_for(now), kLongestTold),
               {}};
  const std::size_t nq = robot.panel.nq, nv = robot.panel.nv;
  if ((!values.qpos.empty() && values.qpos.size() != nq) || (!values.qvel.empty() && values.qvel.size() != nv))
    return {};
  if (!all_finite(values.qpos) || !all_finite(values.qvel)) return {};
  if (robot.from_engine) {
    if (!agent.physics().propose(values, state, body.tail, body.physics)) return {};
  } else {
    const std::size_t joints = body.tail.size() / 2;
    if (!values.qpos.empty())
      std::copy(values.qpos.end() - static_cast<std::ptrdiff_t>(joints), values.qpos.end(), body.tail.begin());
    if (!values.qvel.empty())
      std::copy(values.qvel.end() - static_cast<std::ptrdiff_t>(joints), values.qvel.end(),
                body.tail.begin() + static_cast<std::ptrdiff_t>(joints));
    if (nq != nv && !values.qpos.empty()) state.pose = pose_at(values.qpos.data());
    if (nq != nv && !values.qvel.empty())
      state.twist = {vec(values.qvel.data()), rotate(unit(state.pose.q), vec(values.qvel.data() + 3))};
  }
  body.pose = {state.pose.p, unit(state.pose.q)}, body.twist = state.twist;
  if (!fleet.world().check(body)) return {};
  return body;
}

EngineValues Robots::keyframe(const Fleet& fleet, const Robot& robot, std::size_t index) const {
  const Panel::Keyframe& key = robot.panel.keyframes[index];
  EngineValues out{key.qpos, key.qvel, key.act, key.ctrl};
  const Pose& X_WF = fleet.world().entity(fleet.world().slot_of(robot.number)).pose;
  for (const Panel::Joint& joint : robot.panel.all_joints) {
    if (joint.type != Panel::Joint::Type::kFree) continue;
    put(out.qpos.data() + joint.qpos, X_WF * pose_at(out.qpos.data() + joint.qpos));
    put(out.qvel.data() + joint.qvel, rotate(X_WF.q, vec(out.qvel.data() + joint.qvel)));
  }
  return out;
}

}  // namespace convoy::zmq
