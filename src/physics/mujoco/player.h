// Keyframe playback: the values of a robot's actuators as a function of the time since it began.
//
//   start delay | blend to pose 0, hold | blend to pose 1, hold | ... and again from pose 0, if it loops
//
// An actuator that a pose does not name keeps the value of the pose before, or of the beginning.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "convoy/time.h"

namespace convoy::mujoco {

struct Plan {
  struct Pose {
    std::vector<std::optional<double>> values;  // by actuator
    Duration blend{0}, hold{0};
    bool ease = true;
  };
  std::vector<Pose> poses;
  std::vector<char> moves;  // by actuator: some pose names it
  bool autoplay = true, loop = true;
  Duration start_delay{0};

  Duration length() const;  // of all poses once, without the delay
};

// The value of an actuator that moves, `at` after the delay; `from`: what it was at the beginning.
double value_at(const Plan& plan, std::size_t actuator, double from, Duration at);
// Will nothing change any more?
bool is_over(const Plan& plan, Duration at);

}  // namespace convoy::mujoco
