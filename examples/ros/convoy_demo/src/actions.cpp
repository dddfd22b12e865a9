// An action: going to a point in steps, with the distance left as feedback.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "convoy_demo/action/approach.hpp"
#include "geometry_msgs/msg/point.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy_demo {

using action::Approach;
using std::chrono_literals::operator""ms;

class Approacher : public rclcpp::Node {
 public:
  using GoalHandle = rclcpp_action::ServerGoalHandle<Approach>;

  explicit Approacher(const rclcpp::NodeOptions& options) : Node("approacher", options) {
    server_ = rclcpp_action::create_server<Approach>(
        this, "approach",
        [](const rclcpp_action::GoalUUID&, std::shared_ptr<const Approach::Goal> goal) {
          return goal->target.z == 0 ? rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE
                                     : rclcpp_action::GoalResponse::REJECT;
        },
        [](const std::shared_ptr<GoalHandle>) { return rclcpp_action::CancelResponse::ACCEPT; },
        [this](const std::shared_ptr<GoalHandle> goal) { start(goal); });
  }

 private:
  void start(const std::shared_ptr<GoalHandle>& goal) {
    goal_ = goal;
    steps_ = 0;
    const auto& target = goal->get_goal()->target;
    left_ = std::hypot(target.x, target.y);
    timer_ = create_wall_timer(50ms, [this] { step(); });
  }

  void step() {
    left_ = std::max(0.0, left_ - 0.5);
    ++steps_;
    if (left_ > 0) {
      auto feedback = std::make_shared<Approach::Feedback>();
      feedback->distance = left_;
      goal_->publish_feedback(feedback);
      return;
    }
    timer_->cancel();
    auto result = std::make_shared<Approach::Result>();
    result->steps = steps_;
    goal_->succeed(result);
  }

  rclcpp_action::Server<Approach>::SharedPtr server_;
  std::shared_ptr<GoalHandle> goal_;
  rclcpp::TimerBase::SharedPtr timer_;
  double left_ = 0;
  unsigned steps_ = 0;
};

class Commander : public rclcpp::Node {
 public:
  using GoalHandle = rclcpp_action::ClientGoalHandle<Approach>;

  explicit Commander(const rclcpp::NodeOptions& options) : Node("commander", options) {
    client_ = rclcpp_action::create_client<Approach>(this, "approach");
    timer_ = create_wall_timer(100ms, [this] { command(); });
  }

 private:
  void command() {
    if (!client_->action_server_is_ready()) return;
    timer_->cancel();
    Approach::Goal goal;
    goal.target.x = 3;
    goal.target.y = 4;
    rclcpp_action::Client<Approach>::SendGoalOptions options;
    options.feedback_callback = [this](GoalHandle::SharedPtr, const std::shared_ptr<const Approach::Feedback>) {
      ++feedbacks_;
    };
    options.result_callback = [this](const GoalHandle::WrappedResult& result) {
      RCLCPP_INFO(get_logger(), "%s after %u steps, %d feedbacks",
                  result.code == rclcpp_action::ResultCode::SUCCEEDED ? "arrived" : "failed", result.result->steps,
                  feedbacks_);
    };
    client_->async_send_goal(goal, options);
  }

  rclcpp_action::Client<Approach>::SharedPtr client_;
  rclcpp::TimerBase::SharedPtr timer_;
  int feedbacks_ = 0;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Approacher)
RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Commander)
