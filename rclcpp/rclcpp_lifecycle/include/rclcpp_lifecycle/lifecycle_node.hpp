// A node with the managed states of ROS 2: unconfigured, inactive, active, finalized, and the transitions between them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "rclcpp/node_functions.hpp"
#include "rclcpp_lifecycle/lifecycle_publisher.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"
#include "rclcpp_lifecycle/transition.hpp"

namespace rclcpp_lifecycle {

// It has the functions of an rclcpp::Node, and is none.
class LifecycleNode : public rclcpp::detail::NodeFunctions,
                      public node_interfaces::LifecycleNodeInterface,
                      public std::enable_shared_from_this<LifecycleNode> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecycleNode)
  using CallbackReturn = node_interfaces::LifecycleNodeInterface::CallbackReturn;
  explicit LifecycleNode(const std::string& name, const rclcpp::NodeOptions& options = rclcpp::NodeOptions(),
                         bool enable_communication_interface = true)
      : LifecycleNode(name, "", options, enable_communication_interface) {}
  LifecycleNode(const std::string& name, const std::string& space,
                const rclcpp::NodeOptions& options = rclcpp::NodeOptions(), bool enable_communication_interface = true);
  ~LifecycleNode() override;

  // Becomes active and inactive with the node, if the node's on_activate() and on_deactivate() call those here.
  template <class MessageT, class AllocatorT = std::allocator<void>>
  std::shared_ptr<LifecyclePublisher<MessageT, AllocatorT>> create_publisher(
      const std::string& topic, const rclcpp::QoS& qos,
      const rclcpp::PublisherOptionsWithAllocator<AllocatorT>& options = {}) {
    auto publisher = NodeFunctions::create_publisher<MessageT, AllocatorT, LifecyclePublisher<MessageT, AllocatorT>>(
        topic, qos, options);
    add_managed_entity(publisher);
    return publisher;
  }
  void add_managed_entity(std::weak_ptr<ManagedEntityInterface> entity) { managed_.push_back(std::move(entity)); }

  const State& get_current_state() const { return current_; }
  std::vector<State> get_available_states() const;
  std::vector<Transition> get_available_transitions() const;  // of the current state
  std::vector<Transition> get_transition_graph() const;
  // Where it is now afterwards. A transition that its state does not have is a logged error, and changes nothing.
  const State& trigger_transition(const Transition& transition) { return trigger_transition(transition.id()); }
  const State& trigger_transition(const Transition& transition, CallbackReturn& code) {
    return trigger_transition(transition.id(), code);
  }
  const State& trigger_transition(std::uint8_t id) {
    CallbackReturn ignored;
    return trigger_transition(id, ignored);
  }
  const State& trigger_transition(std::uint8_t id, CallbackReturn& code);
  const State& configure() { return named("configure"); }
  const State& cleanup() { return named("cleanup"); }
  const State& activate() { return named("activate"); }
  const State& deactivate() { return named("deactivate"); }
  const State& shutdown() { return named("shutdown"); }
  const State& configure(CallbackReturn& code) { return named("configure", &code); }
  const State& cleanup(CallbackReturn& code) { return named("cleanup", &code); }
  const State& activate(CallbackReturn& code) { return named("activate", &code); }
  const State& deactivate(CallbackReturn& code) { return named("deactivate", &code); }
  const State& shutdown(CallbackReturn& code) { return named("shutdown", &code); }

  // These take the place of the virtual functions.
  using Callback = std::function<CallbackReturn(const State&)>;
  bool register_on_configure(Callback f) { return instead_of("configure", std::move(f)); }
  bool register_on_cleanup(Callback f) { return instead_of("cleanup", std::move(f)); }
  bool register_on_shutdown(Callback f) { return instead_of("shutdown", std::move(f)); }
  bool register_on_activate(Callback f) { return instead_of("activate", std::move(f)); }
  bool register_on_deactivate(Callback f) { return instead_of("deactivate", std::move(f)); }
  bool register_on_error(Callback f) { return instead_of("error", std::move(f)); }

  CallbackReturn on_activate(const State&) override;
  CallbackReturn on_deactivate(const State&) override;

 private:
  struct Communication;
  const State& named(const std::string& label, CallbackReturn* code = nullptr);
  bool instead_of(const std::string& label, Callback callback);
  CallbackReturn call(const std::string& label, const State& before);
  void enter(const State& state, std::uint8_t transition, const std::string& label);
  void open_communication();

  State current_;
  std::map<std::string, Callback> callbacks_;
  std::vector<std::weak_ptr<ManagedEntityInterface>> managed_;
  std::unique_ptr<Communication> communication_;
};

}  // namespace rclcpp_lifecycle
