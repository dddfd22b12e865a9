// The controller of a robot as a scenario describes it: how controls become motor commands, and poses to play by
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

enum class ControllerKind : std::uint8_t {
  kRaw = 0,        // a control is the value of the actuator
  kPd = 1,         // a control of a motor is the target position of its joint
  kKeyframes = 2,  // poses are played, one after the other; controls as with kRaw, or kPd where gains are given
};

// Gains of one actuator. An absent one is the controller's.
struct GainSpec {
  std::string actuator;
  std::optional<double> kp, kv, torque_limit;
  friend bool operator==(const GainSpec&, const GainSpec&) = default;
};
template <class V, MaybeConst<GainSpec> T>
void fields(V& v, T& g) {
  v("actuator", g.actuator), v("kp", g.kp), v("kv", g.kv), v("torque_limit", g.torque_limit);
}

struct TargetSpec {
  std::string actuator;
  double value = 0;  // as a control
  friend bool operator==(const TargetSpec&, const TargetSpec&) = default;
};
template <class V, MaybeConst<TargetSpec> T>
void fields(V& v, T& t) {
  v("actuator", t.actuator), v("value", t.value);
}

// A pose to play: reached in `blend` from the pose before, then held for `hold`.
struct PoseSpec {
  std::string keyframe;             // of the model; empty: the targets alone
  std::vector<TargetSpec> targets;  // instead of the keyframe's, or beside it
  Duration blend{0}, hold{0};
  bool ease = true;  // slow at both ends of the blend; else evenly
  friend bool operator==(const PoseSpec&, const PoseSpec&) = default;
};
template <class V, MaybeConst<PoseSpec> T>
void fields(V& v, T& p) {
  v("keyframe", p.keyframe), v("targets", p.targets), v("blend", p.blend), v("hold", p.hold), v("ease", p.ease);
}

// URLab's defaults.
struct ControllerSpec {
  ControllerKind kind = ControllerKind::kRaw;
  bool pd = false;  // of kPd, and of kKeyframes that have gains
  double kp = 100, kv = 5, torque_limit = 200;
  std::vector<GainSpec> gains;
  // Actuators that got a control stop when none came for this long. 0: they hold it; absent: the setup's value.
  std::optional<Duration> silence;
  std::vector<PoseSpec> poses;
  bool autoplay = true, loop = true;
  Duration start_delay = std::chrono::milliseconds(500);
  friend bool operator==(const ControllerSpec&, const ControllerSpec&) = default;
};
template <class V, MaybeConst<ControllerSpec> T>
void fields(V& v, T& c) {
  v("kind", c.kind), v("pd", c.pd), v("kp", c.kp), v("kv", c.kv), v("torque_limit", c.torque_limit),
      v("gains", c.gains);
  v("silence", c.silence), v("poses", c.poses), v("autoplay", c.autoplay), v("loop", c.loop);
  v("start_delay", c.start_delay);
}

inline constexpr std::size_t kMaxPoses = 1'000;                  // of one player
inline constexpr Duration kLongestPose = std::chrono::hours(1);  // of each of its times

}  // namespace convoy
