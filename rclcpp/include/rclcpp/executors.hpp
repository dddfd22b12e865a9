// Executors. The order of callbacks is the simulation's, whichever of them is taken; they differ in their names alone.
//
// In a program with its own main() nodes receive only while an executor that has them spins. In a callback, spinning
// means to wait: others run meanwhile.
#pragma once

#include <future>

#include "rclcpp/node.hpp"

namespace rclcpp {

struct ExecutorOptions {
  Context::SharedPtr context = contexts::get_global_default_context();
  std::size_t max_conditions = 0;
};

class Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Executor)
  using NodeBase = node_interfaces::NodeBaseInterface::SharedPtr;
  explicit Executor(const ExecutorOptions& = {}) {}
  virtual ~Executor();

  virtual void add_node(NodeBase node, bool notify = true);
  virtual void add_node(Node::SharedPtr node, bool notify = true) { add_node(node->get_node_base_interface(), notify); }
  virtual void remove_node(NodeBase node, bool notify = true);
  virtual void remove_node(Node::SharedPtr node, bool notify = true) {
    remove_node(node->get_node_base_interface(), notify);
  }
  // A group that is not added with its node, or in a program with its own main() any. In a component the others run
  // anyway. std::runtime_error: an executor has it already.
  virtual void add_callback_group(CallbackGroup::SharedPtr group, NodeBase node, bool notify = true);
  virtual void remove_callback_group(CallbackGroup::SharedPtr group, bool notify = true);
  std::vector<CallbackGroup::WeakPtr> get_manually_added_callback_groups() const { return groups_; }
  std::vector<CallbackGroup::WeakPtr> get_automatically_added_callback_groups_from_nodes() const;
  std::vector<CallbackGroup::WeakPtr> get_all_callback_groups() const;
  // Until shutdown or cancel().
  virtual void spin();
  virtual void spin_some(std::chrono::nanoseconds = std::chrono::nanoseconds(0));
  virtual void spin_all(std::chrono::nanoseconds max) { spin_some(max); }
  virtual void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));
  void spin_node_some(NodeBase node);
  void spin_node_some(Node::SharedPtr node) { spin_node_some(node->get_node_base_interface()); }
  virtual void cancel() { cancelled_ = true; }
  bool is_spinning() const { return spinning_; }

  template <class FutureT, class Rep = std::int64_t, class Period = std::milli>
  FutureReturnCode spin_until_future_complete(
      const FutureT& future, std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return spin_until([&future] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
                      std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

 private:
  // A timeout below 0: none.
  FutureReturnCode spin_until(const std::function<bool()>& done, std::chrono::nanoseconds timeout);
  convoy::ros::Simulation& simulation() const;
  void set_held(bool held);
  bool wait_for_groups(std::chrono::nanoseconds timeout);

  struct Spinning;

  std::vector<std::weak_ptr<node_interfaces::NodeBaseInterface>> nodes_;
  std::vector<CallbackGroup::WeakPtr> groups_;
  bool cancelled_ = false, spinning_ = false;
};

namespace executors {
class SingleThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(SingleThreadedExecutor)
  using Executor::Executor;
};
class StaticSingleThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(StaticSingleThreadedExecutor)
  using Executor::Executor;
};
// One thread: what would run in parallel there takes turns here when it blocks.
class MultiThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(MultiThreadedExecutor)
  explicit MultiThreadedExecutor(const ExecutorOptions& options = {}, std::size_t = 0, bool = false,
                                 std::chrono::nanoseconds = std::chrono::nanoseconds(-1))
      : Executor(options) {}
  std::size_t get_number_of_threads() const { return 1; }
};
template <class FutureT, class Rep = std::int64_t, class Period = std::milli>
FutureReturnCode spin_node_until_future_complete(
    Executor& executor, Executor::NodeBase node, const FutureT& future,
    std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
  executor.add_node(node);
  const auto code = executor.spin_until_future_complete(future, timeout);
  executor.remove_node(node);
  return code;
}
}  // namespace executors
namespace experimental::executors {
class EventsExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(EventsExecutor)
  using Executor::Executor;
};
}  // namespace experimental::executors

void spin(Executor::NodeBase node);
void spin(Node::SharedPtr node);
void spin_some(Executor::NodeBase node);
void spin_some(Node::SharedPtr node);
inline void spin_all(Node::SharedPtr node, std::chrono::nanoseconds) { spin_some(node); }

template <class NodeT, class FutureT, class Rep = std::int64_t, class Period = std::milli>
FutureReturnCode spin_until_future_complete(
    std::shared_ptr<NodeT> node, const FutureT& future,
    std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
  Executor executor;
  if constexpr (std::is_base_of_v<node_interfaces::NodeBaseInterface, NodeT>)
    return executors::spin_node_until_future_complete(executor, node, future, timeout);
  else return executors::spin_node_until_future_complete(executor, node->get_node_base_interface(), future, timeout);
}

}  // namespace rclcpp
