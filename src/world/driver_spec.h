// The program that drives a robot by itself, as a scenario describes it.
#pragma once

#include <cstdint>
#include <vector>

#include "convoy/time.h"
#include "core/fields.h"
#include "world/model.h"

namespace convoy {

enum class DriverKind : std::uint8_t {
  kNone = 0,        // moves only by commands from outside
  kRandomWalk = 1,  // drives on, turns away from what map rays and neighbours show
  kWaypoints = 2,   // drives a list of points
  kRightOfWay = 3,  // drives to random free goals, broadcasts its intent, yields to robots of smaller number
};

inline constexpr Duration kLeastDriverPeriod = std::chrono::milliseconds(1);
inline constexpr std::size_t kMaxWaypoints = 10'000;  // of one driver

// The program that drives a robot while no command from outside is in force.
struct DriverSpec {
  DriverKind kind = DriverKind::kNone;
  Duration period = std::chrono::milliseconds(100);  // how often it decides
  double speed = 1.0;                                // fraction of the model's limits
  std::vector<Vec2> waypoints;                       // world, m
  bool loop = true;                                  // start again after the last waypoint
  double tolerance = 0.15;                           // m; a waypoint or goal counts as reached within this
  double range = 3.0;                                // m; how far it senses: map rays, neighbours

  friend bool operator==(const DriverSpec&, const DriverSpec&) = default;
};
template <class V, MaybeConst<DriverSpec> T>
void fields(V& v, T& d) {
  v("kind", d.kind), v("period", d.period), v("speed", d.speed), v("waypoints", d.waypoints), v("loop", d.loop);
  v("tolerance", d.tolerance), v("range", d.range);
}

}  // namespace convoy
