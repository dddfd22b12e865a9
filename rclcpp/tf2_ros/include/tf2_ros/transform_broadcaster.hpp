// Publishes on /tf where frames are.
#pragma once

#include <tf2_msgs/msg/tf_message.hpp>

#include "rclcpp/node.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

class TransformBroadcaster {
 public:
  template <class NodeT>
  explicit TransformBroadcaster(NodeT&& node, const rclcpp::QoS& qos = DynamicBroadcasterQoS(),
                                const rclcpp::PublisherOptions& options = {})
      : publisher_(rclcpp::create_publisher<tf2_msgs::msg::TFMessage>(node, "/tf", qos, options)) {}

  void sendTransform(const geometry_msgs::msg::TransformStamped& transform) { sendTransform(std::vector{transform}); }
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped>& transforms) {
    auto message = std::make_unique<tf2_msgs::msg::TFMessage>();
    message->transforms = transforms;
    publisher_->publish(std::move(message));
  }

 private:
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
};

}  // namespace tf2_ros
