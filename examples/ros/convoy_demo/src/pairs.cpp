// Readings of two sensors that belong together.
#include <cmath>
#include <functional>
#include <memory>

#include "convoy_demo/msg/reading.hpp"
#include "message_filters/subscriber.h"
#include "message_filters/sync_policies/approximate_time.h"
#include "message_filters/synchronizer.h"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace convoy_demo {

using msg::Reading;

class Pairs : public rclcpp::Node {
 public:
  explicit Pairs(const rclcpp::NodeOptions& options) : Node("pairs", options), sync_(Policy(10), left_, right_) {
    left_.subscribe(this, "left");
    right_.subscribe(this, "right");
    sync_.registerCallback(std::bind(&Pairs::heard, this, std::placeholders::_1, std::placeholders::_2));
  }

 private:
  using Policy = message_filters::sync_policies::ApproximateTime<Reading, Reading>;

  void heard(const Reading::ConstSharedPtr& left, const Reading::ConstSharedPtr& right) {
    const rclcpp::Duration apart = rclcpp::Time(left->header.stamp) - rclcpp::Time(right->header.stamp);
    if (++pairs_ % 5 == 0)
      RCLCPP_INFO(get_logger(), "%d pairs, the last %.0f ms apart", pairs_, std::abs(apart.seconds()) * 1000);
  }

  int pairs_ = 0;
  message_filters::Subscriber<Reading> left_, right_;
  message_filters::Synchronizer<Policy> sync_;
};

}  // namespace convoy_demo

RCLCPP_COMPONENTS_REGISTER_NODE(convoy_demo::Pairs)
