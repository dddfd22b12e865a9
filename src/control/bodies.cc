#include "control/bodies.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/check.h"

namespace convoy::control {

namespace {

constexpr std::uint32_t kMark = 0x31425643;  // "CVB1"

// What save() writes.
struct Saved {
  std::uint32_t mark = 0;
  std::string model;
  PutBody body;
};
template <class V, MaybeConst<Saved> T>
void fields(V& v, T& s) {
  v("mark", s.mark), v("model", s.model), v("body", s.body);
}

Quat unit(const Quat& q) {
  const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}
Pose pose_at(const double* p) { return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}}; }
Vec3 vec_at(const double* p) { return {p[0], p[1], p[2]}; }
void write(double* to, const Pose& X) {
  const double all[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
  std::copy(std::begin(all), std::end(all), to);
}
void write(double* to, const Vec3& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// A robot's keyframe, with what is free put as if its place of creation were the world's origin.
EngineValues keyframe_of(const Fleet& fleet, const RobotEntry& robot, std::size_t index) {
  const Panel::Keyframe& key = robot.panel.keyframes[index];
  EngineValues out{key.qpos, key.qvel, key.act, key.ctrl};
  const Pose& X_WF = fleet.world().entity(fleet.world().slot_of(robot.number)).pose;
  for (const Panel::Joint& joint : robot.panel.all_joints) {
    if (joint.type != Panel::Joint::Type::kFree) continue;
    write(out.qpos.data() + joint.qpos, X_WF * pose_at(out.qpos.data() + joint.qpos));
    write(out.qvel.data() + joint.qvel, rotate(X_WF.q, vec_at(out.qvel.data() + joint.qvel)));
  }
  return out;
}

// Lays the first values over all that are there.
void lay_over(std::span<const double> wanted, std::span<const double> present, std::vector<double>& to) {
  if (wanted.empty()) return;
  if (to.empty()) to.assign(present.begin(), present.end());
  EXPECTS(wanted.size() <= to.size());
  std::copy(wanted.begin(), wanted.end(), to.begin());
}

}  // namespace

EngineView Bodies::view(const Fleet& fleet, const RobotEntry& robot) {
  EngineView out;
  if (fleet.agent(robot.number)->physics().view(out)) return out;
  const Slot slot = fleet.world().slot_of(robot.number);
  const State& state = present(fleet).state(slot);
  const auto tail = present(fleet).tail(slot);
  const std::size_t nq = robot.panel.nq, nv = robot.panel.nv;
  row_.assign(nq + nv + robot.panel.actuators.size(), 0);
  const std::size_t joints = robot.panel.all_joints.size() - (nq != nv), base = nq - joints;  // 7, or 0
  if (nq != nv) {
    write(row_.data(), state.pose);
    write(row_.data() + nq, state.twist.v);
    write(row_.data() + nq + 3, rotate(state.pose.q.conjugate(), state.twist.w));
  }
  for (std::size_t i = 0; i < joints && i < tail.size() / 2; ++i) {
    row_[base + i] = tail[i];
    row_[nq + nv - joints + i] = tail[joints + i];
  }
  const std::span<const double> row(row_);
  out.qpos = row.first(nq), out.qvel = row.subspan(nq, nv), out.ctrl = row.subspan(nq + nv);
  return out;
}

Twist Bodies::operator_twist(const Fleet& fleet, const RobotEntry& robot) const {
  return fleet.agent(robot.number)->told(present(fleet).state(fleet.world().slot_of(robot.number)).stamp).twist;
}

// The robot as it is, but what is inside its physics.
PutBody Bodies::body(const Fleet& fleet, const RobotEntry& robot, Tick tick) const {
  const Slot slot = fleet.world().slot_of(robot.number);
  const State& state = present(fleet).state(slot);
  const auto tail = present(fleet).tail(slot);
  const Agent& agent = *fleet.agent(robot.number);
  const Instant now = instant(tick * nanos(fleet.tick()));
  PutBody out;
  out.entity = robot.number;
  out.pose = state.pose, out.twist = state.twist, out.tail.assign(tail.begin(), tail.end());
  const Agent::Told told = agent.told(now);
  out.told = told.twist, out.told_for = std::min(told.lasts, kLongestTold);
  return out;
}

// A robot of the same model is put there under its own number, so none is written.
Bytes Bodies::save(const Fleet& fleet, const RobotEntry& robot, Tick tick) const {
  Saved saved{kMark, robot.model, body(fleet, robot, tick)};
  saved.body.entity = kNoEntity;
  {
    SaveFields v(saved.body.physics);
    fleet.agent(robot.number)->physics().save(v);
  }
  return convoy::save(saved);
}

std::optional<PutBody> Bodies::load(const Fleet& fleet, const RobotEntry& robot, ByteView bytes) const {
  Saved saved;
  if (!convoy::load(bytes, saved) || saved.mark != kMark || saved.model != robot.model) return {};
  saved.body.entity = robot.number;
  if (!fleet.agent(robot.number)->physics().accepts(saved.body.physics) || !fleet.world().check(saved.body)) return {};
  return std::move(saved.body);
}

Bodies::Move Bodies::move(const Fleet& fleet, const RobotEntry& robot, const Put& put, Tick tick) {
  EngineValues values = put.keyframe ? keyframe_of(fleet, robot, *put.keyframe) : EngineValues{};
  const EngineView now = view(fleet, robot);
  lay_over(put.qpos, now.qpos, values.qpos), lay_over(put.qvel, now.qvel, values.qvel);
  for (const auto& [single, present, all] :
       {std::tuple{&put.qpos_at, now.qpos, &values.qpos}, std::tuple{&put.qvel_at, now.qvel, &values.qvel}}) {
    if (!single->empty() && all->empty()) all->assign(present.begin(), present.end());
    for (const auto& [at, value] : *single)
      if (at < all->size()) (*all)[at] = value;
  }
  values.mocaps = put.mocaps;
  if (values.qpos.empty() && values.qvel.empty() && values.mocaps.empty()) return {true, std::nullopt};
  auto body = propose(fleet, robot, values, tick);
  return {body.has_value(), std::move(body)};
}

std::optional<PutBody> Bodies::propose(const Fleet& fleet, const RobotEntry& robot, const EngineValues& values,
                                       Tick tick) const {
  State state = present(fleet).state(fleet.world().slot_of(robot.number));
  PutBody out = body(fleet, robot, tick);
  const std::size_t nq = robot.panel.nq, nv = robot.panel.nv;
  if ((!values.qpos.empty() && values.qpos.size() != nq) || (!values.qvel.empty() && values.qvel.size() != nv))
    return {};
  if (!all_finite(values.qpos) || !all_finite(values.qvel)) return {};
  if (robot.from_engine) {
    if (!fleet.agent(robot.number)->physics().propose(values, state, out.tail, out.physics)) return {};
  } else {
    if (!values.mocaps.empty()) return {};
    const auto joints = static_cast<std::ptrdiff_t>(out.tail.size() / 2);
    if (!values.qpos.empty()) std::copy(values.qpos.end() - joints, values.qpos.end(), out.tail.begin());
    if (!values.qvel.empty()) std::copy(values.qvel.end() - joints, values.qvel.end(), out.tail.begin() + joints);
    if (nq != nv && !values.qpos.empty()) state.pose = pose_at(values.qpos.data());
    if (nq != nv && !values.qvel.empty())
      state.twist = {vec_at(values.qvel.data()), rotate(unit(state.pose.q), vec_at(values.qvel.data() + 3))};
  }
  out.pose = {state.pose.p, unit(state.pose.q)}, out.twist = state.twist;
  if (!fleet.world().check(out)) return {};
  return out;
}

void read_panel(const Fleet& fleet, const RobotEntry& robot, const Snapshot& states, PanelReadings& out) {
  if (robot.from_engine && fleet.agent(robot.number)->physics().read(out)) return;
  const Slot slot = fleet.world().slot_of(robot.number);
  const State& state = states.state(slot);
  const auto tail = states.tail(slot);
  out.joints.clear(), out.bases.clear(), out.sensors.clear();
  for (std::size_t i = 0; i < robot.panel.joints.size() && i < tail.size() / 2; ++i)
    out.joints.push_back({tail[i], tail[tail.size() / 2 + i], 0});
  if (!robot.panel.bases.empty())
    out.bases.push_back({state.pose, state.twist.v, rotate(state.pose.q.conjugate(), state.twist.w)});
}

}  // namespace convoy::control
