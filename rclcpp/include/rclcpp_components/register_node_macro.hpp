// RCLCPP_COMPONENTS_REGISTER_NODE(demo::Talker): a loaded library registers which nodes it can make.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/node.hpp"

namespace rclcpp_components {

// A node of a component, which need not be an rclcpp::Node.
class NodeInstanceWrapper {
 public:
  using NodeBaseInterfaceGetter =
      std::function<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr(const std::shared_ptr<void>&)>;
  NodeInstanceWrapper() = default;
  NodeInstanceWrapper(std::shared_ptr<void> node, NodeBaseInterfaceGetter getter)
      : node_(std::move(node)), getter_(std::move(getter)) {}
  std::shared_ptr<void> get_node_instance() { return node_; }
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() {
    return getter_ ? getter_(node_) : nullptr;
  }

 private:
  std::shared_ptr<void> node_;
  NodeBaseInterfaceGetter getter_;
};

class NodeFactory {
 public:
  virtual ~NodeFactory() = default;
  virtual NodeInstanceWrapper create_node_instance(const rclcpp::NodeOptions& options) = 0;
};

template <class NodeT>
class NodeFactoryTemplate : public NodeFactory {
 public:
  NodeInstanceWrapper create_node_instance(const rclcpp::NodeOptions& options) override {
    auto node = std::make_shared<NodeT>(options);
    return {node,
            [](const std::shared_ptr<void>& n) { return static_cast<NodeT*>(n.get())->get_node_base_interface(); }};
  }
};

// Known while the library that holds it is loaded. (The one registry filled before main(): a component library has no
// other way to report what it holds; ROS 2's class_loader does the same.)
class Registration {
 public:
  Registration(const char* class_name, NodeFactory& factory);
  ~Registration();
  const std::string& class_name() const { return class_name_; }
  NodeFactory& factory() const { return *factory_; }

 private:
  std::string class_name_;
  NodeFactory* factory_;
};

// In order of loading.
const std::vector<const Registration*>& registered();
// Null: no loaded library has it.
NodeFactory* find_component(const std::string& class_name);
// In order of the alphabet.
std::vector<std::string> component_names();

}  // namespace rclcpp_components

// In packages outside of this tree class_loader has it too, where that is there: for programs that load components by it.
#if defined(CONVOY_CLASS_LOADER)
#include <class_loader/class_loader.hpp>
#define RCLCPP_COMPONENTS_DETAIL_LOADER(NodeClass) \
  CLASS_LOADER_REGISTER_CLASS(rclcpp_components::NodeFactoryTemplate<NodeClass>, rclcpp_components::NodeFactory)
#else
#define RCLCPP_COMPONENTS_DETAIL_LOADER(NodeClass)
#endif

// The number keeps several of them apart, also where sources are compiled together.
#define RCLCPP_COMPONENTS_DETAIL_REGISTER2(NodeClass, number)                                                    \
  namespace {                                                                                                    \
  rclcpp_components::NodeFactoryTemplate<NodeClass> component_factory_##number;                                  \
  const rclcpp_components::Registration component_registration_##number(#NodeClass, component_factory_##number); \
  }
#define RCLCPP_COMPONENTS_DETAIL_REGISTER(NodeClass, number) RCLCPP_COMPONENTS_DETAIL_REGISTER2(NodeClass, number)
#define RCLCPP_COMPONENTS_REGISTER_NODE(NodeClass)          \
  RCLCPP_COMPONENTS_DETAIL_REGISTER(NodeClass, __COUNTER__) \
  RCLCPP_COMPONENTS_DETAIL_LOADER(NodeClass)
