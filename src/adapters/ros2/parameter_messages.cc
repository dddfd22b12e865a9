#include "adapters/ros2/parameter_messages.h"

namespace convoy::ros2 {

using nodes::ParameterType;
using nodes::ParameterValue;

rcl_interfaces::msg::ParameterValue message_of(const ParameterValue& value) {
  rcl_interfaces::msg::ParameterValue out;
  out.type = static_cast<std::uint8_t>(nodes::type_of(value));
  switch (nodes::type_of(value)) {
    case ParameterType::kNotSet: break;
    case ParameterType::kBool: out.bool_value = std::get<bool>(value); break;
    case ParameterType::kInteger: out.integer_value = std::get<std::int64_t>(value); break;
    case ParameterType::kDouble: out.double_value = std::get<double>(value); break;
    case ParameterType::kString: out.string_value = std::get<std::string>(value); break;
    case ParameterType::kByteArray: out.byte_array_value = std::get<std::vector<std::uint8_t>>(value); break;
    case ParameterType::kBoolArray: out.bool_array_value = std::get<std::vector<bool>>(value); break;
    case ParameterType::kIntegerArray: out.integer_array_value = std::get<std::vector<std::int64_t>>(value); break;
    case ParameterType::kDoubleArray: out.double_array_value = std::get<std::vector<double>>(value); break;
    case ParameterType::kStringArray: out.string_array_value = std::get<std::vector<std::string>>(value); break;
  }
  return out;
}

rcl_interfaces::msg::Parameter message_of(const nodes::Parameter& parameter) {
  rcl_interfaces::msg::Parameter out;
  out.name = parameter.name, out.value = message_of(parameter.value);
  return out;
}

rcl_interfaces::msg::ParameterDescriptor message_of(const std::string& name,
                                                    const nodes::ParameterDescriptor& descriptor) {
  rcl_interfaces::msg::ParameterDescriptor out;
  out.name = name, out.type = static_cast<std::uint8_t>(descriptor.type);
  out.description = descriptor.description, out.additional_constraints = descriptor.constraints;
  out.read_only = descriptor.read_only, out.dynamic_typing = descriptor.dynamic_typing;
  if (const auto& range = descriptor.doubles) {
    rcl_interfaces::msg::FloatingPointRange told;
    told.from_value = range->from, told.to_value = range->to, told.step = range->step;
    out.floating_point_range.push_back(told);
  }
  if (const auto& range = descriptor.integers) {
    rcl_interfaces::msg::IntegerRange told;
    told.from_value = range->from, told.to_value = range->to, told.step = static_cast<std::uint64_t>(range->step);
    out.integer_range.push_back(told);
  }
  return out;
}

Result<ParameterValue> value_in(const rcl_interfaces::msg::ParameterValue& message) {
  switch (static_cast<ParameterType>(message.type)) {
    case ParameterType::kNotSet: return ParameterValue();
    case ParameterType::kBool: return ParameterValue(message.bool_value);
    case ParameterType::kInteger: return ParameterValue(message.integer_value);
    case ParameterType::kDouble: return ParameterValue(message.double_value);
    case ParameterType::kString: return ParameterValue(message.string_value);
    case ParameterType::kByteArray: return ParameterValue(message.byte_array_value);
    case ParameterType::kBoolArray: return ParameterValue(message.bool_array_value);
    case ParameterType::kIntegerArray: return ParameterValue(message.integer_array_value);
    case ParameterType::kDoubleArray: return ParameterValue(message.double_array_value);
    case ParameterType::kStringArray: return ParameterValue(message.string_array_value);
  }
  return fail(ErrorCode::kInvalid, "a parameter has no type " + std::to_string(message.type));
}

}  // namespace convoy::ros2
