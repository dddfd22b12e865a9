#include "adapters/ros2/joint_command.h"

#include <algorithm>
#include <cmath>

namespace convoy::ros2 {

std::optional<std::uint32_t> actuator_of(const Panel& panel, std::string_view name) {
  const auto& all = panel.actuators;
  auto at = std::find_if(all.begin(), all.end(), [&](const Panel::Actuator& a) { return a.name == name; });
  if (at == all.end())
    at = std::find_if(all.begin(), all.end(), [&](const Panel::Actuator& a) { return a.joint == name; });
  if (at == all.end() || name.empty()) return std::nullopt;
  return static_cast<std::uint32_t>(at - all.begin());
}

std::optional<std::vector<Control>> controls_of(const sensor_msgs::msg::JointState& message, const Panel& panel,
                                                DoorCounts& counts) {
  for (const auto* array : {&message.position, &message.velocity, &message.effort})
    if (!array->empty() && array->size() != message.name.size()) return ++counts.wrong_length, std::nullopt;
  const auto& values = !message.position.empty()   ? message.position
                       : !message.velocity.empty() ? message.velocity
                                                   : message.effort;
  if (values.empty() && !message.name.empty()) return ++counts.wrong_length, std::nullopt;
  if (std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }))
    return ++counts.not_finite, std::nullopt;
  std::vector<Control> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto actuator = actuator_of(panel, message.name[i])) out.push_back({*actuator, values[i]});
    else ++counts.unknown_joint;
  return out;
}

}  // namespace convoy::ros2
