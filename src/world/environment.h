// Weather and time of day.
#pragma once

#include "core/fields.h"

namespace convoy {

// Replicated to all peers. All from 0 to 1, but for the hours.
struct Environment {
  double fog = 0, rain = 0, wetness = 0, cloudiness = 0, road_damage = 0;
  double time_of_day = 12;  // hours, [0, 24)
  friend bool operator==(const Environment&, const Environment&) = default;
};
template <class V, MaybeConst<Environment> T>
void fields(V& v, T& e) {
  v("fog", e.fog), v("rain", e.rain), v("wetness", e.wetness), v("cloudiness", e.cloudiness);
  v("road_damage", e.road_damage), v("time_of_day", e.time_of_day);
}

}  // namespace convoy
