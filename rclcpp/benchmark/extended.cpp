// A benchmark of ours beside RSLCPP's, as ordinary components: what that one leaves out. One burst goes to three
// sponges whose queues overflow (fan-out, keep-last), each of which owns, shares or copies; what they pass on meets in
// one node (fan-in); a timer is cancelled and started again; goals are accepted, refused, cancelled and reached; a
// managed node goes through its states. The state of each depends on the order of all of its callbacks.
#include <example_interfaces/action/fibonacci.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "determinism.hpp"

namespace extended {
namespace {

using std_msgs::msg::UInt64;
using Fibonacci = example_interfaces::action::Fibonacci;
using std::chrono::milliseconds;

thread_local determinism::Outcome* the_outcome = nullptr;

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// A node's state, which it reports when it is destroyed.
class Stir {
 public:
  Stir(std::string name, rclcpp::Clock::SharedPtr clock)
      : name_(std::move(name)), clock_(std::move(clock)), outcome_(the_outcome) {
    state_ = splitmix64(name_.size());
  }
  ~Stir() {
    if (outcome_) (*outcome_)[name_] = {state_, callbacks_};
  }
  std::uint64_t operator()(std::uint64_t id, std::uint64_t input = 0) {
    ++callbacks_;
    return state_ = splitmix64(
               splitmix64(splitmix64(state_ ^ id) ^ static_cast<std::uint64_t>(clock_->now().nanoseconds())) ^ input);
  }

 private:
  std::string name_;
  rclcpp::Clock::SharedPtr clock_;
  determinism::Outcome* outcome_;
  std::uint64_t state_ = 0, callbacks_ = 0;
};

void send(rclcpp::Publisher<UInt64>& to, std::uint64_t value) {
  auto message = std::make_unique<UInt64>();
  message->data = value;
  to.publish(std::move(message));
}

}  // namespace

// Five messages every 20 ms; after each seventh time the timer rests until the one beside it starts it again.
class Burst : public rclcpp::Node {
 public:
  explicit Burst(const rclcpp::NodeOptions& options) : Node("burst", options), stir_("burst", get_clock()) {
    out_ = create_publisher<UInt64>("burst", 10);
    timer_ = create_wall_timer(milliseconds(20), [this] {
      for (int i = 0; i < 5; ++i) send(*out_, stir_(1));
      if (++times_ % 7 == 0) timer_->cancel();
    });
    again_ = create_wall_timer(milliseconds(110), [this] {
      stir_(2, timer_->is_canceled());
      if (timer_->is_canceled()) timer_->reset();
    });
  }

 private:
  Stir stir_;
  rclcpp::Publisher<UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_, again_;
  int times_ = 0;
};

// Receives bursts in a queue that is too short, and passes on what it makes of them.
class Sponge : public rclcpp::Node {
 public:
  explicit Sponge(const rclcpp::NodeOptions& options) : Node("sponge", options), stir_(get_name(), get_clock()) {
    out_ = create_publisher<UInt64>("soaked", 3);
    const auto depth = declare_parameter("depth", 2);
    const auto kind = declare_parameter("kind", std::string("shared"));
    if (kind == "owner")
      in_ = create_subscription<UInt64>("burst", rclcpp::QoS(depth), [this](UInt64::UniquePtr m) { soak(m->data); });
    else if (kind == "shared")
      in_ =
          create_subscription<UInt64>("burst", rclcpp::QoS(depth), [this](UInt64::ConstSharedPtr m) { soak(m->data); });
    else in_ = create_subscription<UInt64>("burst", rclcpp::QoS(depth), [this](const UInt64& m) { soak(m.data); });
  }

 private:
  void soak(std::uint64_t data) { send(*out_, stir_(3, data)); }

  Stir stir_;
  rclcpp::Publisher<UInt64>::SharedPtr out_;
  rclcpp::Subscription<UInt64>::SharedPtr in_;
};

// Where all sponges meet; asks for goals, of which the worker refuses some and it cancels others.
class Gather : public rclcpp::Node {
 public:
  explicit Gather(const rclcpp::NodeOptions& options) : Node("gather", options), stir_("gather", get_clock()) {
    in_ = create_subscription<UInt64>("soaked", 4, [this](const UInt64& m) {
      const std::uint64_t now = stir_(4, m.data);
      if (++heard_ % 16 == 0) ask(static_cast<int>(now % 9));
    });
    work_ = rclcpp_action::create_client<Fibonacci>(this, "work");
  }

 private:
  void ask(int order) {
    if (!work_->action_server_is_ready()) return;
    Fibonacci::Goal goal;
    goal.order = order;
    rclcpp_action::Client<Fibonacci>::SendGoalOptions options;
    options.goal_response_callback = [this](rclcpp_action::ClientGoalHandle<Fibonacci>::SharedPtr handle) {
      stir_(5, handle != nullptr);
      if (handle && ++accepted_ % 3 == 0) work_->async_cancel_goal(handle);
    };
    options.feedback_callback = [this](auto, const std::shared_ptr<const Fibonacci::Feedback> feedback) {
      stir_(6, feedback->sequence.size());
    };
    options.result_callback = [this](const rclcpp_action::ClientGoalHandle<Fibonacci>::WrappedResult& result) {
      stir_(7, static_cast<std::uint64_t>(result.code) << 8 | result.result->sequence.size());
    };
    work_->async_send_goal(goal, options);
  }

  Stir stir_;
  rclcpp::Subscription<UInt64>::SharedPtr in_;
  rclcpp_action::Client<Fibonacci>::SharedPtr work_;
  std::uint64_t heard_ = 0, accepted_ = 0;
};

// Works on one goal at a time, a number every 5 ms.
class Worker : public rclcpp::Node {
 public:
  using Handle = rclcpp_action::ServerGoalHandle<Fibonacci>;
  explicit Worker(const rclcpp::NodeOptions& options) : Node("worker", options), stir_("worker", get_clock()) {
    server_ = rclcpp_action::create_server<Fibonacci>(
        this, "work",
        [this](const rclcpp_action::GoalUUID&, std::shared_ptr<const Fibonacci::Goal> goal) {
          stir_(8, static_cast<std::uint64_t>(goal->order));
          return goal->order == 0 || handle_ ? rclcpp_action::GoalResponse::REJECT
                                             : rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [this](std::shared_ptr<Handle>) { return stir_(9), rclcpp_action::CancelResponse::ACCEPT; },
        [this](std::shared_ptr<Handle> handle) {
          stir_(10);
          handle_ = handle;
          sequence_ = {0, 1};
          timer_->reset();
        });
    timer_ = create_wall_timer(milliseconds(5), [this] { work(); });
    timer_->cancel();
  }

 private:
  void work() {
    stir_(11, sequence_.size());
    auto result = std::make_shared<Fibonacci::Result>();
    result->sequence = sequence_;
    if (handle_->is_canceling()) {
      handle_->canceled(result);
    } else if (static_cast<int>(sequence_.size()) >= handle_->get_goal()->order) {
      handle_->succeed(result);
    } else {
      sequence_.push_back(sequence_.back() + sequence_[sequence_.size() - 2]);
      auto feedback = std::make_shared<Fibonacci::Feedback>();
      feedback->sequence = sequence_;
      return handle_->publish_feedback(feedback);
    }
    timer_->cancel();
    handle_.reset();
  }

  Stir stir_;
  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::shared_ptr<Handle> handle_;
  std::vector<std::int32_t> sequence_;
};

// A managed node: what it publishes passes only while it is active.
class Managed : public rclcpp_lifecycle::LifecycleNode {
 public:
  explicit Managed(const rclcpp::NodeOptions& options)
      : LifecycleNode("managed", options), stir_("managed", get_clock()) {}
  CallbackReturn on_configure(const rclcpp_lifecycle::State& before) override {
    stir_(12, before.id());
    out_ = create_publisher<UInt64>("burst", 10);
    timer_ = create_wall_timer(milliseconds(15), [this] {
      auto message = std::make_unique<UInt64>();
      message->data = stir_(13, out_->is_activated());
      out_->publish(std::move(message));
    });
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_activate(const rclcpp_lifecycle::State& before) override {
    stir_(14, before.id());
    return LifecycleNode::on_activate(before);
  }
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& before) override {
    stir_(15, before.id());
    return LifecycleNode::on_deactivate(before);
  }
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& before) override {
    stir_(16, before.id());
    timer_.reset(), out_.reset();
    return CallbackReturn::SUCCESS;
  }

 private:
  Stir stir_;
  rclcpp_lifecycle::LifecyclePublisher<UInt64>::SharedPtr out_;
  rclcpp::TimerBase::SharedPtr timer_;
};

// Leads the managed node through its states, one every 70 ms, round and round.
class Leader : public rclcpp::Node {
 public:
  using ChangeState = lifecycle_msgs::srv::ChangeState;
  explicit Leader(const rclcpp::NodeOptions& options) : Node("leader", options), stir_("leader", get_clock()) {
    change_ = create_client<ChangeState>("managed/change_state");
    timer_ = create_wall_timer(milliseconds(70), [this] {
      using lifecycle_msgs::msg::Transition;
      static constexpr std::uint8_t kRound[] = {Transition::TRANSITION_CONFIGURE, Transition::TRANSITION_ACTIVATE,
                                                Transition::TRANSITION_DEACTIVATE, Transition::TRANSITION_CLEANUP};
      auto request = std::make_shared<ChangeState::Request>();
      request->transition.id = kRound[turn_++ % 4];
      if (!change_->service_is_ready()) return;
      change_->async_send_request(
          request, [this](rclcpp::Client<ChangeState>::SharedFuture done) { stir_(17, done.get()->success); });
    });
  }

 private:
  Stir stir_;
  rclcpp::Client<ChangeState>::SharedPtr change_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::size_t turn_ = 0;
};

}  // namespace extended

extern "C" void convoy_extended_report_to(determinism::Outcome* outcome) { extended::the_outcome = outcome; }

RCLCPP_COMPONENTS_REGISTER_NODE(extended::Burst)
RCLCPP_COMPONENTS_REGISTER_NODE(extended::Sponge)
RCLCPP_COMPONENTS_REGISTER_NODE(extended::Gather)
RCLCPP_COMPONENTS_REGISTER_NODE(extended::Worker)
RCLCPP_COMPONENTS_REGISTER_NODE(extended::Managed)
RCLCPP_COMPONENTS_REGISTER_NODE(extended::Leader)
