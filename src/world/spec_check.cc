#include "world/spec_check.h"

#include <algorithm>
#include <cmath>

#include "core/utf8.h"
#include "world/world.h"

namespace convoy {

namespace {

Status check_driver(const DriverSpec& d) {
  if (d.kind > DriverKind::kRightOfWay) return fail(ErrorCode::kInvalid, "unknown driver kind");
  if (d.period < kLeastDriverPeriod) return fail(ErrorCode::kInvalid, "a driver's period is at least 1 ms");
  if (!(d.speed >= 0 && d.speed <= 1)) return fail(ErrorCode::kInvalid, "a driver's speed is a fraction from 0 to 1");
  if (!(d.tolerance > 0 && d.tolerance < 1e6) || !(d.range > 0 && d.range < 1e6))
    return fail(ErrorCode::kInvalid, "a driver's tolerance and range are positive numbers");
  if (d.waypoints.size() > kMaxWaypoints) return fail(ErrorCode::kInvalid, "a driver has too many waypoints");
  for (const Vec2& p : d.waypoints)
    if (!(std::fabs(p.x) <= kFarthest && std::fabs(p.y) <= kFarthest))
      return fail(ErrorCode::kInvalid, "a waypoint is not a number within 10,000 km");
  return {};
}

Status check_components(const EntitySpec& s) {
  if (s.components.size() > kMaxComponents)
    return fail(ErrorCode::kInvalid, "'" + s.name + "' has too many components");
  if (joins(s.components)) return {};
  for (const ComponentSpec& c : s.components)
    if (c.library.empty() || c.type.empty())
      return fail(ErrorCode::kInvalid, "a component of '" + s.name + "' lacks its library or its class");
  return {};
}

Status check_pose(const PoseSpec& pose) {
  for (const TargetSpec& target : pose.targets)
    if (!std::isfinite(target.value)) return fail(ErrorCode::kInvalid, "a target of a pose is not a number");
  for (Duration time : {pose.blend, pose.hold})
    if (time < Duration(0) || time > kLongestPose)
      return fail(ErrorCode::kInvalid, "a pose's times are between 0 and 1 h");
  return {};
}

// Names joined by '/': no part is empty or leads out of its folder, whatever is made of them.
bool is_path(std::string_view text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('/', from), text.size());
    if (!valid_name(std::string(text.substr(from, end - from)))) return false;
    from = end + 1;
  }
  return true;
}

// Empty: by default.
Status check_path(const char* field, const EntitySpec& s, const std::string& text) {
  if (text.empty() || (text.size() <= kMaxPath && is_path(text))) return {};
  return fail(ErrorCode::kInvalid, "the " + std::string(field) + " of '" + s.name +
                                       "' is not names of letters, digits and '_' that begin with a letter, joined by "
                                       "'/', " +
                                       std::to_string(kMaxPath) + " bytes at most");
}

Status check_names(const EntitySpec& s) {
  if (auto ok = check_path("namespace", s, s.ns); !ok) return ok;
  if (auto ok = check_path("frame", s, s.frame); !ok) return ok;
  return check_tags(s.name, s.tags);
}

constexpr std::size_t kMaxLibraryPath = 4096;

Status check_sensor(const SensorSpec& s) {
  const auto bad = [&](const char* what) {
    return fail(ErrorCode::kInvalid, "the sensor '" + s.name.substr(0, 140) + "': " + what);
  };
  if (!valid_name(s.name)) return bad("its name is none: letters, digits and '_', a letter first, at most 128");
  if (auto ok = check_pose(s.X_LS); !ok) return bad("where it is mounted is no pose");
  if (s.period < Duration(s.library.empty() ? 1 : 0) || s.period > kLongestPeriod)
    return bad("its period is above 0 and at most 24 h");
  if (s.library.size() > kMaxLibraryPath || !is_utf8(s.library)) return bad("its library is no path");
  for (const Duration time : {s.offset, s.latency})
    if (time < Duration(0) || time > kLongestPeriod) return bad("its times are between 0 and 24 h");
  if (s.link.size() > kMaxPath || s.type.size() > kMaxPath) return bad("a name of it is too long");
  if (s.distribution && *s.distribution > Distribution::kClientOnly) return bad("its distribution is none");
  if (s.load && *s.load > kWholeLoad) return bad("its load is more than a whole machine");
  if (s.parameters.size() > kMaxSensorParameters) return bad("its parameters are more than 64 KiB");
  return {};
}

Status check_sensors(const EntitySpec& spec) {
  if (spec.sensors.size() > kMaxSensors)
    return fail(ErrorCode::kInvalid, "'" + spec.name + "' has more than " + std::to_string(kMaxSensors) + " sensors");
  for (std::size_t i = 0; i < spec.sensors.size(); ++i) {
    if (auto ok = check_sensor(spec.sensors[i]); !ok) return ok;
    for (std::size_t j = 0; j < i; ++j)
      if (spec.sensors[j].name == spec.sensors[i].name)
        return fail(ErrorCode::kInvalid, "'" + spec.name + "' has two sensors '" + spec.sensors[i].name + "'");
  }
  return {};
}

Status check_edits(const EntitySpec& spec) {
  for (std::size_t i = 0; i < spec.edits.size(); ++i)
    if (static_cast<std::size_t>(spec.edits[i]) >= kEditKinds || (i > 0 && spec.edits[i] <= spec.edits[i - 1]))
      return fail(ErrorCode::kInvalid, "'" + spec.name + "' may ask for unknown kinds of edits, or for one twice");
  return {};
}

bool is_gain(double gain) { return gain >= 0 && gain < 1e12; }

}  // namespace

Status check(const ControllerSpec& c) {
  if (c.kind > ControllerKind::kKeyframes) return fail(ErrorCode::kInvalid, "unknown kind of controller");
  bool gains = is_gain(c.kp) && is_gain(c.kv) && is_gain(c.torque_limit);
  for (const GainSpec& g : c.gains)
    for (const auto& gain : {g.kp, g.kv, g.torque_limit}) gains = gains && (!gain || is_gain(*gain));
  if (!gains) return fail(ErrorCode::kInvalid, "a controller's gains are numbers not below 0");
  for (Duration time : {c.silence.value_or(Duration(0)), c.start_delay})
    if (time < Duration(0) || time > kLongestPose)
      return fail(ErrorCode::kInvalid, "a controller's times are between 0 and 1 h");
  if (c.poses.size() > kMaxPoses || c.gains.size() > kMaxPoses)
    return fail(ErrorCode::kInvalid, "a controller has too many poses");
  for (const PoseSpec& pose : c.poses)
    if (auto ok = check_pose(pose); !ok) return ok;
  return {};
}

Status check_spec(const EntitySpec& spec) {
  if (auto ok = check_names(spec); !ok) return ok;
  if (auto ok = check_driver(spec.driver); !ok) return ok;
  if (auto ok = check_edits(spec); !ok) return ok;
  if (spec.control_source && !is_control_source(*spec.control_source))
    return fail(ErrorCode::kInvalid, "unknown source of commands");
  if (spec.controller)
    if (auto ok = check(*spec.controller); !ok) return ok;
  if (auto ok = check_sensors(spec); !ok) return ok;
  return check_components(spec);
}

Status check_pose(const Pose& pose) {
  const double norm = pose.q.w * pose.q.w + pose.q.x * pose.q.x + pose.q.y * pose.q.y + pose.q.z * pose.q.z;
  if (!is_finite(pose.p) || !std::isfinite(norm)) return fail(ErrorCode::kInvalid, "the pose holds NaN or infinity");
  if (std::fabs(pose.p.x) > kFarthest || std::fabs(pose.p.y) > kFarthest || std::fabs(pose.p.z) > kFarthest)
    return fail(ErrorCode::kInvalid, "the pose is more than 10,000 km from the origin");
  if (std::fabs(norm - 1) > 1e-3) return fail(ErrorCode::kInvalid, "the orientation is not a unit quaternion");
  return {};
}

Status check(const Environment& e) {
  for (double share : {e.fog, e.rain, e.wetness, e.cloudiness, e.road_damage})
    if (!(share >= 0 && share <= 1)) return fail(ErrorCode::kInvalid, "weather values lie between 0 and 1");
  if (!(e.time_of_day >= 0 && e.time_of_day < 24))
    return fail(ErrorCode::kInvalid, "time_of_day lies in [0, 24) hours");
  constexpr double kMost = 1000;
  for (const auto* felt : {&e.gravity, &e.wind})
    if (*felt && !(std::fabs((*felt)->x) <= kMost && std::fabs((*felt)->y) <= kMost && std::fabs((*felt)->z) <= kMost))
      return fail(ErrorCode::kInvalid, "gravity and wind lie within 1000 along each axis");
  return {};
}

Status check(const Model& m) {
  const auto bad = [&](const char* what) { return fail(ErrorCode::kInvalid, "model '" + m.name + "': " + what); };
  if (!valid_name(m.name)) return bad("its name holds other characters than letters, digits and '_'");
  if (m.drive > Drive::kTricycle) return bad("unknown drive");
  if (m.footprint.empty() && m.drive != Drive::kNone) return bad("what drives has a footprint");
  if (!m.footprint.empty() && (m.footprint.size() < 3 || m.footprint.size() > kMaxFootprintCorners))
    return bad("a footprint has 3 to 16 corners");
  for (std::size_t i = 0; i < m.footprint.size(); ++i) {
    const Vec2 a = m.footprint[i], b = m.footprint[(i + 1) % m.footprint.size()],
               c = m.footprint[(i + 2) % m.footprint.size()];
    if (!std::isfinite(a.x) || !std::isfinite(a.y) || std::fabs(a.x) > 1000 || std::fabs(a.y) > 1000)
      return bad("a footprint corner is not a number within 1 km");
    if ((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) <= 0)
      return bad("the footprint is not convex and counter-clockwise");
  }
  for (double size : {m.wheel_radius, m.half_separation, m.wheelbase, m.max_steering, m.max_steering_rate,
                      m.max_acceleration, m.max_turn_acceleration})  // used or not: NaN would spread
    if (!(size >= 0 && size < 1e6)) return bad("sizes and rates are finite and not negative");
  const auto positive = [](double v) { return v > 0 && v < 1e6; };
  if (!positive(m.height) || !positive(m.mass)) return bad("height and mass are positive numbers");
  const bool driven = m.drive != Drive::kNone, steered = m.drive == Drive::kAckermann || m.drive == Drive::kTricycle;
  if (driven && !(positive(m.wheel_radius) && positive(m.max_acceleration) && positive(m.max_turn_acceleration)))
    return bad("wheel_radius and accelerations are positive numbers");
  if (m.drive == Drive::kDifferential && !positive(m.half_separation))
    return bad("half_separation is a positive number");
  if (steered &&
      !(positive(m.wheelbase) && positive(m.max_steering_rate) && m.max_steering > 0 && m.max_steering < 1.5))
    return bad("wheelbase and max_steering_rate are positive numbers, max_steering lies in (0, 1.5) rad");
  if (!m.start.empty() && m.start.size() != m.joints.size()) return bad("start has a position for each joint, or none");
  for (double position : m.start)
    if (!std::isfinite(position)) return bad("a start position is not a number");
  if (m.files.size() > kMaxModelFiles) return bad("too many files");
  for (double limit : {m.max_speed, m.max_turn_rate, m.encoder_noise})
    if (!(limit >= 0 && limit < 1e3)) return bad("speeds and noise are not negative");
  if (m.command_timeout.count() <= 0) return bad("command_timeout is positive");
  if (!(m.reach >= 0 && m.reach < 1e6)) return bad("reach is finite and not negative");
  if (m.joints.size() > kMaxJoints) return bad("more than 10000 joints");
  if (m.bodies.size() > kMaxBodies || m.mocaps.size() > m.bodies.size()) return bad("too many bodies");
  if (m.keyframes.size() > kMaxKeyframes) return bad("too many keyframes");
  for (const Model::Keyframe& keyframe : m.keyframes) {
    if (keyframe.joints.size() != m.joints.size()) return bad("a keyframe has a position for each joint");
    for (double position : keyframe.joints)
      if (!std::isfinite(position)) return bad("a keyframe's position is not a number");
    if (auto ok = check_pose(keyframe.X_SR); !ok) return bad("a keyframe's pose is none");
  }
  if (m.engine.type.size() > 64 || m.engine.library.size() > 4096 || m.engine.parameters.size() > kMaxEngineParameters)
    return bad("its engine has too long a name, or too many parameters");
  return {};
}

Status check_tags(const std::string& name, const std::vector<std::string>& tags) {
  if (tags.size() > kMaxTags)
    return fail(ErrorCode::kInvalid, "'" + name + "' has more than " + std::to_string(kMaxTags) + " tags");
  for (const std::string& tag : tags)
    if (!valid_name(tag))
      return fail(ErrorCode::kInvalid,
                  "a tag of '" + name + "' is no name: letters, digits and '_', a letter first, at most 128");
  return {};
}

}  // namespace convoy
