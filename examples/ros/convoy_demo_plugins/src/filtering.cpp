// Readings of another package through the plugin that a parameter names.
#include <memory>
#include <string>

#include "convoy_demo/msg/reading.hpp"
#include "convoy_demo_plugins/filter.hpp"
#include "convoy_demo_plugins/msg/filtered.hpp"
#include "pluginlib/class_loader.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy_demo_plugins {

using convoy_demo::msg::Reading;
using msg::Filtered;

class Filtering : public rclcpp::Node {
 public:
  explicit Filtering(const rclcpp::NodeOptions& options)
      : Node("filtering", options), loader_("convoy_demo_plugins", "convoy_demo_plugins::Filter") {
    filter_ = loader_.createSharedInstance(declare_parameter<std::string>("filter", "convoy_demo_plugins::Negated"));
    filtered_ = create_publisher<Filtered>("filtered", 10);
    readings_ = create_subscription<Reading>("readings", 10, [this](Reading::ConstSharedPtr reading) {
      Filtered message;
      message.raw = *reading;
      message.value = filter_->filtered(reading->value);
      filtered_->publish(message);
      if (++heard_ % 5 == 0) RCLCPP_INFO(get_logger(), "%d readings filtered, the last to %.6f", heard_, message.value);
    });
  }

 private:
  pluginlib::ClassLoader<Filter> loader_;
  std::shared_ptr<Filter> filter_;
  rclcpp::Publisher<Filtered>::SharedPtr filtered_;
  rclcpp::Subscription<Reading>::SharedPtr readings_;
  int heard_ = 0;
};

}  // namespace convoy_demo_plugins

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo_plugins::Filtering)
