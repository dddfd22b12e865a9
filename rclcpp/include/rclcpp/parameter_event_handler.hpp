// Callbacks for changes of parameters, of the own node and of others.
#pragma once

#include <map>

#include "rclcpp/create_subscription.hpp"

namespace rclcpp {

struct ParameterCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterCallbackHandle)
  using ParameterCallbackType = std::function<void(const Parameter&)>;
  std::string parameter_name, node_name;
  ParameterCallbackType callback;
};
struct ParameterEventCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterEventCallbackHandle)
  using ParameterEventCallbackType = std::function<void(const rcl_interfaces::msg::ParameterEvent&)>;
  ParameterEventCallbackType callback;
};

class ParameterEventHandler {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterEventHandler)
  using Event = rcl_interfaces::msg::ParameterEvent;
  template <class NodeT>
  explicit ParameterEventHandler(const NodeT& node, const QoS& qos = ParameterEventsQoS())
      : base_(node_interfaces::get_node_base_interface(node)), callbacks_(std::make_shared<Callbacks>()) {
    subscription_ = create_subscription<Event>(
        node, "/parameter_events", qos, [callbacks = callbacks_](const Event& event) { callbacks->receive(event); });
  }

  // A callback goes with the last holder of its handle. The newest is called first.
  ParameterEventCallbackHandle::SharedPtr add_parameter_event_callback(
      ParameterEventCallbackHandle::ParameterEventCallbackType callback);
  void remove_parameter_event_callback(ParameterEventCallbackHandle::SharedPtr handle);
  // A node's name is full, relative to the namespace, or empty: the own node.
  ParameterCallbackHandle::SharedPtr add_parameter_callback(const std::string& parameter,
                                                            ParameterCallbackHandle::ParameterCallbackType callback,
                                                            const std::string& node = "");
  void remove_parameter_callback(ParameterCallbackHandle::SharedPtr handle);

  // The value in an event of a parameter that is new or changed.
  static bool get_parameter_from_event(const Event& event, Parameter& parameter, const std::string& name,
                                       const std::string& node = "");
  static Parameter get_parameter_from_event(const Event& event, const std::string& name, const std::string& node = "");
  static std::vector<Parameter> get_parameters_from_event(const Event& event);

 private:
  struct Callbacks {
    std::map<std::pair<std::string, std::string>, std::vector<ParameterCallbackHandle::WeakPtr>> of_parameters;
    std::vector<ParameterEventCallbackHandle::WeakPtr> of_events;
    void receive(const Event& event);
  };
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  std::shared_ptr<Callbacks> callbacks_;
  Subscription<Event>::SharedPtr subscription_;
};

}  // namespace rclcpp
