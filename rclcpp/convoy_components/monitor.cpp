// convoy::Monitor ends the job: after a time, or when a node publishes an exit code.
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/u_int8.hpp>

#include "rclcpp/logging.hpp"
#include "seconds_parameter.hpp"

namespace convoy {

class Monitor : public rclcpp::Node {
 public:
  explicit Monitor(const rclcpp::NodeOptions& options) : Node("convoy_monitor", options) {
    const Duration timeout = ros::seconds_parameter(*this, "timeout");
    const auto code = declare_parameter("timeout_exit_code", 1);
    if (code < 0 || code > 255) throw std::invalid_argument("parameter 'timeout_exit_code': not 0 to 255");
    const auto topic = declare_parameter("exit_code_topic", std::string("/convoy/exit_code"));
    ros::Simulation& simulation = get_node_base_interface()->simulation();
    in_ = create_subscription<std_msgs::msg::UInt8>(
        topic, 1, [&simulation](const std_msgs::msg::UInt8& message) { simulation.finish(message.data); });
    if (timeout == Duration{0}) return;
    // The time counts from the first instant of the run, which need not be when this is made.
    timer_ = create_wall_timer(Duration{0}, [this, &simulation, timeout, code] {
      timer_ = create_wall_timer(timeout, [this, &simulation, code] {
        RCLCPP_WARN(get_logger(), "the time is over: exit code %d", static_cast<int>(code));
        simulation.finish(static_cast<int>(code));
      });
    });
  }

 private:
  rclcpp::SubscriptionBase::SharedPtr in_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy

RCLCPP_COMPONENTS_REGISTER_NODE(convoy::Monitor)
