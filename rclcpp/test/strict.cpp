// Every header, and macros amid names that they must not shadow, under -Wall -Wextra -Wpedantic -Wshadow -Werror.
#include "all_headers.hpp"

void strict(const rclcpp::Node& node, int last, bool before) {
  const auto logger = node.get_logger();
  auto clock = *node.get_clock();
  std::ostringstream text;
  RCLCPP_INFO(logger, "none");
  RCLCPP_INFO_ONCE(logger, "%d", last);
  RCLCPP_WARN_THROTTLE(logger, clock, last, "%d", before);
  RCLCPP_WARN_SKIPFIRST_THROTTLE(logger, clock, 1000, "%d", last);
  RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, 1000, "of " << last << text.str());
  RCLCPP_DEBUG_STREAM_SKIPFIRST(logger, before);
  RCLCPP_FATAL_EXPRESSION(logger, before, "%d", last);
  RCUTILS_LOG_INFO_NAMED("lib", "none");
  RCUTILS_LOG_WARN_THROTTLE(nullptr, 100, "%d %d", last, before);
}
