// A sample that another machine is to compute, from its own copy of the world at the same boundary.
#pragma once

#include "core/fields.h"
#include "sensing/samples.h"
#include "world/sensor_spec.h"
#include "world/state.h"

namespace convoy {

// What that machine cannot see in its world.
struct SampleOrder {
  WorldNumber robot = kNoEntity;
  std::uint32_t sensor = 0;  // its place in the robot's spec
  std::uint64_t index = 0;   // of the sample
  Duration age{0};           // of the robot
  Duration period{0};        // to the next sample
  Vec3 gravity;              // in W, m/s^2
  Bytes parameters{};        // that a call has given it; empty: those of its spec
};
template <class V, MaybeConst<SampleOrder> T>
void fields(V& v, T& o) {
  v("robot", o.robot), v("sensor", o.sensor), v("index", o.index), v("age", o.age), v("period", o.period);
  v("gravity", o.gravity), v("parameters", o.parameters);
}

// Free mode: where a robot of which samples are ordered is, exactly, by the host that runs it; others know it by what they
// were told last.
struct RobotState {
  WorldNumber robot = kNoEntity;
  State state;
  std::vector<double> joints;  // as in World::joints()
};
template <class V, MaybeConst<RobotState> T>
void fields(V& v, T& r) {
  v("robot", r.robot), v("state", r.state), v("joints", r.joints);
}

// Which sample it is, of the boundary at which it was ordered.
struct SampleName {
  WorldNumber robot = kNoEntity;
  std::uint32_t sensor = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const SampleName&, const SampleName&) = default;
};
template <class V, MaybeConst<SampleName> T>
void fields(V& v, T& n) {
  v("robot", n.robot), v("sensor", n.sensor), v("index", n.index);
}
inline SampleName name_of(const SampleOrder& o) { return {o.robot, o.sensor, o.index}; }

}  // namespace convoy
