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
  if (s.components.size() > kMaxComponents) return fail(ErrorCode::kInvalid, "'" + s.name + "' has too many components");
  if (joins(s.components)) return {};
  for (const ComponentSpec& c : s.components)
    if (c.library.empty() || c.type.empty())
      return fail(ErrorCode::kInvalid, "a component of '" + s.name + "' lacks its library or its class");
  return {};
}

}  // namespace

Status check_spec(const EntitySpec& spec) {
  if (auto ok = check_driver(spec.driver); !ok) return ok;
  if (spec.control_source && !is_source(*spec.control_source)) return fail(ErrorCode::kInvalid, "unknown source of commands");
  return check_components(spec);
}

}  // namespace convoy
