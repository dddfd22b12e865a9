#include <doctest/doctest.h>

#include "tf2/utils.h"
#include "tf2_eigen/tf2_eigen.hpp"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"

using doctest::Approx;

namespace {

void check_equal(const tf2::Vector3& a, const tf2::Vector3& b) { CHECK((a - b).length() < 1e-12); }
void check_same_rotation(const tf2::Quaternion& a, const tf2::Quaternion& b) {
  CHECK(std::fabs(a.dot(b)) == Approx(1));
}

}  // namespace

TEST_CASE("roll, pitch and yaw turn about fixed axes, by quaternion and by matrix alike") {
  tf2::Quaternion yaw;
  yaw.setRPY(0, 0, TF2SIMD_HALF_PI);
  check_equal(tf2::quatRotate(yaw, {1, 0, 0}), {0, 1, 0});

  for (const double roll : {-2.0, 0.3})
    for (const double pitch : {-1.2, 0.4})
      for (const double heading : {-3.0, 1.1}) {
        tf2::Quaternion q;
        q.setRPY(roll, pitch, heading);
        tf2::Matrix3x3 m;
        m.setRPY(roll, pitch, heading);
        check_equal(m * tf2::Vector3(1, 2, 3), tf2::quatRotate(q, {1, 2, 3}));
        check_equal(tf2::Matrix3x3(q) * tf2::Vector3(1, 2, 3), m * tf2::Vector3(1, 2, 3));
        tf2::Quaternion back;
        m.getRotation(back);
        check_same_rotation(back, q);
        double r, p, y;
        for (const unsigned solution : {1u, 2u}) {
          m.getRPY(r, p, y, solution);
          tf2::Quaternion again;
          again.setRPY(r, p, y);
          check_same_rotation(again, q);
        }
        m.getRPY(r, p, y);
        CHECK(r == Approx(roll));
        CHECK(p == Approx(pitch));
        CHECK(y == Approx(heading));
        tf2::getEulerYPR(q, y, p, r);
        CHECK(r == Approx(roll));
        CHECK(p == Approx(pitch));
        CHECK(tf2::getYaw(tf2::toMsg(q)) == Approx(heading));
      }
}

TEST_CASE("straight up and straight down give back the rotation that they came from") {
  for (const double pitch : {TF2SIMD_HALF_PI, -TF2SIMD_HALF_PI}) {
    tf2::Matrix3x3 m(0, std::sin(0.7), std::cos(0.7), 0, std::cos(0.7), -std::sin(0.7), -1, 0, 0);
    if (pitch < 0) m = {0, -std::sin(0.7), -std::cos(0.7), 0, std::cos(0.7), -std::sin(0.7), 1, 0, 0};
    double r, p, y;
    m.getRPY(r, p, y);
    CHECK(p == Approx(pitch));
    tf2::Matrix3x3 again;
    again.setRPY(r, p, y);
    check_equal(again * tf2::Vector3(1, 2, 3), m * tf2::Vector3(1, 2, 3));
    tf2::Quaternion q;
    q.setRPY(0, pitch, 0.5);
    CHECK(tf2::getYaw(q) == Approx(0.5));
  }
}

TEST_CASE("quaternions know their angle and axis, and slerp goes the short way at an even rate") {
  const tf2::Quaternion q(tf2::Vector3(0, 0, 2), 1.5);
  CHECK(q.length() == Approx(1));
  CHECK(q.getAngle() == Approx(1.5));
  check_equal(q.getAxis(), {0, 0, 1});
  const auto& none = tf2::Quaternion::getIdentity();
  CHECK(none.angleShortestPath(-q) == Approx(1.5));
  CHECK(none.angle(q) == Approx(0.75));
  CHECK(tf2::getYaw(none.slerp(q, 0.25)) == Approx(0.375));
  CHECK(tf2::getYaw(none.slerp(-q, 0.25)) == Approx(0.375));
  check_same_rotation(q * q.inverse(), none);
  const tf2::Quaternion arc = tf2::shortestArcQuat({1, 0, 0}, {0, 1, 0});
  check_equal(tf2::quatRotate(arc, {1, 0, 0}), {0, 1, 0});
  check_equal(tf2::quatRotate(tf2::shortestArcQuat({0, 0, 1}, {0, 0, -1}), {0, 0, 1}), {0, 0, -1});
}

TEST_CASE("transforms multiply, and their inverse undoes them") {
  tf2::Quaternion q;
  q.setRPY(0.1, -0.2, 0.3);
  const tf2::Transform X_AB(q, {1, 2, 3}), X_BC(q, {-4, 5, 6});
  const tf2::Vector3 p_C(7, 8, 9);

  check_equal((X_AB * X_BC) * p_C, X_AB * (X_BC * p_C));
  check_equal(X_AB.inverse() * (X_AB * p_C), p_C);
  check_equal(X_AB.inverseTimes(X_BC) * p_C, (X_AB.inverse() * X_BC) * p_C);
  check_equal(tf2::Matrix3x3(2, 0, 1, 0, 3, 0, 1, 0, 4).inverse() * tf2::Vector3(3, 6, 9), {3.0 / 7, 2, 15.0 / 7});
}

TEST_CASE("poses, points, vectors and covariances go from frame to frame") {
  geometry_msgs::msg::TransformStamped t;
  t.header.frame_id = "map", t.header.stamp.sec = 4;
  t.transform.translation.x = 10;
  t.transform.rotation = tf2::toMsg(tf2::Quaternion({0, 0, 1}, TF2SIMD_HALF_PI));

  geometry_msgs::msg::PoseWithCovarianceStamped pose, out;
  pose.pose.pose.position.x = 1;
  pose.pose.covariance[0] = 4, pose.pose.covariance[7] = 9, pose.pose.covariance[1] = pose.pose.covariance[6] = 1;
  tf2::doTransform(pose, out, t);
  CHECK(out.header.frame_id == "map");
  CHECK(out.header.stamp.sec == 4);
  CHECK(out.pose.pose.position.x == Approx(10));
  CHECK(out.pose.pose.position.y == Approx(1));
  CHECK(tf2::getYaw(out.pose.pose.orientation) == Approx(TF2SIMD_HALF_PI));
  CHECK(out.pose.covariance[0] == Approx(9));  // what was along x is along y now
  CHECK(out.pose.covariance[7] == Approx(4));
  CHECK(out.pose.covariance[1] == Approx(-1));

  geometry_msgs::msg::Vector3Stamped vector, turned;
  vector.vector.x = 1;
  tf2::doTransform(vector, turned, t);
  CHECK(turned.vector.x == Approx(0));  // not moved
  CHECK(turned.vector.y == Approx(1));

  tf2::Stamped<tf2::Transform> stamped;
  tf2::convert(t, stamped);
  CHECK(stamped.frame_id_ == "map");
  geometry_msgs::msg::TransformStamped back;
  tf2::convert(stamped, back);
  CHECK(back.transform.translation.x == 10);
  CHECK(back.header == t.header);
  geometry_msgs::msg::Pose as_pose;
  tf2::toMsg(tf2::Transform(tf2::Quaternion::getIdentity(), {1, 2, 3}), as_pose);
  CHECK(as_pose.position.z == 3);
}

TEST_CASE("Eigen's types go to messages, back, and from frame to frame") {
  geometry_msgs::msg::TransformStamped t;
  t.transform.translation.x = 10;
  t.transform.rotation = tf2::toMsg(tf2::Quaternion({0, 0, 1}, TF2SIMD_HALF_PI));
  const Eigen::Isometry3d X = tf2::transformToEigen(t);
  CHECK((X * Eigen::Vector3d(1, 2, 3) - Eigen::Vector3d(8, 1, 3)).norm() < 1e-12);
  CHECK(tf2::eigenToTransform(X).transform.translation.x == 10);

  geometry_msgs::msg::Pose pose;
  tf2::convert(X, pose);
  CHECK(tf2::getYaw(pose.orientation) == Approx(TF2SIMD_HALF_PI));
  Eigen::Affine3d back;
  tf2::convert(pose, back);
  CHECK(back.isApprox(Eigen::Affine3d(X)));
  Eigen::Vector3d moved;
  tf2::doTransform(Eigen::Vector3d(1, 2, 3), moved, t);
  CHECK((moved - Eigen::Vector3d(8, 1, 3)).norm() < 1e-12);
}
