// Options of publishers and subscriptions. Callback groups, overriding options and two of the event callbacks have an
// effect, the others are stored.
#pragma once

#include <chrono>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/qos_overriding_options.hpp"

namespace rclcpp {

enum class IntraProcessSetting { Enable, Disable, NodeDefault };
enum class IntraProcessBufferType { SharedPtr, UniquePtr, CallbackDefault };
enum class TopicStatisticsState { Enable, Disable, NodeDefault };

struct PublisherOptionsBase {
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  PublisherEventCallbacks event_callbacks;
  bool use_default_callbacks = true;
  bool require_unique_network_flow_endpoints = false;
  CallbackGroup::SharedPtr callback_group;
  QosOverridingOptions qos_overriding_options;
};
template <class Allocator>
struct PublisherOptionsWithAllocator : PublisherOptionsBase {
  std::shared_ptr<Allocator> allocator;
  PublisherOptionsWithAllocator() = default;
  explicit PublisherOptionsWithAllocator(const PublisherOptionsBase& base) : PublisherOptionsBase(base) {}
};
using PublisherOptions = PublisherOptionsWithAllocator<std::allocator<void>>;

struct ContentFilterOptions {
  std::string filter_expression;
  std::vector<std::string> expression_parameters;
};
struct SubscriptionOptionsBase {
  struct TopicStatisticsOptions {
    TopicStatisticsState state = TopicStatisticsState::NodeDefault;
    std::string publish_topic = "/statistics";
    std::chrono::milliseconds publish_period{1000};
    QoS qos = SystemDefaultsQoS();
  };
  SubscriptionEventCallbacks event_callbacks;
  bool use_default_callbacks = true;
  bool ignore_local_publications = false;
  bool require_unique_network_flow_endpoints = false;
  CallbackGroup::SharedPtr callback_group;
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  IntraProcessBufferType intra_process_buffer_type = IntraProcessBufferType::CallbackDefault;
  TopicStatisticsOptions topic_stats_options;
  QosOverridingOptions qos_overriding_options;
  ContentFilterOptions content_filter_options;
};
template <class Allocator>
struct SubscriptionOptionsWithAllocator : SubscriptionOptionsBase {
  std::shared_ptr<Allocator> allocator;
  SubscriptionOptionsWithAllocator() = default;
  explicit SubscriptionOptionsWithAllocator(const SubscriptionOptionsBase& base) : SubscriptionOptionsBase(base) {}
};
using SubscriptionOptions = SubscriptionOptionsWithAllocator<std::allocator<void>>;

}  // namespace rclcpp
