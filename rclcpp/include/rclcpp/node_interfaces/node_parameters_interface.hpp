// What a node does with its parameters, over the kernel's store.
#pragma once

#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "nodes/topic.h"
#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

class ParameterService;

namespace node_interfaces {

struct PreSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(PreSetParametersCallbackHandle)
  using PreSetParametersCallbackType = std::function<void(std::vector<Parameter>&)>;
  convoy::nodes::ParameterStore::CallbackId id = 0;
};
struct OnSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(OnSetParametersCallbackHandle)
  using OnSetParametersCallbackType =
      std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter>&)>;
  using OnParametersSetCallbackType = OnSetParametersCallbackType;
  convoy::nodes::ParameterStore::CallbackId id = 0;
};
struct PostSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(PostSetParametersCallbackHandle)
  using PostSetParametersCallbackType = std::function<void(const std::vector<Parameter>&)>;
  convoy::nodes::ParameterStore::CallbackId id = 0;
};

class NodeBaseInterface;

// Shared, since a callback's handle takes the callback away when its last holder lets go, which may be after the node.
class NodeParametersInterface : public std::enable_shared_from_this<NodeParametersInterface> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeParametersInterface)
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using PostSetParametersCallbackType = PostSetParametersCallbackHandle::PostSetParametersCallbackType;
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;

  // The node keeps the store.
  NodeParametersInterface(convoy::nodes::ParameterStore& store, std::shared_ptr<NodeBaseInterface> node,
                          bool allow_undeclared)
      : store_(&store), node_(std::move(node)), allow_undeclared_(allow_undeclared) {}
  ~NodeParametersInterface();

  const ParameterValue& declare_parameter(const std::string& name, const ParameterValue& value,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false);
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false);
  void undeclare_parameter(const std::string& name);
  bool has_parameter(const std::string& name) const { return store().has(name); }
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(const std::vector<Parameter>& parameters);
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(const std::vector<Parameter>& parameters);
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const;
  Parameter get_parameter(const std::string& name) const;
  bool get_parameter(const std::string& name, Parameter& parameter) const;
  bool get_parameters_by_prefix(const std::string& prefix, std::map<std::string, Parameter>& parameters) const;
  std::vector<Descriptor> describe_parameters(const std::vector<std::string>& names) const;
  std::vector<std::uint8_t> get_parameter_types(const std::vector<std::string>& names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(const std::vector<std::string>& prefixes,
                                                            std::uint64_t depth) const;
  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(PreSetParametersCallbackType callback);
  OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(OnSetParametersCallbackType callback);
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(PostSetParametersCallbackType callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* h) { remove_callback(h->id); }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* h) { remove_callback(h->id); }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* h) { remove_callback(h->id); }
  void remove_callback(convoy::nodes::ParameterStore::CallbackId id) { store().remove_callback(id); }
  std::map<std::string, ParameterValue> get_parameter_overrides() const;

  // --- for the library
  // From now on changes are published on /parameter_events, if it has subscriptions.
  void publish_events(const QoS& qos) { events_qos_ = qos; }
  // The services are there once a client asks for one of them.
  void offer_services();
  void start_services();

 private:
  template <class Handle>
  std::shared_ptr<Handle> handle(convoy::nodes::ParameterStore::CallbackId id);
  const ParameterValue& declared(const std::string& name);

  convoy::nodes::ParameterStore& store() const;
  bool events_have_subscribers() const;
  void publish_event(rcl_interfaces::msg::ParameterEvent event);

  convoy::nodes::ParameterStore* store_;
  std::shared_ptr<NodeBaseInterface> node_;
  bool allow_undeclared_;
  bool offers_ = false;
  std::optional<QoS> events_qos_;                          // none: no events
  convoy::nodes::Owned<convoy::nodes::Publisher> events_;  // made for the first subscription
  std::shared_ptr<ParameterService> services_;
  std::map<std::string, ParameterValue> given_out_;  // rclcpp gives references to what it declared
};

}  // namespace node_interfaces
using node_interfaces::OnSetParametersCallbackHandle;
using node_interfaces::PostSetParametersCallbackHandle;
using node_interfaces::PreSetParametersCallbackHandle;
}  // namespace rclcpp
