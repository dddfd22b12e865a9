#include "messages/motion.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include "core/math.h"
#include "messages/geometry.h"
#include "messages/testing.h"

namespace messages_motion_test {

using namespace convoy;
using namespace convoy::ros;
using testing::kStamp;

namespace {

constexpr OdometryReading kReading{.x = 1, .y = 2, .yaw = math::kPi, .speed = 0.5, .turn_rate = -0.25};

}  // namespace

TEST_CASE("odometry and its transform say the same, of the base in odom") {
  const RobotFrames frames{.base = "base_link", .prefix = "scout/"};

  const auto odom = odometry_of(kReading, frames, kStamp);
  const auto tf = odom_transform(kReading, frames, kStamp);

  CHECK(odom.header.frame_id == "scout/odom");
  CHECK(odom.child_frame_id == "scout/base_link");
  CHECK(odom.header.stamp.sec == 3);
  CHECK(odom.twist.twist.linear.x == 0.5);
  CHECK(odom.twist.twist.angular.z == -0.25);
  CHECK(tf.header == odom.header);
  CHECK(tf.child_frame_id == odom.child_frame_id);
  CHECK(tf.transform.translation.y == odom.pose.pose.position.y);
  CHECK(tf.transform.rotation == odom.pose.pose.orientation);
  CHECK(tf.transform.rotation.z == 1);
}

TEST_CASE("joints come from the front of a state's tail") {
  Model model;
  model.joints = {"left", "right"};
  const std::vector<double> tail{1, 2, 3, 4, 9, 9, 9, 9, 9, 9};

  const auto joints = joint_state_of(model, tail, kStamp);

  CHECK(joints.name == model.joints);
  CHECK(joints.position == std::vector<double>{1, 2});
  CHECK(joints.velocity == std::vector<double>{3, 4});
  CHECK(joints.header.frame_id.empty());
  CHECK(joint_state_of(model, std::span(tail).first(3), kStamp).name.empty());
  CHECK(joint_state_of(Model(), tail, kStamp).name.empty());
}

TEST_CASE("a twist goes there and back, with a stamp or without") {
  const Twist V{{1, 2, 3}, {4, 5, 6}};
  geometry_msgs::msg::TwistStamped stamped;
  stamped.twist = message_of(V);

  CHECK(twist_of(message_of(V)) == V);
  CHECK(twist_of(stamped) == V);
}

TEST_CASE("a pose goes there and back, and its turn comes back with length 1") {
  const Pose X{{1, 2, 3}, {0.5, -0.5, 0.5, 0.5}};
  geometry_msgs::msg::Pose longer = message_of(X), none;
  longer.orientation.w *= 2, longer.orientation.x *= 2, longer.orientation.y *= 2, longer.orientation.z *= 2;
  none.orientation.w = 0;

  CHECK(pose_of(message_of(X)) == X);
  CHECK(pose_of(longer) == X);
  CHECK(pose_of(none) == Pose());
}

TEST_CASE("stamps have their nanoseconds from 0 on, and end where their bits do") {
  CHECK(instant_of(stamp_of(kStamp)) == kStamp);
  CHECK(stamp_of(instant(-1)).sec == -1);
  CHECK(stamp_of(instant(-1)).nanosec == 999'999'999);
  CHECK(instant_of(stamp_of(instant(-1))) == instant(-1));
  CHECK(stamp_of(Instant::max()).sec == std::numeric_limits<std::int32_t>::max());
  CHECK(stamp_of(Instant::min()).sec == std::numeric_limits<std::int32_t>::min());
}

}  // namespace messages_motion_test
