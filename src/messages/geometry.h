// Times, points, turns, poses and twists as ROS messages have them, and back: SI, radians, REP-103 axes on both sides.
#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>

#include "convoy/geometry.h"
#include "convoy/time.h"

namespace convoy::ros {

// Rounded down, so that nanoseconds are never below 0. What its 32 bits of seconds cannot say is their nearest.
builtin_interfaces::msg::Time stamp_of(Instant t);
Instant instant_of(const builtin_interfaces::msg::Time& stamp);

// Into anything with x, y, z: geometry_msgs' Vector3, Point, ...; with w besides: Quaternion.
template <class To>
void put(const Vec3& v, To& to) {
  to.x = v.x, to.y = v.y, to.z = v.z;
}
template <class To>
void put(const Quat& q, To& to) {
  to.w = q.w, to.x = q.x, to.y = q.y, to.z = q.z;
}

geometry_msgs::msg::Pose message_of(const Pose& X);
geometry_msgs::msg::Twist message_of(const Twist& V);
// Its turn has length 1; one without length is none. Numbers that are not finite stay so: whoever takes poses of
// strangers looks.
Pose pose_of(const geometry_msgs::msg::Pose& message);
// As they stand, finite or not. That of a TwistStamped is in the frame of its header, which is not looked at.
Twist twist_of(const geometry_msgs::msg::Twist& message);
inline Twist twist_of(const geometry_msgs::msg::TwistStamped& message) { return twist_of(message.twist); }

// The pose of the child frame in the parent frame.
struct FramePair {
  std::string parent, child;
};
geometry_msgs::msg::TransformStamped transform_of(const FramePair& frames, const Pose& X_PC, Instant stamp);

}  // namespace convoy::ros
