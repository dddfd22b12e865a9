// A node's identity; executors and the other interfaces take it instead of a node.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convoy_ros/simulation.hpp"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/guard_condition.hpp"

namespace rclcpp::node_interfaces {

class NodeBaseInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeBaseInterface)
  using CallbackGroupFunction = std::function<void(CallbackGroup::SharedPtr)>;
  NodeBaseInterface(convoy::nodes::Owned<convoy::nodes::Node> node, convoy::ros::Simulation& simulation,
                    bool intra_process = false);

  const char* get_name() const { return node_->name().c_str(); }
  const char* get_namespace() const { return node_->space().c_str(); }
  const char* get_fully_qualified_name() const { return node_->full_name().c_str(); }
  Context::SharedPtr get_context() { return contexts::get_global_default_context(); }
  CallbackGroup::SharedPtr create_callback_group(CallbackGroupType type, bool automatically_add = true);
  CallbackGroup::SharedPtr get_default_callback_group() { return default_group_; }
  bool callback_group_in_node(CallbackGroup::SharedPtr group);
  void for_each_callback_group(const CallbackGroupFunction& function);
  GuardCondition::SharedPtr get_shared_notify_guard_condition();
  void trigger_notify_guard_condition() { get_shared_notify_guard_condition()->trigger(); }
  bool get_use_intra_process_default() const { return intra_process_; }
  bool get_enable_topic_statistics_default() const { return false; }
  // The full name, remapped unless it is only to be expanded; throws if it is none.
  std::string resolve_topic_or_service_name(const std::string& name, bool is_service, bool only_expand = false) const;

  // --- for the library
  // Of a program with its own main(): its groups run only while that spins, and executors that spin may be nested.
  void set_held(bool held);
  // What errors and warnings call a callback: "/robot/n: callback of topic 'scan'". It lasts as long as the simulation.
  const std::string& about(const char* what, const std::string& name = {}) const;
  convoy::nodes::Node& kernel() const { return *node_; }
  convoy::ros::Simulation& simulation() const { return simulation_; }

 private:
  convoy::nodes::Owned<convoy::nodes::Node> node_;
  convoy::ros::Simulation& simulation_;
  CallbackGroup::SharedPtr default_group_;
  std::vector<CallbackGroup::WeakPtr> groups_;
  GuardCondition::SharedPtr notify_;  // made for the first use
  bool intra_process_;
  bool holds_;        // a program's
  int spinning_ = 0;  // executors that spin it now
};

}  // namespace rclcpp::node_interfaces
