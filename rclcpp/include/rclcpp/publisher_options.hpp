// Options of publishers and subscriptions. Callback groups have an effect, the others are stored.
#pragma once

#include <functional>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

enum class IntraProcessSetting { Enable, Disable, NodeDefault };
enum class IntraProcessBufferType { SharedPtr, UniquePtr, CallbackDefault };
enum class TopicStatisticsState { Enable, Disable, NodeDefault };
enum class QosPolicyKind {
  AvoidRosNamespaceConventions, Deadline, Depth, Durability, History, Lifespan, Liveliness, LivelinessLeaseDuration,
  Reliability, Invalid
};

struct QosCallbackResult {
  bool successful = true;
  std::string reason;
};
using QosCallback = std::function<QosCallbackResult(const QoS&)>;
class QosOverridingOptions {
 public:
  QosOverridingOptions() = default;
  QosOverridingOptions(std::initializer_list<QosPolicyKind> kinds, QosCallback callback = {}, std::string id = {})
      : kinds_(kinds), callback_(std::move(callback)), id_(std::move(id)) {}
  static QosOverridingOptions with_default_policies(QosCallback callback = {}, std::string id = {}) {
    return {{QosPolicyKind::History, QosPolicyKind::Depth, QosPolicyKind::Reliability}, std::move(callback), std::move(id)};
  }
  const std::vector<QosPolicyKind>& get_policy_kinds() const { return kinds_; }
  const std::string& get_id() const { return id_; }
  const QosCallback& get_validation_callback() const { return callback_; }

 private:
  std::vector<QosPolicyKind> kinds_;
  QosCallback callback_;
  std::string id_;
};

template <class Allocator>
struct PublisherOptionsWithAllocator {
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  bool use_default_callbacks = true;
  bool require_unique_network_flow_endpoints = false;
  CallbackGroup::SharedPtr callback_group;
  QosOverridingOptions qos_overriding_options;
  std::shared_ptr<Allocator> allocator;
};
using PublisherOptions = PublisherOptionsWithAllocator<std::allocator<void>>;

template <class Allocator>
struct SubscriptionOptionsWithAllocator {
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  IntraProcessBufferType intra_process_buffer_type = IntraProcessBufferType::CallbackDefault;
  bool use_default_callbacks = true;
  bool ignore_local_publications = false;
  bool require_unique_network_flow_endpoints = false;
  CallbackGroup::SharedPtr callback_group;
  QosOverridingOptions qos_overriding_options;
  std::shared_ptr<Allocator> allocator;
};
using SubscriptionOptions = SubscriptionOptionsWithAllocator<std::allocator<void>>;

}  // namespace rclcpp
