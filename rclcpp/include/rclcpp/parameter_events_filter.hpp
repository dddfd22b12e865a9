// Of a parameter event, what concerns parameters of certain names in certain ways.
#pragma once

#include <rcl_interfaces/msg/parameter_event.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/macros.hpp"

namespace rclcpp {

class ParameterEventsFilter {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterEventsFilter)
  enum class EventType { NEW, DELETED, CHANGED };
  using EventPair = std::pair<EventType, const rcl_interfaces::msg::Parameter*>;

  ParameterEventsFilter(std::shared_ptr<const rcl_interfaces::msg::ParameterEvent> event,
                        const std::vector<std::string>& names, const std::vector<EventType>& types)
      : event_(std::move(event)) {
    const auto add = [&](EventType type, const auto& list) {
      if (std::find(types.begin(), types.end(), type) == types.end()) return;
      for (const auto& parameter : list)
        if (std::find(names.begin(), names.end(), parameter.name) != names.end())
          result_.emplace_back(type, &parameter);
    };
    add(EventType::NEW, event_->new_parameters);
    add(EventType::CHANGED, event_->changed_parameters);
    add(EventType::DELETED, event_->deleted_parameters);
  }
  const std::vector<EventPair>& get_events() const { return result_; }

 private:
  std::shared_ptr<const rcl_interfaces::msg::ParameterEvent> event_;
  std::vector<EventPair> result_;
};

}  // namespace rclcpp
