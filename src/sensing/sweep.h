// Beams of a scanner that takes its time: each starts from where the scanner was when it was cast.
//
// The instant of the sample is the end of the sweep. Column c of n is cast sweep x (n - c) / n before that, and the scanner
// was then where its twist of that instant takes it back to. All else stands as it does at the end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "sensing/rays.h"

namespace convoy {

inline constexpr Duration kLongestSweep = std::chrono::seconds(10);

// Empty, or what is wrong with it.
inline std::string problem_of_sweep(Duration sweep) {
  return sweep >= Duration(0) && sweep <= kLongestSweep ? "" : "a sweep takes no time, or up to 10 s";
}

// Where a frame was `ago` seconds before, that moves as it does now.
Pose moved_back(const Pose& X_WS, const Twist& v_WS_W, double ago);

// Of directions in S that are `columns` groups of equal size.
std::vector<Beam> swept(std::span<const Vec3> directions, std::size_t columns, Duration sweep, const Pose& X_WS,
                        const Twist& v_WS_W, double near, double far);

}  // namespace convoy
