// A node's logger.
#pragma once

#include "rclcpp/logger.hpp"

namespace rclcpp::node_interfaces {

class NodeLoggingInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeLoggingInterface)
  explicit NodeLoggingInterface(Logger logger) : logger_(std::move(logger)) {}
  Logger get_logger() const { return logger_; }
  const char* get_logger_name() const { return logger_.get_name(); }

 private:
  Logger logger_;
};

}  // namespace rclcpp::node_interfaces
