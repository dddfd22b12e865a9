#include "world/spec_check.h"

#include <cmath>

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
  if (auto ok = check_driver(spec.driver); !ok) return ok;
  if (spec.control_source && !is_source(*spec.control_source))
    return fail(ErrorCode::kInvalid, "unknown source of commands");
  if (spec.controller)
    if (auto ok = check(*spec.controller); !ok) return ok;
  return check_components(spec);
}

}  // namespace convoy
