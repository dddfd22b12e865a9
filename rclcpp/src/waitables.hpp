// The waitables of a simulation's nodes: whose turn it is to be asked, and to run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nodes/trigger.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp::node_interfaces {
class NodeBaseInterface;
}

namespace convoy::ros {

class Simulation;

class Waitables {
 public:
  explicit Waitables(Simulation& simulation);
  ~Waitables();
  // It runs in that group until it goes, or `by` takes it back. `by` is whose it is: a name without contents.
  void add(const std::shared_ptr<rclcpp::Waitable>& waitable, const rclcpp::node_interfaces::NodeBaseInterface& node,
           const rclcpp::CallbackGroup& group, const void* by);
  void remove(const rclcpp::Waitable& waitable, const void* by);
  void remove_all(const void* by);
  // Something has happened: those with anything ready get an event, in the order in which they were added.
  void update();

 private:
  struct One;
  void run(One& one);
  void update_one(One& one, std::vector<const rcl_guard_condition_t*>& woken);
  void erase(const std::function<bool(const One&)>& which);

  Simulation& simulation_;
  std::vector<std::shared_ptr<One>> all_;
  bool updating_ = false;
};

}  // namespace convoy::ros
