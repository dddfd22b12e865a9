// What sensors report: one alternative for each kind of message.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "convoy/time.h"
#include "core/fields.h"
#include "sensing/battery.h"
#include "sensing/camera.h"
#include "sensing/engine_sensor.h"
#include "sensing/gnss.h"
#include "sensing/inertial.h"
#include "sensing/operated.h"
#include "sensing/points.h"
#include "sensing/radar.h"
#include "sensing/robot_inside.h"
#include "sensing/scan.h"
#include "sensing/touch.h"
#include "sensing/true_pose.h"

namespace convoy {

template <class V, MaybeConst<Scan> T>
void fields(V& v, T& s) {
  v("angle_min", s.angle_min), v("angle_max", s.angle_max), v("angle_increment", s.angle_increment);
  v("time_increment", s.time_increment);
  v("range_min", s.range_min), v("range_max", s.range_max), v("ranges", s.ranges);
  v("intensities", s.intensities);
}
template <class V, MaybeConst<CloudPoint> T>
void fields(V& v, T& p) {
  v("x", p.x), v("y", p.y), v("z", p.z), v("intensity", p.intensity), v("ring", p.ring), v("time", p.time);
}
template <class V, MaybeConst<Cloud> T>
void fields(V& v, T& c) {
  v("width", c.width), v("height", c.height), v("dense", c.dense), v("points", c.points);
}
template <class V, MaybeConst<RadarReturn> T>
void fields(V& v, T& r) {
  v("range", r.range), v("azimuth", r.azimuth), v("elevation", r.elevation), v("speed", r.speed);
  v("amplitude", r.amplitude);
}
template <class V, MaybeConst<ImuSample> T>
void fields(V& v, T& s) {
  v("orientation", s.orientation), v("angular_velocity", s.angular_velocity);
  v("linear_acceleration", s.linear_acceleration), v("orientation_variance", s.orientation_variance);
  v("angular_velocity_variance", s.angular_velocity_variance);
  v("linear_acceleration_variance", s.linear_acceleration_variance);
}
template <class V, MaybeConst<Fix> T>
void fields(V& v, T& f) {
  v("at", f.at), v("covariance", f.covariance);
}

struct RangeReading {
  double range = 0;                     // m, +inf or -inf
  double range_min = 0, range_max = 0;  // m
  double field = 0;                     // rad
  friend bool operator==(const RangeReading&, const RangeReading&) = default;
};
template <class V, MaybeConst<RangeReading> T>
void fields(V& v, T& r) {
  v("range", r.range), v("range_min", r.range_min), v("range_max", r.range_max), v("field", r.field);
}

struct RadarScan {
  std::vector<RadarReturn> returns;
};
template <class V, MaybeConst<RadarScan> T>
void fields(V& v, T& r) {
  v("returns", r.returns);
}

struct MagneticReading {
  Vec3 field;           // in S, T
  double variance = 0;  // of each axis, T^2; 0: exact
};
template <class V, MaybeConst<MagneticReading> T>
void fields(V& v, T& m) {
  v("field", m.field), v("variance", m.variance);
}

// What a robot's wheels make it believe, and its joints, have no parameters.
struct OdometryModel {
  friend bool operator==(const OdometryModel&, const OdometryModel&) = default;
};
template <class V, MaybeConst<OdometryModel> T>
void fields(V&, T&) {}
inline std::string problem_of(const OdometryModel&) { return {}; }

struct JointsModel {
  friend bool operator==(const JointsModel&, const JointsModel&) = default;
};
template <class V, MaybeConst<JointsModel> T>
void fields(V&, T&) {}
inline std::string problem_of(const JointsModel&) { return {}; }

// Its sensor could not take it: dropped, and counted nowhere.
struct NoReading {
  std::string why;  // for people: no field
};
template <class V, MaybeConst<NoReading> T>
void fields(V&, T&) {}

// Saved with the place of its alternative: new ones come last.
using SampleData = std::variant<Scan, Cloud, RangeReading, RadarScan, ImuSample, MagneticReading, Fix, PoseReading,
                                OdometryReading, JointsReading, Touches, Overlaps, BatteryReading, KeysReading,
                                StickReading, EngineReading, NoReading, CameraReading>;

struct Sample {
  std::uint32_t sensor = 0;  // of its robot's, in the order of its spec
  std::uint64_t index = 0;   // from 0; anew after a reset
  Instant at{};              // when it was taken
  SampleData data;
  Duration period{0};  // to the next one; its sensor's, and none of its fields
};
template <class V, MaybeConst<Sample> T>
void fields(V& v, T& s) {
  v("sensor", s.sensor), v("index", s.index), v("at", s.at), v("data", s.data);
}

}  // namespace convoy
