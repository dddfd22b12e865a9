// Events of publishers and subscriptions about each other. Called by the graph, in the order of all events.
//
// matched and incompatible_qos are called. The others never are: deadlines and liveliness have no effect here, a topic
// has one type, and what a full queue drops is not reported. They are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "nodes/topic.h"
#include "rclcpp/callback_group.hpp"

enum rmw_qos_policy_kind_e {
  RMW_QOS_POLICY_INVALID = 1 << 0,
  RMW_QOS_POLICY_DURABILITY = 1 << 1,
  RMW_QOS_POLICY_DEADLINE = 1 << 2,
  RMW_QOS_POLICY_LIVELINESS = 1 << 3,
  RMW_QOS_POLICY_RELIABILITY = 1 << 4,
  RMW_QOS_POLICY_HISTORY = 1 << 5,
  RMW_QOS_POLICY_LIFESPAN = 1 << 6,
  RMW_QOS_POLICY_DEPTH = 1 << 7,
  RMW_QOS_POLICY_LIVELINESS_LEASE_DURATION = 1 << 8,
  RMW_QOS_POLICY_AVOID_ROS_NAMESPACE_CONVENTIONS = 1 << 9
};
using rmw_qos_policy_kind_t = rmw_qos_policy_kind_e;

// Since the last call: ..._change. Totals never sink.
struct rmw_offered_qos_incompatible_event_status_t {
  std::int32_t total_count = 0, total_count_change = 0;
  rmw_qos_policy_kind_t last_policy_kind = RMW_QOS_POLICY_INVALID;
};
using rmw_requested_qos_incompatible_event_status_t = rmw_offered_qos_incompatible_event_status_t;
struct rmw_matched_status_t {
  std::size_t total_count = 0, total_count_change = 0;
  std::size_t current_count = 0;
  std::int32_t current_count_change = 0;
};
struct rmw_offered_deadline_missed_status_t {
  std::int32_t total_count = 0, total_count_change = 0;
};
using rmw_requested_deadline_missed_status_t = rmw_offered_deadline_missed_status_t;
struct rmw_liveliness_lost_status_t {
  std::int32_t total_count = 0, total_count_change = 0;
};
struct rmw_liveliness_changed_status_t {
  std::int32_t alive_count = 0, not_alive_count = 0, alive_count_change = 0, not_alive_count_change = 0;
};
struct rmw_message_lost_status_t {
  std::size_t total_count = 0, total_count_change = 0;
};
struct rmw_incompatible_type_status_t {
  std::int32_t total_count = 0, total_count_change = 0;
};

namespace rclcpp {

using QOSDeadlineRequestedInfo = rmw_requested_deadline_missed_status_t;
using QOSDeadlineOfferedInfo = rmw_offered_deadline_missed_status_t;
using QOSLivelinessChangedInfo = rmw_liveliness_changed_status_t;
using QOSLivelinessLostInfo = rmw_liveliness_lost_status_t;
using QOSMessageLostInfo = rmw_message_lost_status_t;
using QOSOfferedIncompatibleQoSInfo = rmw_offered_qos_incompatible_event_status_t;
using QOSRequestedIncompatibleQoSInfo = rmw_requested_qos_incompatible_event_status_t;
using IncompatibleTypeInfo = rmw_incompatible_type_status_t;
using MatchedInfo = rmw_matched_status_t;

using QOSDeadlineRequestedCallbackType = std::function<void(QOSDeadlineRequestedInfo&)>;
using QOSDeadlineOfferedCallbackType = std::function<void(QOSDeadlineOfferedInfo&)>;
using QOSLivelinessChangedCallbackType = std::function<void(QOSLivelinessChangedInfo&)>;
using QOSLivelinessLostCallbackType = std::function<void(QOSLivelinessLostInfo&)>;
using QOSMessageLostCallbackType = std::function<void(QOSMessageLostInfo&)>;
using QOSOfferedIncompatibleQoSCallbackType = std::function<void(QOSOfferedIncompatibleQoSInfo&)>;
using QOSRequestedIncompatibleQoSCallbackType = std::function<void(QOSRequestedIncompatibleQoSInfo&)>;
using IncompatibleTypeCallbackType = std::function<void(IncompatibleTypeInfo&)>;
using PublisherMatchedCallbackType = std::function<void(MatchedInfo&)>;
using SubscriptionMatchedCallbackType = std::function<void(MatchedInfo&)>;

struct PublisherEventCallbacks {
  QOSDeadlineOfferedCallbackType deadline_callback;
  QOSLivelinessLostCallbackType liveliness_callback;
  QOSOfferedIncompatibleQoSCallbackType incompatible_qos_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  PublisherMatchedCallbackType matched_callback;
};
struct SubscriptionEventCallbacks {
  QOSDeadlineRequestedCallbackType deadline_callback;
  QOSLivelinessChangedCallbackType liveliness_callback;
  QOSRequestedIncompatibleQoSCallbackType incompatible_qos_callback;
  QOSMessageLostCallbackType message_lost_callback;
  IncompatibleTypeCallbackType incompatible_type_callback;
  SubscriptionMatchedCallbackType matched_callback;
};

namespace node_interfaces {
class NodeBaseInterface;
}
namespace detail {
// Empty unless one of the two is there.
convoy::nodes::MatchListener match_listener(const node_interfaces::NodeBaseInterface& node, const std::string& topic,
                                            const CallbackGroup::SharedPtr& group,
                                            std::function<void(MatchedInfo&)> matched,
                                            std::function<void(QOSOfferedIncompatibleQoSInfo&)> incompatible);
}  // namespace detail
}  // namespace rclcpp
