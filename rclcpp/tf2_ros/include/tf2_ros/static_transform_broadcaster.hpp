// Publishes on /tf_static where frames always are; also for later subscriptions.
#pragma once

#include <tf2_msgs/msg/tf_message.hpp>

#include <algorithm>

#include "rclcpp/node.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

class StaticTransformBroadcaster {
 public:
  template <class NodeT>
  explicit StaticTransformBroadcaster(NodeT&& node, const rclcpp::QoS& qos = StaticBroadcasterQoS(),
                                      const rclcpp::PublisherOptions& options = {})
      : publisher_(rclcpp::create_publisher<tf2_msgs::msg::TFMessage>(node, "/tf_static", qos, options)) {}

  void sendTransform(const geometry_msgs::msg::TransformStamped& transform) { sendTransform(std::vector{transform}); }
  // Each message has all that were ever sent, the last one of each child: one message is all that is kept for the late.
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped>& transforms) {
    for (const auto& transform : transforms) {
      const auto same = std::find_if(all_.transforms.begin(), all_.transforms.end(),
                                     [&](const auto& t) { return t.child_frame_id == transform.child_frame_id; });
      if (same == all_.transforms.end()) all_.transforms.push_back(transform);
      else *same = transform;
    }
    publisher_->publish(all_);
  }

 private:
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
  tf2_msgs::msg::TFMessage all_;
};

}  // namespace tf2_ros
