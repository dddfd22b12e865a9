#include "physics/mujoco/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace convoy::mujoco {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void switch_on(Controller& c, const mjModel* m, const mjData* d) {
  c.pd = true;
  c.gains.assign(at(m->nu), c.defaults);
  c.targets.assign(at(m->nu), 0);
  for (int a = 0; a < m->nu; ++a)
    if (const int joint = motor_joint(m, a); joint >= 0) c.targets[at(a)] = d->qpos[m->jnt_qposadr[joint]];
}

void switch_off(Controller& c) { c.pd = false, c.gains.clear(), c.targets.clear(); }

bool has_pd(const Controller& c, const mjModel* m, int actuator) { return c.pd && motor_joint(m, actuator) >= 0; }

// Does the actuator hold a position by itself?
bool is_servo(const mjModel* m, int actuator) {
  return m->actuator_biastype[actuator] == mjBIAS_AFFINE && m->actuator_biasprm[mjNBIAS * actuator + 1] != 0;
}

constexpr const char* kUnnamed = "actuator_";

std::string name_of_actuator(const mjModel* m, int actuator) {
  const char* name = mj_id2name(m, mjOBJ_ACTUATOR, actuator);
  return name && *name ? name : kUnnamed + std::to_string(actuator);
}

int actuator_of(const mjModel* m, const std::string& name) {
  if (const int id = mj_name2id(m, mjOBJ_ACTUATOR, name.c_str()); id >= 0) return id;
  int id = -1;
  if (name.rfind(kUnnamed, 0) == 0) std::from_chars(name.data() + 9, name.data() + name.size(), id);
  return id < m->nu ? id : -1;
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number < 0) return {};
  return number;
}

double* gain_of(Gains& gains, const std::string& name) {
  return name == "kp" ? &gains.kp : name == "kv" ? &gains.kv : name == "torque_limit" ? &gains.torque_limit : nullptr;
}

bool set_gain(Controller& c, const mjModel* m, const std::string& name, double value) {
  if (double* of_all = gain_of(c.defaults, name)) {
    *of_all = value;
    for (Gains& gains : c.gains) *gain_of(gains, name) = value;
    return true;
  }
  const std::size_t dot = name.rfind('.');
  const int actuator = dot == name.npos ? -1 : actuator_of(m, name.substr(0, dot));
  double* gain = actuator < 0 ? nullptr : gain_of(c.gains[at(actuator)], name.substr(dot + 1));
  return gain ? *gain = value, true : false;
}

bool set_silence(Controller& c, const std::string& value) {
  const auto number = value == "hold" ? 0 : number_of(value);
  if (!number || *number > seconds(kLongestPose)) return false;
  c.silence = Duration(static_cast<std::int64_t>(*number * 1e9));
  return true;
}

void begin(Controller& c, const Plan& plan) {
  c.playing = !plan.poses.empty();
  c.played = Duration(0) - plan.start_delay;
  c.from.clear();
}

Plan::Pose resolved(const PoseSpec& spec, const Controller& c, const mjModel* m) {
  Plan::Pose out{std::vector<std::optional<double>>(at(m->nu)), spec.blend, spec.hold, spec.ease};
  const int key = spec.keyframe.empty() ? -1 : mj_name2id(m, mjOBJ_KEY, spec.keyframe.c_str());
  for (int a = 0; a < m->nu && key >= 0; ++a)
    out.values[at(a)] =
        has_pd(c, m, a) ? m->key_qpos[key * m->nq + m->jnt_qposadr[motor_joint(m, a)]] : m->key_ctrl[key * m->nu + a];
  for (const TargetSpec& target : spec.targets)
    if (const int a = actuator_of(m, target.actuator); a >= 0) out.values[at(a)] = target.value;
  return out;
}

}  // namespace

int motor_joint(const mjModel* m, int actuator) {
  const int kind = m->actuator_trntype[actuator], joint = m->actuator_trnid[2 * actuator];
  if (kind != mjTRN_JOINT && kind != mjTRN_JOINTINPARENT) return -1;
  if (m->actuator_biastype[actuator] != mjBIAS_NONE || m->actuator_dyntype[actuator] != mjDYN_NONE) return -1;
  return m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE ? joint : -1;
}

bool is_sound(const Controller& c, const mjModel* m) {
  const std::size_t controlled = c.pd ? at(m->nu) : 0;
  if (c.gains.size() != controlled || c.targets.size() != controlled) return false;
  if (!c.from.empty() && c.from.size() != at(m->nu)) return false;
  if (!std::is_sorted(c.commanded.begin(), c.commanded.end()) || c.silence < Duration(0)) return false;
  return c.commanded.empty() || c.commanded.back() < static_cast<std::uint32_t>(m->nu);
}

Status check(const ControllerSpec& spec, const mjModel* m) {
  const auto known = [&](const std::string& actuator) -> Status {
    if (actuator_of(m, actuator) >= 0) return {};
    return fail(ErrorCode::kNotFound, "the model has no actuator '" + actuator + "'");
  };
  for (const GainSpec& gains : spec.gains)
    if (auto ok = known(gains.actuator); !ok) return ok;
  for (const PoseSpec& pose : spec.poses) {
    if (!pose.keyframe.empty() && mj_name2id(m, mjOBJ_KEY, pose.keyframe.c_str()) < 0)
      return fail(ErrorCode::kNotFound, "the model has no keyframe '" + pose.keyframe + "'");
    for (const TargetSpec& target : pose.targets)
      if (auto ok = known(target.actuator); !ok) return ok;
  }
  return {};
}

Controller make_controller(const ControllerSpec& spec, const mjModel* m, const mjData* d, Plan& plan) {
  Controller c;
  c.silence = spec.silence.value_or(Duration(0));
  c.defaults = {spec.kp, spec.kv, spec.torque_limit};
  if (spec.pd) switch_on(c, m, d);
  for (const GainSpec& gains : spec.gains) {
    const int a = spec.pd ? actuator_of(m, gains.actuator) : -1;
    if (a < 0) continue;
    Gains& own = c.gains[at(a)];
    own = {gains.kp.value_or(own.kp), gains.kv.value_or(own.kv), gains.torque_limit.value_or(own.torque_limit)};
  }
  plan = {};
  plan.autoplay = spec.autoplay, plan.loop = spec.loop, plan.start_delay = spec.start_delay;
  plan.moves.assign(at(m->nu), 0);
  for (const PoseSpec& pose : spec.poses) {
    plan.poses.push_back(resolved(pose, c, m));
    for (std::size_t a = 0; a < plan.moves.size(); ++a) plan.moves[a] |= plan.poses.back().values[a].has_value();
  }
  if (plan.autoplay) begin(c, plan);
  return c;
}

bool set_parameter(Controller& c, const Plan& plan, const mjModel* m, const mjData* d, const std::string& name,
                   const std::string& value) {
  if (name == "mode" && (value == "raw" || value == "passthrough")) return switch_off(c), true;
  if (name == "mode" && value == "pd") {
    if (!c.pd) switch_on(c, m, d);
    return true;
  }
  if (name == "silence") return set_silence(c, value);
  if (name == "playing" && !plan.poses.empty() && (value == "true" || value == "false")) {
    if (value == "true") begin(c, plan);
    else c.playing = false;
    return true;
  }
  if (!c.pd) return false;
  if (name == "gains" && value == "default") return c.gains.assign(c.gains.size(), c.defaults), true;
  const auto number = number_of(value);
  return number && set_gain(c, m, name, *number);
}

std::vector<std::pair<std::string, std::string>> parameters(const Controller& c, const Plan& plan, const mjModel* m) {
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("mode", c.pd ? "pd" : "raw");
  out.emplace_back("silence", c.silence > Duration(0) ? fmt::format("{}", seconds(c.silence)) : "hold");
  if (!plan.poses.empty()) out.emplace_back("playing", c.playing ? "true" : "false");
  const auto gains = [&](const std::string& before, const Gains& g) {
    out.emplace_back(before + "kp", fmt::format("{}", g.kp));
    out.emplace_back(before + "kv", fmt::format("{}", g.kv));
    out.emplace_back(before + "torque_limit", fmt::format("{}", g.torque_limit));
  };
  if (c.pd) gains("", c.defaults);
  for (int a = 0; a < m->nu; ++a)
    if (has_pd(c, m, a)) gains(name_of_actuator(m, a) + ".", c.gains[at(a)]);
  return out;
}

Taken take_control(Controller& c, const mjModel* m, mjData* d, const Control& control, Instant now) {
  if (control.actuator >= static_cast<std::uint32_t>(m->nu) || !std::isfinite(control.value)) return Taken::kRefused;
  c.commanded_at = now;
  c.playing = false;
  const auto place = std::lower_bound(c.commanded.begin(), c.commanded.end(), control.actuator);
  if (place == c.commanded.end() || *place != control.actuator) c.commanded.insert(place, control.actuator);
  if (has_pd(c, m, static_cast<int>(control.actuator)))
    return c.targets[control.actuator] = control.value, Taken::kTarget;
  d->ctrl[control.actuator] = control.value;
  return Taken::kControl;
}

void let_lapse(Controller& c, const mjModel* m, mjData* d, Instant now) {
  if (c.commanded.empty() || c.silence <= Duration(0) || now - c.commanded_at < c.silence) return;
  for (std::uint32_t actuator : c.commanded) {
    const int a = static_cast<int>(actuator);
    if (!has_pd(c, m, a) && !is_servo(m, a)) d->ctrl[a] = 0;
  }
  c.commanded.clear();
}

void play(Controller& c, const Plan& plan, const mjModel* m, mjData* d, Duration step) {
  if (!c.playing || plan.poses.empty()) return;
  c.played += step;
  const Duration now = c.played - step;
  if (now < Duration(0)) return;
  if (c.from.empty())
    for (int a = 0; a < m->nu; ++a) c.from.push_back(has_pd(c, m, a) ? c.targets[at(a)] : d->ctrl[a]);
  for (int a = 0; a < m->nu; ++a) {
    if (!plan.moves[at(a)]) continue;
    const double value = value_at(plan, at(a), c.from[at(a)], now);
    if (has_pd(c, m, a)) c.targets[at(a)] = value;
    else d->ctrl[a] = value;
  }
  c.playing = !is_over(plan, now);
}

void apply(const Controller& c, const mjModel* m, mjData* d) {
  if (!c.pd) return;
  for (int a = 0; a < m->nu; ++a) {
    const int joint = motor_joint(m, a);
    if (joint < 0) continue;
    const Gains& g = c.gains[at(a)];
    double target = c.targets[at(a)];
    if (m->jnt_limited[joint])
      target = std::min(std::max(target, m->jnt_range[2 * joint]), m->jnt_range[2 * joint + 1]);
    const double torque = g.kp * (target - d->qpos[m->jnt_qposadr[joint]]) - g.kv * d->qvel[m->jnt_dofadr[joint]];
    d->ctrl[a] = std::min(std::max(torque, -g.torque_limit), g.torque_limit);
  }
}

}  // namespace convoy::mujoco
