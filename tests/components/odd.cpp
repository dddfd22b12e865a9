// Components that do what a robot's software should not, for tests.
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

#include <example_interfaces/action/fibonacci.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/u_int64.hpp>

namespace odd {

// Publishes how often its timer has fired; once, at the fifth time, that takes ODD_SLEEP seconds of real time.
class Slow : public rclcpp::Node {
 public:
  explicit Slow(const rclcpp::NodeOptions& options) : Node("slow", options) {
    out_ = create_publisher<std_msgs::msg::UInt64>("count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      if (++count_ == 5)
        if (const char* seconds = std::getenv("ODD_SLEEP"))
          std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds)));
      std_msgs::msg::UInt64 message;
      message.data = count_;
      out_->publish(message);
    });
  }

 private:
  std::uint64_t count_ = 0;
  rclcpp::Publisher<std_msgs::msg::UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// Its constructor and its timer leave the thread rounding upwards.
class Rounding : public rclcpp::Node {
 public:
  explicit Rounding(const rclcpp::NodeOptions& options) : Node("rounding", options) {
    std::fesetround(FE_UPWARD);
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [] { std::fesetround(FE_UPWARD); });
  }

 private:
  rclcpp::TimerBase::SharedPtr timer_;
};

// A thread of its own publishes; nobody waits for it.
class Detached : public rclcpp::Node {
 public:
  explicit Detached(const rclcpp::NodeOptions& options) : Node("detached", options) {
    out_ = create_publisher<std_msgs::msg::UInt64>("count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(50),
                               [this] { std::thread([this] { out_->publish(std_msgs::msg::UInt64()); }).detach(); });
  }

 private:
  rclcpp::Publisher<std_msgs::msg::UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// The action server of ROS 2's tutorials, and a client of it.
class Action : public rclcpp::Node {
 public:
  using Fibonacci = example_interfaces::action::Fibonacci;
  using Handle = rclcpp_action::ServerGoalHandle<Fibonacci>;
  explicit Action(const rclcpp::NodeOptions& options) : Node("action", options) {
    server_ = rclcpp_action::create_server<Fibonacci>(
        this, "fibonacci",
        [](const rclcpp_action::GoalUUID&, std::shared_ptr<const Fibonacci::Goal>) {
          return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [](std::shared_ptr<Handle>) { return rclcpp_action::CancelResponse::ACCEPT; },
        [this](std::shared_ptr<Handle> handle) { std::thread{[this, handle] { execute(handle); }}.detach(); });
    client_ = rclcpp_action::create_client<Fibonacci>(this, "fibonacci");
    timer_ = create_wall_timer(std::chrono::milliseconds(100), [this] {
      timer_->cancel();
      client_->async_send_goal(Fibonacci::Goal());
    });
  }

 private:
  void execute(const std::shared_ptr<Handle>& handle) {
    rclcpp::Rate rate(10);
    for (int i = 0; i < 3 && rclcpp::ok(); ++i) rate.sleep();
    handle->succeed(std::make_shared<Fibonacci::Result>());
    RCLCPP_INFO(get_logger(), "the goal is reached at %.9f s", now().seconds());
  }
  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
  rclcpp_action::Client<Fibonacci>::SharedPtr client_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// Its constructor has a thread make a subscription.
class Worker : public rclcpp::Node {
 public:
  explicit Worker(const rclcpp::NodeOptions& options) : Node("worker", options) {
    worker_ = std::thread(
        [this] { in_ = create_subscription<std_msgs::msg::UInt64>("count", 10, [](const std_msgs::msg::UInt64&) {}); });
  }
  ~Worker() override { worker_.join(); }

 private:
  std::thread worker_;
  rclcpp::Subscription<std_msgs::msg::UInt64>::SharedPtr in_;
};

// A callback waits for what a thread does, which asks for the time.
class Async : public rclcpp::Node {
 public:
  explicit Async(const rclcpp::NodeOptions& options) : Node("async", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50),
                               [this] { std::async(std::launch::async, [this] { return now().seconds(); }).get(); });
  }

 private:
  rclcpp::TimerBase::SharedPtr timer_;
};

// A callback waits for a sign that its thread never gives: it has called before.
class Stuck : public rclcpp::Node {
 public:
  explicit Stuck(const rclcpp::NodeOptions& options) : Node("stuck", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      std::promise<void> sign;
      std::thread([this, &sign] {
        RCLCPP_INFO(get_logger(), "now");
        sign.set_value();
      }).detach();
      sign.get_future().wait();
    });
  }

 private:
  rclcpp::TimerBase::SharedPtr timer_;
};

// A thread that waits for what nobody gives, alive at the end.
class Idle : public rclcpp::Node {
 public:
  explicit Idle(const rclcpp::NodeOptions& options) : Node("idle", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      timer_->cancel();
      std::thread([shared = shared_] {
        std::unique_lock lock(shared->mutex);
        for (;;) shared->never.wait(lock);
      }).detach();
    });
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable never;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  rclcpp::TimerBase::SharedPtr timer_;
};

// Two threads that take two locks in two orders.
class Locked : public rclcpp::Node {
 public:
  explicit Locked(const rclcpp::NodeOptions& options) : Node("locked", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      timer_->cancel();
      for (int i = 0; i < 2; ++i)
        std::thread([this, i] {
          const std::lock_guard first(locks_[i]);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          const std::lock_guard second(locks_[1 - i]);
        }).detach();
    });
  }

 private:
  std::mutex locks_[2];
  rclcpp::TimerBase::SharedPtr timer_;
};

// A callback that waits for a sign which nobody gives, when nothing else is to happen.
class Vain : public rclcpp::Node {
 public:
  explicit Vain(const rclcpp::NodeOptions& options) : Node("vain", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      timer_->cancel();
      std::thread([] {}).join();
      std::promise<void> never;
      never.get_future().wait();
    });
  }

 private:
  rclcpp::TimerBase::SharedPtr timer_;
};

// A thread that never lets anybody else go on.
class Spins : public rclcpp::Node {
 public:
  explicit Spins(const rclcpp::NodeOptions& options) : Node("spins", options) {
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      std::thread([this] {
        while (go_on_) {}
      }).detach();
    });
  }

 private:
  std::atomic<bool> go_on_{true};
  rclcpp::TimerBase::SharedPtr timer_;
};

// A constructor that asks a node for a parameter, which is made after it.
class Asks : public rclcpp::Node {
 public:
  explicit Asks(const rclcpp::NodeOptions& options) : Node("asks", options) {
    rclcpp::SyncParametersClient client(this, "answers");
    while (!client.wait_for_service(std::chrono::seconds(1))) RCLCPP_INFO(get_logger(), "not yet");
    RCLCPP_INFO(get_logger(), "it is %d", static_cast<int>(client.get_parameter<std::int64_t>("answer", 0)));
  }
};
class Answers : public rclcpp::Node {
 public:
  explicit Answers(const rclcpp::NodeOptions& options) : Node("answers", options) { declare_parameter("answer", 42); }
};

// Its thread calls nothing: what it computes is the same whoever computes it.
class Pool : public rclcpp::Node {
 public:
  explicit Pool(const rclcpp::NodeOptions& options) : Node("pool", options) {
    out_ = create_publisher<std_msgs::msg::UInt64>("count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(200), [this] {
      std_msgs::msg::UInt64 message;
      std::thread([&] {
        for (std::uint64_t i = 0; i < 1000; ++i) message.data += i * i;
      }).join();
      out_->publish(message);
    });
  }

 private:
  rclcpp::Publisher<std_msgs::msg::UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// What it drives with depends on how many of them have run in this process.
class Shared : public rclcpp::Node {
 public:
  explicit Shared(const rclcpp::NodeOptions& options) : Node("shared", options) {
    out_ = create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(100), [this] {
      static std::atomic<int> runs{0};
      geometry_msgs::msg::Twist command;
      command.linear.x = 0.01 * (++runs % 10);
      out_->publish(command);
    });
  }

 private:
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace odd

RCLCPP_COMPONENTS_REGISTER_NODE(odd::Slow)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Rounding)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Detached)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Action)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Worker)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Async)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Stuck)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Idle)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Locked)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Vain)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Spins)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Asks)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Answers)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Pool)
RCLCPP_COMPONENTS_REGISTER_NODE(odd::Shared)
