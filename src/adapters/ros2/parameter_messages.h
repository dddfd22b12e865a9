// Values and descriptions of parameters as rcl_interfaces has them.
#pragma once

#include <rcl_interfaces/msg/parameter.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>

#include "nodes/parameters.h"

namespace convoy::ros2 {

rcl_interfaces::msg::ParameterValue message_of(const nodes::ParameterValue& value);
rcl_interfaces::msg::Parameter message_of(const nodes::Parameter& parameter);
rcl_interfaces::msg::ParameterDescriptor message_of(const std::string& name,
                                                    const nodes::ParameterDescriptor& descriptor);
// kInvalid: its type is none of ParameterType's.
Result<nodes::ParameterValue> value_in(const rcl_interfaces::msg::ParameterValue& message);

}  // namespace convoy::ros2
