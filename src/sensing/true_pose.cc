#include "sensing/true_pose.h"

#include <algorithm>
#include <cmath>

#include "core/pose.h"

namespace convoy {

namespace {

constexpr std::size_t kMostOrigins = 100;

}  // namespace

std::string problem_of(const PoseModel& model) {
  if (model.origins.size() > kMostOrigins) return "a pose has 100 origins at most";
  for (std::size_t i = 0; i < model.origins.size(); ++i) {
    const std::string& frame = model.origins[i].frame;
    if (frame.empty()) return "an origin has a frame";
    for (std::size_t k = 0; k < i; ++k)
      if (model.origins[k].frame == frame) return "there are two origins '" + frame + "'";
  }
  return {};
}

PoseReading pose_of(const PoseModel& model, const Pose& X_WS, const Twist& v_WS_W) {
  PoseReading out{"world", X_WS, rotated(X_WS.q.conjugate(), v_WS_W)};
  const auto above = [&](const PoseOrigin& origin) { return std::fabs(X_WS.p.z - origin.X_WO.p.z); };
  const auto nearest = std::min_element(model.origins.begin(), model.origins.end(),
                                        [&](const PoseOrigin& a, const PoseOrigin& b) { return above(a) < above(b); });
  if (nearest != model.origins.end()) out.frame = nearest->frame, out.X_OS = nearest->X_WO.inverse() * X_WS;
  return out;
}

}  // namespace convoy
