#include "sensing/mount.h"

#include <algorithm>
#include <vector>

#include "core/pose.h"
#include "world/model.h"

namespace convoy {

namespace {

constexpr double kShift = 1e-5;  // s

// Turned on by a rotation vector in its own frame.
Quat turned(const Quat& q, const Vec3& by) {
  const double angle = norm(by);
  return angle > 0 ? q * from_axis_angle((1 / angle) * by, angle) : q;
}

// The joints' positions after so long at their velocities.
void shift_joints(const Carrier& robot, double by, std::vector<double>& out) {
  const std::size_t n = robot.model.joints.size();
  const std::span<const double> at = robot.tail.first(n), v = robot.tail.subspan(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (robot.model.joints[i].ends_with(":qw") && i + 4 <= n) {  // its three velocities stand behind a 0
      const Quat q = turned({at[i], at[i + 1], at[i + 2], at[i + 3]}, by * Vec3{v[i + 1], v[i + 2], v[i + 3]});
      out.insert(out.end(), {q.w, q.x, q.y, q.z});
      i += 3;
    } else {
      out.push_back(at[i] + by * v[i]);
    }
  }
}

// The link's pose so long after the state.
Pose link_after(const Carrier& robot, std::size_t link, double by) {
  static thread_local std::vector<double> joints;
  static thread_local std::vector<Pose> X_WL;
  joints.clear();
  if (by == 0 || robot.tail.size() < 2 * robot.model.joints.size()) joints.assign(robot.tail.begin(), robot.tail.end());
  else shift_joints(robot, by, joints);
  Pose X_WR = robot.state.pose;
  X_WR.p = X_WR.p + by * robot.state.twist.v;
  const Vec3 spin = robot.state.twist.w;
  if (const double speed = norm(spin); speed > 0 && by != 0)
    X_WR.q = from_axis_angle((1 / speed) * spin, speed * by) * X_WR.q;
  place_links(robot.shapes, {X_WR, file_frame(robot.shapes, X_WR, robot.origin), joints}, X_WL);
  Pose X = X_WL[link];
  X.q = unit(X.q);
  return X;
}

}  // namespace

MountedFrame place_mount(const SensorSpec& spec, const Carrier& robot) {
  const auto& links = robot.shapes.links;
  const auto link = std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.name == spec.link; });
  if (spec.link.empty() || link == links.end()) {
    const Pose X_WS = robot.state.pose * spec.X_LS;
    const Twist& v = robot.state.twist;
    return {X_WS, {v.v + cross(v.w, X_WS.p - robot.state.pose.p), v.w}};
  }
  const auto at = static_cast<std::size_t>(link - links.begin());
  const Pose X_WS = link_after(robot, at, 0) * spec.X_LS;
  const Pose before = link_after(robot, at, -kShift) * spec.X_LS, after = link_after(robot, at, kShift) * spec.X_LS;
  Quat turn = after.q * before.q.conjugate();
  if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
  // Of so small a turn the vector part is half of it.
  return {X_WS, {(0.5 / kShift) * (after.p - before.p), (1 / kShift) * Vec3{turn.x, turn.y, turn.z}}};
}

}  // namespace convoy
