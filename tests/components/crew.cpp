// Components with threads of the kinds that ROS 2 packages have, for tests: an action server that answers each goal in a
// thread of its own, a worker behind a queue, and a manager that brings a managed node up and holds a bond with it.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include <bondcpp/bond.hpp>
#include <example_interfaces/action/fibonacci.hpp>
#include <lifecycle_msgs/msg/transition.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <std_msgs/msg/u_int64.hpp>

namespace crew {

using namespace std::chrono_literals;
using Fibonacci = example_interfaces::action::Fibonacci;
using std_msgs::msg::UInt64;

class Server : public rclcpp::Node {
 public:
  using Handle = rclcpp_action::ServerGoalHandle<Fibonacci>;
  explicit Server(const rclcpp::NodeOptions& options) : Node("server", options) {
    server_ = rclcpp_action::create_server<Fibonacci>(
        this, "fibonacci",
        [](const rclcpp_action::GoalUUID&, std::shared_ptr<const Fibonacci::Goal>) {
          return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [](std::shared_ptr<Handle>) { return rclcpp_action::CancelResponse::ACCEPT; },
        [this](std::shared_ptr<Handle> handle) { std::thread{[this, handle] { execute(handle); }}.detach(); });
  }

 private:
  void execute(const std::shared_ptr<Handle>& handle) {
    rclcpp::Rate rate(20);
    auto feedback = std::make_shared<Fibonacci::Feedback>();
    auto result = std::make_shared<Fibonacci::Result>();
    feedback->sequence = {0, 1};
    for (int i = 1; i < handle->get_goal()->order && rclcpp::ok(); ++i) {
      if (handle->is_canceling()) {
        result->sequence = feedback->sequence;
        return handle->canceled(result);
      }
      feedback->sequence.push_back(feedback->sequence[static_cast<std::size_t>(i)] +
                                   feedback->sequence[static_cast<std::size_t>(i) - 1]);
      handle->publish_feedback(feedback);
      rate.sleep();
    }
    result->sequence = feedback->sequence;
    if (rclcpp::ok()) handle->succeed(result);
  }
  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
};

// Sends goals that overlap from threads of its own, and cancels each third.
class Client : public rclcpp::Node {
 public:
  explicit Client(const rclcpp::NodeOptions& options) : Node("client", options) {
    client_ = rclcpp_action::create_client<Fibonacci>(this, "fibonacci");
    timer_ = create_wall_timer(130ms, [this] { threads_.emplace_back([this, n = ++count_] { ask(n); }); });
  }
  ~Client() override {
    for (auto& thread : threads_) thread.join();
  }

 private:
  void ask(int n) {
    if (!client_->wait_for_action_server(1s)) return;
    Fibonacci::Goal goal;
    goal.order = 5 + n % 4;
    auto sent = client_->async_send_goal(goal);
    if (sent.wait_for(1s) != std::future_status::ready) return;
    auto handle = sent.get();
    auto result = client_->async_get_result(handle);
    if (n % 3 == 0) {
      std::this_thread::sleep_for(70ms);
      client_->async_cancel_goal(handle);
    }
    if (result.wait_for(2s) != std::future_status::ready) return;
    RCLCPP_INFO(get_logger(), "goal %d: code %d, %zu numbers", n, static_cast<int>(result.get().code),
                result.get().result->sequence.size());
  }
  rclcpp_action::Client<Fibonacci>::SharedPtr client_;
  rclcpp::TimerBase::SharedPtr timer_;
  int count_ = 0;
  std::vector<std::thread> threads_;
};

// A thread subscribes, and works off what is heard behind a queue.
class Worker : public rclcpp::Node {
 public:
  explicit Worker(const rclcpp::NodeOptions& options) : Node("worker", options) {
    out_ = create_publisher<UInt64>("done", 10);
    source_ = create_publisher<UInt64>("work", 10);
    timer_ = create_wall_timer(30ms, [this] {
      UInt64 message;
      message.data = ++count_;
      source_->publish(message);
    });
    thread_ = std::thread([this] { work(); });
  }
  ~Worker() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    more_.notify_all();
    thread_.join();
  }

 private:
  void work() {
    in_ = create_subscription<UInt64>("work", 10, [this](const UInt64& message) {
      const std::lock_guard lock(mutex_);
      queue_.push_back(message.data);
      more_.notify_one();
    });
    std::unique_lock lock(mutex_);
    while (!stop_) {
      if (!more_.wait_for(lock, 100ms, [this] { return stop_ || !queue_.empty(); }) || stop_) continue;
      const std::uint64_t job = queue_.front();
      queue_.pop_front();
      lock.unlock();
      auto square = std::async(std::launch::async, [job] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10 + job % 7));
        return job * job;
      });
      UInt64 message;
      message.data = square.get();
      out_->publish(message);
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::uint64_t> queue_;
  bool stop_ = false;
  std::uint64_t count_ = 0;
  rclcpp::Publisher<UInt64>::SharedPtr out_, source_;
  rclcpp::Subscription<UInt64>::SharedPtr in_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::thread thread_;
};

class Managed : public rclcpp_lifecycle::LifecycleNode {
 public:
  using Return = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
  explicit Managed(const rclcpp::NodeOptions& options) : LifecycleNode("managed", options) {}
  Return on_configure(const rclcpp_lifecycle::State&) override { return Return::SUCCESS; }
  Return on_activate(const rclcpp_lifecycle::State&) override {
    bond_ = std::make_unique<bond::Bond>("bond", get_name(), shared_from_this());
    bond_->setHeartbeatPeriod(0.1);
    bond_->setHeartbeatTimeout(0.5);
    bond_->start();
    // It hangs after a while: its bond falls silent.
    falls_ill_ = create_wall_timer(600ms, [this] { bond_.reset(), falls_ill_->cancel(); });
    return Return::SUCCESS;
  }
  Return on_deactivate(const rclcpp_lifecycle::State&) override {
    falls_ill_.reset();
    bond_.reset();
    return Return::SUCCESS;
  }

 private:
  std::unique_ptr<bond::Bond> bond_;
  rclcpp::TimerBase::SharedPtr falls_ill_;
};

class Manager : public rclcpp::Node {
 public:
  using ChangeState = lifecycle_msgs::srv::ChangeState;
  explicit Manager(const rclcpp::NodeOptions& options) : Node("manager", options) {
    client_ = create_client<ChangeState>("managed/change_state");
    thread_ = std::thread([this] { manage(); });
  }
  ~Manager() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  bool change(std::uint8_t transition) {
    auto request = std::make_shared<ChangeState::Request>();
    request->transition.id = transition;
    auto answer = client_->async_send_request(request);
    return answer.wait_for(1s) == std::future_status::ready && answer.get()->success;
  }
  void manage() {
    using lifecycle_msgs::msg::Transition;
    while (!client_->wait_for_service(100ms))
      if (!rclcpp::ok()) return;
    change(Transition::TRANSITION_CONFIGURE);
    while (rclcpp::ok()) {
      if (!change(Transition::TRANSITION_ACTIVATE)) return;
      broken_ = false;
      auto bond = std::make_unique<bond::Bond>("bond", "managed", shared_from_this(), [this] {
        const std::lock_guard lock(mutex_);
        broken_ = true;
        changed_.notify_all();
      });
      bond->setHeartbeatPeriod(0.1);
      bond->setHeartbeatTimeout(0.5);
      bond->start();
      RCLCPP_INFO(get_logger(), bond->waitUntilFormed(rclcpp::Duration(1s)) ? "formed" : "not formed");
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || broken_; });
      if (stop_) return;
      RCLCPP_INFO(get_logger(), "broken");
      lock.unlock();
      change(Transition::TRANSITION_DEACTIVATE);
    }
  }
  rclcpp::Client<ChangeState>::SharedPtr client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, broken_ = false;
  std::thread thread_;
};

}  // namespace crew

RCLCPP_COMPONENTS_REGISTER_NODE(crew::Server)
RCLCPP_COMPONENTS_REGISTER_NODE(crew::Client)
RCLCPP_COMPONENTS_REGISTER_NODE(crew::Worker)
RCLCPP_COMPONENTS_REGISTER_NODE(crew::Managed)
RCLCPP_COMPONENTS_REGISTER_NODE(crew::Manager)
