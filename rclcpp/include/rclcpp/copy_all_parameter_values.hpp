// One node's parameters for another node.
#pragma once

#include "rclcpp/logging.hpp"
#include "rclcpp/node_interfaces/get_node_interfaces.hpp"

namespace rclcpp {

// Declares what the other has and this has not; with `override_existing`, sets what both have.
template <class From, class To>
void copy_all_parameter_values(const From& source, const To& target, bool override_existing = false) {
  const auto from = node_interfaces::get_node_parameters_interface(source);
  const auto to = node_interfaces::get_node_parameters_interface(target);
  const auto names = from->list_parameters({}, 0).names;
  const auto descriptors = from->describe_parameters(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Parameter parameter;
    if (!from->get_parameter(names[i], parameter)) continue;
    if (!to->has_parameter(names[i])) {
      to->declare_parameter(names[i], parameter.get_parameter_value(), descriptors[i]);
    } else if (override_existing && !descriptors[i].read_only) {
      const auto result = to->set_parameters_atomically({parameter});
      if (!result.successful)
        RCLCPP_WARN(node_interfaces::get_node_logging_interface(target)->get_logger(),
                    "Unable to set parameter (%s): %s!", names[i].c_str(), result.reason.c_str());
    }
  }
}

}  // namespace rclcpp
