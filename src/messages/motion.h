// How a robot moves and stands, as ROS messages: what its wheels make it believe, and its joints.
#pragma once

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "messages/frames.h"
#include "sensing/robot_inside.h"
#include "world/model.h"

namespace convoy::ros {

// Of its base in its odom frame, on the ground.
Pose pose_of(const OdometryReading& reading);

// In `odom`, of its base; the twist in the base, covariances as the reading has them.
nav_msgs::msg::Odometry odometry_of(const OdometryReading& reading, const RobotFrames& frames, Instant stamp);
// For /tf: the base in `odom`.
geometry_msgs::msg::TransformStamped odom_transform(const OdometryReading& reading, const RobotFrames& frames,
                                                    Instant stamp);

// `tail`: the state's (world/model.h): positions, rad or m, then velocities, per s. Without effort, and in no frame. A
// message without names: the model has no joints, or the tail is too short for them.
sensor_msgs::msg::JointState joint_state_of(const Model& model, std::span<const double> tail, Instant stamp);

}  // namespace convoy::ros
