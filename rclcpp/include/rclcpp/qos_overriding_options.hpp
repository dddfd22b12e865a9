// Which qualities of a publisher or subscription users may set by parameters: qos_overrides./topic.publisher.depth.
//
// They are declared, read-only, when the publisher or subscription is made, for the full name of its topic.
#pragma once

#include <functional>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "rclcpp/qos.hpp"

namespace rclcpp {

enum class QosPolicyKind {
  AvoidRosNamespaceConventions,
  Deadline,
  Depth,
  Durability,
  History,
  Lifespan,
  Liveliness,
  LivelinessLeaseDuration,
  Reliability,
  Invalid
};
const char* qos_policy_kind_to_cstr(const QosPolicyKind& kind);
std::ostream& operator<<(std::ostream& out, const QosPolicyKind& kind);

struct QosCallbackResult {
  bool successful = true;
  std::string reason;
};
using QosCallback = std::function<QosCallbackResult(const QoS&)>;

namespace exceptions {
class InvalidQosOverridesException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
}  // namespace exceptions

class QosOverridingOptions {
 public:
  QosOverridingOptions() = default;
  // The id distinguishes what one node has more than once on a topic: qos_overrides./topic.publisher_id.depth.
  QosOverridingOptions(std::initializer_list<QosPolicyKind> kinds, QosCallback callback = {}, std::string id = {})
      : kinds_(kinds), callback_(std::move(callback)), id_(std::move(id)) {}
  static QosOverridingOptions with_default_policies(QosCallback callback = {}, std::string id = {}) {
    return {
        {QosPolicyKind::History, QosPolicyKind::Depth, QosPolicyKind::Reliability}, std::move(callback), std::move(id)};
  }
  const std::vector<QosPolicyKind>& get_policy_kinds() const { return kinds_; }
  const std::string& get_id() const { return id_; }
  const QosCallback& get_validation_callback() const { return callback_; }

 private:
  std::vector<QosPolicyKind> kinds_;
  QosCallback callback_;
  std::string id_;
};

namespace node_interfaces {
class NodeParametersInterface;
class NodeTopicsInterface;
}  // namespace node_interfaces

namespace detail {
// Declares the parameters. InvalidQosOverridesException: the callback refuses; std::invalid_argument: no such policy.
QoS declare_overrides(const QosOverridingOptions& options, node_interfaces::NodeParametersInterface* parameters,
                      const std::string& topic, QoS qos, bool publisher);
}  // namespace detail
}  // namespace rclcpp
