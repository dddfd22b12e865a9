// Fills a buffer with what is published on /tf and /tf_static.
#pragma once

#include <tf2_msgs/msg/tf_message.hpp>

#include <optional>

#include "rclcpp/node.hpp"
#include "tf2/buffer_core.hpp"
#include "tf2_ros/qos.hpp"

namespace tf2_ros {

class TransformListener {
 public:
  // With a node of its own.
  explicit TransformListener(tf2::BufferCore& buffer, bool spin_thread = true);
  // With spin_thread it receives while callbacks of the node wait, and while the program does not spin: its
  // subscriptions have a callback group of their own. Without, a lookup with a timeout in a callback of the node's
  // default group waits in vain.
  template <class NodeT>
  TransformListener(tf2::BufferCore& buffer, NodeT&& node, bool spin_thread = true,
                    const rclcpp::QoS& qos = DynamicListenerQoS(), const rclcpp::QoS& static_qos = StaticListenerQoS(),
                    const rclcpp::SubscriptionOptions& options = {},
                    const rclcpp::SubscriptionOptions& static_options = {})
      : buffer_(buffer) {
    using namespace rclcpp::node_interfaces;
    listen(get_node_base_interface(node), get_node_logging_interface(node)->get_logger(),
           get_node_parameters_interface(node), get_node_topics_interface(node), spin_thread, qos, static_qos, options,
           static_options);
  }
  TransformListener(tf2::BufferCore& buffer, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base,
                    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging,
                    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr parameters,
                    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics, bool spin_thread = true,
                    const rclcpp::QoS& qos = DynamicListenerQoS(), const rclcpp::QoS& static_qos = StaticListenerQoS(),
                    const rclcpp::SubscriptionOptions& options = {},
                    const rclcpp::SubscriptionOptions& static_options = {})
      : buffer_(buffer) {
    listen(base, logging->get_logger(), parameters, topics, spin_thread, qos, static_qos, options, static_options);
  }
  virtual ~TransformListener();
  TransformListener(const TransformListener&) = delete;
  TransformListener& operator=(const TransformListener&) = delete;

  // Puts them into the buffer; what it refuses is a warning of the node.
  virtual void subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr message, bool is_static);

 private:
  void listen(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base, rclcpp::Logger logger,
              const rclcpp::node_interfaces::NodeParametersInterface::SharedPtr& parameters,
              const rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr& topics, bool spin_thread,
              const rclcpp::QoS& qos, const rclcpp::QoS& static_qos, rclcpp::SubscriptionOptions options,
              rclcpp::SubscriptionOptions static_options);

  tf2::BufferCore& buffer_;
  std::optional<rclcpp::Logger> logger_;
  rclcpp::Node::SharedPtr own_node_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::SubscriptionBase::SharedPtr dynamic_, static_;
};

}  // namespace tf2_ros
