// A transition of a lifecycle, from one state to another.
#pragma once

#include "rclcpp_lifecycle/state.hpp"

namespace rclcpp_lifecycle {

class Transition {
 public:
  explicit Transition(std::uint8_t id, const std::string& label = "") : id_(id), label_(label) {}
  Transition(std::uint8_t id, const std::string& label, State start, State goal)
      : id_(id), label_(label), start_(std::move(start)), goal_(std::move(goal)) {}
  std::uint8_t id() const { return id_; }
  std::string label() const { return label_; }
  State start_state() const { return start_; }
  State goal_state() const { return goal_; }

 private:
  std::uint8_t id_;
  std::string label_;
  State start_, goal_;
};

}  // namespace rclcpp_lifecycle
