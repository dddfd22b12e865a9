// A robot's own software that changes the world: it makes crates, stacks them on its forks, drives off with the stack, and
// puts it down. The services are the run's own, in the robot's namespace, where its scenario has `edits`.
#include <chrono>
#include <memory>
#include <string>

#include <convoy_msgs/srv/attach_entity.hpp>
#include <convoy_msgs/srv/detach_entity.hpp>
#include <convoy_msgs/srv/spawn_entity.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>

namespace convoy_builder {

using convoy_msgs::srv::AttachEntity;
using convoy_msgs::srv::DetachEntity;
using convoy_msgs::srv::SpawnEntity;

class Stacker : public rclcpp::Node {
 public:
  explicit Stacker(const rclcpp::NodeOptions& options) : Node("stacker", options) {
    crates_ = declare_parameter("crates", 4);
    model_ = declare_parameter("model", "box");
    height_ = declare_parameter("height", 0.4);
    name_ = declare_parameter("name", "crate");
    command_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    spawn_ = create_client<SpawnEntity>("convoy/spawn");
    attach_ = create_client<AttachEntity>("convoy/attach");
    detach_ = create_client<DetachEntity>("convoy/detach");
    timer_ = create_wall_timer(std::chrono::milliseconds(200), [this] { next(); });
  }

 private:
  void next() {
    if (waits_) return;
    if (stacked_ < crates_) return make();
    if (drives_ > 0) {
      --drives_;
      geometry_msgs::msg::Twist command;
      command.linear.x = 0.2;
      command.angular.z = 0.1;
      return command_->publish(command);
    }
    put_down();
    timer_->cancel();
  }

  // One more crate, on top of those that are there, as the robot sees it.
  void make() {
    auto request = std::make_shared<SpawnEntity::Request>();
    request->name = name_ + "_" + std::to_string(stacked_);
    request->model = model_;
    request->frame = "~";
    request->pose.position.x = 0.6;
    request->pose.position.z = height_ * static_cast<double>(stacked_);
    waits_ = true;
    spawn_->async_send_request(request, [this](rclcpp::Client<SpawnEntity>::SharedFuture made) {
      if (!made.get()->success) return give_up(made.get()->message);
      hang_on(made.get()->name);
    });
  }

  void hang_on(const std::string& crate) {
    auto request = std::make_shared<AttachEntity::Request>();
    request->parent = below_;
    request->child = crate;
    attach_->async_send_request(request, [this, crate](rclcpp::Client<AttachEntity>::SharedFuture done) {
      if (!done.get()->success) return give_up(done.get()->message);
      RCLCPP_INFO(get_logger(), "stacked %s on %s at %.2f s", crate.c_str(), below_.c_str(), now().seconds());
      below_ = crate;
      ++stacked_;
      waits_ = false;
    });
  }

  void put_down() {
    auto request = std::make_shared<DetachEntity::Request>();
    request->child = name_ + "_0";
    detach_->async_send_request(request, [this](rclcpp::Client<DetachEntity>::SharedFuture done) {
      if (!done.get()->success) return give_up(done.get()->message);
      RCLCPP_INFO(get_logger(), "put down a stack of %ld", static_cast<long>(stacked_));
    });
  }

  void give_up(const std::string& why) {
    RCLCPP_ERROR(get_logger(), "refused: %s", why.c_str());
    timer_->cancel();
  }

  std::int64_t crates_ = 0, stacked_ = 0;
  std::string model_, name_, below_ = "~";
  double height_ = 0;
  bool waits_ = false;
  int drives_ = 15;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr command_;
  rclcpp::Client<SpawnEntity>::SharedPtr spawn_;
  rclcpp::Client<AttachEntity>::SharedPtr attach_;
  rclcpp::Client<DetachEntity>::SharedPtr detach_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_builder

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_builder::Stacker)
