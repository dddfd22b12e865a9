#include "rclcpp/executors.hpp"

#include <algorithm>
#include <cstdlib>

#include "alone.hpp"
#include "joining.hpp"
#include "library.hpp"
#include "os/fibres.h"
#include "rclcpp/utilities.hpp"

namespace rclcpp {
namespace {

using convoy::ros::Simulation;

// A program with its own main(): its simulation, current on the thread that called init().
struct Program {
  explicit Program(std::vector<std::string> arguments)
      : pace(convoy::ros::pace_from_environment()),
        simulation(
            {.graph = {.execution = &fibres}, .arguments = std::move(arguments), .program = true, .pace = pace.get()}),
        scope(simulation) {
    if (pace) convoy::ros::begin_pace(*pace, simulation);
  }
  convoy::os::Fibres fibres;
  std::unique_ptr<convoy::ros::Pace> pace;
  Simulation simulation;
  Simulation::Scope scope;
};
struct Programs {
  std::unique_ptr<Program> one;
  ~Programs() { drop(); }
  void drop() {
    if (!one) return;
    one->simulation.shutdown();
    if (!convoy::ros::finish_nodes(one->simulation, [] {})) {
      [[maybe_unused]] const Program* the_threads = one.release();
    }
    one.reset();
  }
};
Programs& program() {
  static Programs one;
  return one;
}

Simulation& current(const char* call) {
  convoy::ros::in_order(call);
  Simulation* simulation = Simulation::current();
  if (!simulation) throw std::runtime_error("rclcpp::init() has not been called");
  return *simulation;
}

}  // namespace

// --- the program

void init(int argc, char const* const* argv, const InitOptions&, SignalHandlerOptions) {
  convoy::ros::in_order("rclcpp::init()");
  if (Simulation::current()) return;
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const char* where = std::getenv(convoy::ros::kJoinVariable); where && *where) {
    static Simulation::Scope in_the_run(convoy::ros::join(where, std::move(arguments)));
    return;
  }
  program().drop();
  program().one = std::make_unique<Program>(std::move(arguments));
}

std::vector<std::string> remove_ros_arguments(int argc, char const* const* argv) {
  std::vector<std::string> left;
  bool inside = false;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--ros-args") inside = true;
    else if (inside && word == "--") inside = false;
    else if (!inside) left.push_back(word);
  }
  return left;
}

std::vector<std::string> init_and_remove_ros_arguments(int argc, char const* const* argv, const InitOptions& options) {
  init(argc, argv, options);
  return remove_ros_arguments(argc, argv);
}

bool ok(Context::SharedPtr) {
  convoy::ros::in_order("rclcpp::ok()");
  return Simulation::current() && Simulation::current()->ok();
}

bool shutdown(Context::SharedPtr, const std::string&) {
  if (!ok()) return false;
  Simulation::current()->shutdown();
  return true;
}

void on_shutdown(std::function<void()> callback, Context::SharedPtr) {
  (void)contexts::get_global_default_context()->add_on_shutdown_callback(std::move(callback));
}

bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr) {
  Simulation& simulation = current("rclcpp::sleep_for()");
  simulation.sleep_until(simulation.now() + duration);
  return simulation.ok();
}

bool Context::is_valid() const { return rclcpp::ok(); }
bool Context::shutdown(const std::string& reason) { return reason_ = reason, rclcpp::shutdown(); }
namespace {

using Callbacks = std::vector<std::shared_ptr<std::function<void()>>>;

std::weak_ptr<std::function<void()>> add(Callbacks& callbacks, std::function<void()> callback) {
  return callbacks.emplace_back(std::make_shared<std::function<void()>>(std::move(callback)));
}
bool remove(Callbacks& callbacks, const std::weak_ptr<std::function<void()>>& handle) {
  const auto callback = handle.lock();
  return callback && std::erase(callbacks, callback) > 0;
}
std::vector<std::function<void()>> copied(const Callbacks& callbacks) {
  std::vector<std::function<void()>> out;
  for (const auto& callback : callbacks) out.push_back(*callback);
  return out;
}
Simulation::AtShutdown& at_shutdown() { return current("a callback of shutdown").at_shutdown(); }

}  // namespace

PreShutdownCallbackHandle Context::add_pre_shutdown_callback(PreShutdownCallback callback) {
  PreShutdownCallbackHandle handle;
  handle.callback_ = add(at_shutdown().before, std::move(callback));
  return handle;
}
OnShutdownCallbackHandle Context::add_on_shutdown_callback(OnShutdownCallback callback) {
  OnShutdownCallbackHandle handle;
  handle.callback_ = add(at_shutdown().after, std::move(callback));
  return handle;
}
bool Context::remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle) {
  return remove(at_shutdown().before, handle.callback_);
}
bool Context::remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle) {
  return remove(at_shutdown().after, handle.callback_);
}
std::vector<Context::PreShutdownCallback> Context::get_pre_shutdown_callbacks() const {
  return copied(at_shutdown().before);
}
std::vector<Context::OnShutdownCallback> Context::get_on_shutdown_callbacks() const {
  return copied(at_shutdown().after);
}
Context::OnShutdownCallback Context::on_shutdown(OnShutdownCallback callback) {
  rclcpp::on_shutdown(callback);
  return callback;
}
Context::SharedPtr contexts::get_global_default_context() {
  static const auto context = std::make_shared<Context>();
  return context;
}

// --- executors

void Executor::add_node(NodeBase node, bool) {
  nodes_.push_back(node);
  if (spinning_ && simulation().is_program()) node->set_held(false);
}

void Executor::remove_node(NodeBase node, bool) {
  const auto gone = std::erase_if(nodes_, [&](const auto& weak) { return weak.lock() == node; });
  if (gone > 0 && spinning_ && simulation().is_program()) node->set_held(true);
}

Simulation& Executor::simulation() const { return current("an executor"); }

void Executor::set_held(bool held) {
  for (const auto& weak : groups_)
    if (const auto group = weak.lock()) group->spin(!held);
  if (!simulation().is_program()) return;
  for (const auto& weak : nodes_)
    if (const auto node = weak.lock()) node->set_held(held);
}

// Lets what it has run, until it goes; also when a callback that waits is unwound.
struct Executor::Spinning {
  Executor& executor;
  explicit Spinning(Executor& e) : executor(e) { executor.spinning_ = true, executor.set_held(false); }
  ~Spinning() { executor.set_held(true), executor.spinning_ = false; }
};

FutureReturnCode Executor::spin_until(const std::function<bool()>& done, std::chrono::nanoseconds timeout) {
  Simulation& s = simulation();
  const Spinning spinning(*this);
  const bool forever = timeout < std::chrono::nanoseconds(0) || timeout > convoy::nodes::kNoInstant - s.now();
  const convoy::Instant end = forever ? convoy::nodes::kNoInstant : s.now() + timeout;
  if (s.wait_until(end, [&] { return cancelled_ || done(); }) && !cancelled_) return FutureReturnCode::SUCCESS;
  const bool interrupted = std::exchange(cancelled_, false) || !s.ok();
  return interrupted || s.now() < end ? FutureReturnCode::INTERRUPTED : FutureReturnCode::TIMEOUT;
}

void Executor::spin() {
  spin_until([] { return false; }, std::chrono::nanoseconds(-1));
}

void Executor::spin_some(std::chrono::nanoseconds) {
  Simulation& s = simulation();
  if (!s.ok()) return;
  // In a callback the others run whenever it waits; what this executor alone has runs now.
  if (s.graph().stacks().can_suspend()) {
    if (groups_.empty() && !s.is_program()) return;
    const Spinning spinning(*this);
    return s.yield();
  }
  if (!s.is_program()) return;
  const Spinning spinning(*this);
  if (const convoy::Status ran = s.run_instant(s.now()); !ran) throw std::runtime_error(ran.error().message());
}

void Executor::spin_once(std::chrono::nanoseconds timeout) {
  Simulation& s = simulation();
  if (!s.is_program()) {
    if (wait_for_groups(timeout)) spin_some();
    return;
  }
  const std::uint64_t before = s.graph().callbacks();
  spin_until([&] { return s.graph().callbacks() > before; }, timeout);
}

void Executor::spin_node_some(NodeBase node) {
  Executor one;
  one.add_node(node);
  one.spin_some();
}

void spin(Executor::NodeBase node) {
  Executor executor;
  executor.add_node(node);
  executor.spin();
}
void spin(Node::SharedPtr node) { spin(node->get_node_base_interface()); }
void spin_some(Executor::NodeBase node) { Executor().spin_node_some(node); }
void spin_some(Node::SharedPtr node) { spin_some(node->get_node_base_interface()); }

}  // namespace rclcpp
