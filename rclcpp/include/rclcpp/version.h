// The release of rclcpp whose API these headers have: ROS 2 Jazzy's.
#pragma once

#define RCLCPP_VERSION_MAJOR (28)
#define RCLCPP_VERSION_MINOR (1)
#define RCLCPP_VERSION_PATCH (6)
#define RCLCPP_VERSION_STR "28.1.6"
#define RCLCPP_VERSION_GTE(major, minor, patch) \
  ((major) < RCLCPP_VERSION_MAJOR ||            \
   ((major) == RCLCPP_VERSION_MAJOR &&          \
    ((minor) < RCLCPP_VERSION_MINOR || ((minor) == RCLCPP_VERSION_MINOR && (patch) <= RCLCPP_VERSION_PATCH))))
