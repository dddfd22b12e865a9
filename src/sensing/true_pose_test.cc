#include "sensing/true_pose.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/math.h"
#include "core/pose.h"
#include "world/state.h"

namespace true_pose_test {

using namespace convoy;

TEST_CASE("a pose is in the world, or from the origin that is nearest in height, and moves in its own frame") {
  const Pose X_WS{{3, 4, 2.2}, from_yaw(math::kPi / 2)};
  const Twist v_WS_W{{0, 1, 0}, {0, 0, 0.5}};
  const Pose ground{{1, 2, 0}, {}}, upper{{1, 2, 3}, from_yaw(math::kPi / 2)};

  const PoseReading plain = pose_of({}, X_WS, v_WS_W);
  const PoseReading storey = pose_of({{{"ground", ground}, {"upper", upper}}}, X_WS, v_WS_W);
  const PoseReading below = pose_of({{{"ground", ground}, {"upper", upper}}}, {{3, 4, 1.4}, X_WS.q}, v_WS_W);
  const PoseReading between = pose_of({{{"ground", ground}, {"upper", upper}}}, {{3, 4, 1.5}, X_WS.q}, v_WS_W);

  CHECK(plain.frame == "world");
  CHECK(plain.X_OS == X_WS);
  CHECK(norm(plain.v_WS_S.v - Vec3{1, 0, 0}) < 1e-12);  // forwards
  CHECK(plain.v_WS_S.w.z == 0.5);
  CHECK(storey.frame == "upper");
  CHECK(norm(storey.X_OS.p - Vec3{2, -2, -0.8}) < 1e-12);
  CHECK(std::fabs(yaw_of(storey.X_OS.q)) < 1e-12);
  CHECK(norm(storey.v_WS_S.v - Vec3{1, 0, 0}) < 1e-12);
  CHECK(below.frame == "ground");
  CHECK(norm(below.X_OS.p - Vec3{2, 2, 1.4}) < 1e-12);
  CHECK(between.frame == "ground");
}

TEST_CASE("origins have names of their own") {
  CHECK(problem_of(PoseModel{}) == "");
  CHECK(problem_of(PoseModel{{{"a", {}}, {"b", {}}}}) == "");
  CHECK(problem_of(PoseModel{{{"a", {}}, {"a", {}}}}) == "there are two origins 'a'");
  CHECK(problem_of(PoseModel{{{"", {}}}}) == "an origin has a frame");
}

}  // namespace true_pose_test
