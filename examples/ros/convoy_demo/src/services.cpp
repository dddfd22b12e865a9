// A service and who calls it.
#include <chrono>
#include <memory>

#include "convoy_demo/srv/calibrate.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy_demo {

using srv::Calibrate;
using std::chrono_literals::operator""ms;

class Calibrator : public rclcpp::Node {
 public:
  explicit Calibrator(const rclcpp::NodeOptions& options) : Node("calibrator", options) {
    const double bias = declare_parameter("bias", 0.25);
    service_ = create_service<Calibrate>("calibrate", [bias](const std::shared_ptr<Calibrate::Request> request,
                                                             std::shared_ptr<Calibrate::Response> response) {
      response->offset = request->reference - bias;
      response->done = true;
    });
  }

 private:
  rclcpp::Service<Calibrate>::SharedPtr service_;
};

class Operator : public rclcpp::Node {
 public:
  explicit Operator(const rclcpp::NodeOptions& options) : Node("operator", options) {
    client_ = create_client<Calibrate>("calibrate");
    timer_ = create_wall_timer(200ms, [this] { call(); });
  }

 private:
  void call() {
    if (!client_->service_is_ready()) return;
    timer_->cancel();
    auto request = std::make_shared<Calibrate::Request>();
    request->reference = 1.0;
    client_->async_send_request(request, [this](rclcpp::Client<Calibrate>::SharedFuture answer) {
      RCLCPP_INFO(get_logger(), "calibrated: offset %.2f", answer.get()->offset);
    });
  }

  rclcpp::Client<Calibrate>::SharedPtr client_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Calibrator)
RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Operator)
