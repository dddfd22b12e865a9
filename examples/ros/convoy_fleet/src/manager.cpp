// A fleet manager, which belongs to no robot: watches all robots by their full names and lets one after the other rest.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>

namespace convoy_fleet {

class Manager : public rclcpp::Node {
 public:
  explicit Manager(const rclcpp::NodeOptions& options) : Node("manager", options) {
    const auto names = declare_parameter("robots", std::vector<std::string>{});
    report_ = create_publisher<std_msgs::msg::String>("/fleet/report", rclcpp::QoS(10).transient_local());
    for (const std::string& name : names) {
      auto robot = std::make_shared<Robot>();
      robot->name = name;
      robot->odometry = create_subscription<nav_msgs::msg::Odometry>(
          "/" + name + "/odom", 10, [this, robot = robot.get()](const nav_msgs::msg::Odometry& odom) {
            const rclcpp::Duration age = now() - rclcpp::Time(odom.header.stamp);
            robot->heard += 1;
            robot->x = odom.pose.pose.position.x, robot->y = odom.pose.pose.position.y;
            robot->oldest = std::max(robot->oldest, age.nanoseconds());
          });
      robot->work = create_client<std_srvs::srv::SetBool>("/" + name + "/work");
      robots_.push_back(robot);
    }
    timer_ = create_wall_timer(std::chrono::seconds(2), [this] { next(); });
  }

 private:
  struct Robot {
    std::string name;
    int heard = 0;
    double x = 0, y = 0;
    std::int64_t oldest = 0;
    rclcpp::Subscription<nav_msgs::msg::Odometry>::SharedPtr odometry;
    rclcpp::Client<std_srvs::srv::SetBool>::SharedPtr work;
  };

  void next() {
    if (robots_.empty()) return;
    for (std::size_t i = 0; i < robots_.size(); ++i) {
      if (!robots_[i]->work->service_is_ready()) {
        RCLCPP_WARN(get_logger(), "%s is not there", robots_[i]->name.c_str());
        continue;
      }
      auto request = std::make_shared<std_srvs::srv::SetBool::Request>();
      request->data = i != resting_;
      robots_[i]->work->async_send_request(
          request, [this, robot = robots_[i]](rclcpp::Client<std_srvs::srv::SetBool>::SharedFuture future) {
            std_msgs::msg::String line;
            line.data = robot->name + " is " + future.get()->message + " at " + std::to_string(robot->x) + " " +
                        std::to_string(robot->y) + ", heard " + std::to_string(robot->heard) + " times, at most " +
                        std::to_string(robot->oldest) + " ns late";
            RCLCPP_INFO(get_logger(), "%s", line.data.c_str());
            report_->publish(line);
          });
    }
    resting_ = (resting_ + 1) % robots_.size();
  }

  std::vector<std::shared_ptr<Robot>> robots_;
  std::size_t resting_ = 0;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr report_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_fleet

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_fleet::Manager)
