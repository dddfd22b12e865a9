// Weather, time of day, and what bodies feel everywhere.
#pragma once

#include <optional>

#include "convoy/geometry.h"
#include "core/fields.h"

namespace convoy {

// Replicated to all peers. All from 0 to 1, but for the hours.
struct Environment {
  double fog = 0, rain = 0, wetness = 0, cloudiness = 0, road_damage = 0;
  double time_of_day = 12;  // hours, [0, 24)
  // In the world; of all robots that an engine moves, in place of what their files say. None: as the files say.
  std::optional<Vec3> gravity;  // m/s^2
  std::optional<Vec3> wind;     // m/s; felt in a medium with a density
  friend bool operator==(const Environment&, const Environment&) = default;
};
template <class V, MaybeConst<Environment> T>
void fields(V& v, T& e) {
  v("fog", e.fog), v("rain", e.rain), v("wetness", e.wetness), v("cloudiness", e.cloudiness);
  v("road_damage", e.road_damage), v("time_of_day", e.time_of_day), v("gravity", e.gravity), v("wind", e.wind);
}

}  // namespace convoy
