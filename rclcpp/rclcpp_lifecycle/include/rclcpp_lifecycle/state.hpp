// A state of a lifecycle: its number in lifecycle_msgs/State, and its name.
#pragma once

#include <cstdint>
#include <string>

namespace rclcpp_lifecycle {

class State {
 public:
  State() = default;
  State(std::uint8_t id, const std::string& label) : id_(id), label_(label) {}
  std::uint8_t id() const { return id_; }
  std::string label() const { return label_; }

 private:
  std::uint8_t id_ = 0;
  std::string label_ = "unknown";
};

}  // namespace rclcpp_lifecycle
