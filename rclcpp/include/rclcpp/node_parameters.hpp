// What a node does with its parameters, over the kernel's store.
#pragma once

#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>

#include <functional>
#include <map>

#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp {
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

// Shared, since a callback's handle takes the callback away when its last holder lets go, which may be after the node.
class NodeParametersInterface : public std::enable_shared_from_this<NodeParametersInterface> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeParametersInterface)
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using PostSetParametersCallbackType = PostSetParametersCallbackHandle::PostSetParametersCallbackType;
  using Descriptor = rcl_interfaces::msg::ParameterDescriptor;

  // `owner` keeps the store.
  NodeParametersInterface(convoy::nodes::ParameterStore& store, std::shared_ptr<void> owner, bool allow_undeclared)
      : store_(&store), owner_(std::move(owner)), allow_undeclared_(allow_undeclared) {}

  const ParameterValue& declare_parameter(const std::string& name, const ParameterValue& value,
                                          const Descriptor& descriptor = Descriptor(), bool ignore_override = false);
  const ParameterValue& declare_parameter(const std::string& name, ParameterType type, const Descriptor& descriptor = Descriptor(),
                                          bool ignore_override = false);
  void undeclare_parameter(const std::string& name);
  bool has_parameter(const std::string& name) const { return store_->has(name); }
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
  void remove_callback(convoy::nodes::ParameterStore::CallbackId id) { store_->remove_callback(id); }
  std::map<std::string, ParameterValue> get_parameter_overrides() const;

 private:
  template <class Handle>
  std::shared_ptr<Handle> handle(convoy::nodes::ParameterStore::CallbackId id);
  const ParameterValue& remember(const std::string& name);

  convoy::nodes::ParameterStore* store_;
  std::shared_ptr<void> owner_;
  bool allow_undeclared_;
  std::map<std::string, ParameterValue> given_out_;  // rclcpp gives references to what it declared
};

}  // namespace node_interfaces
using node_interfaces::OnSetParametersCallbackHandle;
using node_interfaces::PostSetParametersCallbackHandle;
using node_interfaces::PreSetParametersCallbackHandle;
}  // namespace rclcpp
