// RSLCPP's synthetic determinism benchmark as ordinary rclcpp components (TUMFTM/rslcpp, arXiv 2601.07052): four nodes
// whose states depend on the order of every callback, and a monitor that ends the run after timeout_s seconds.
#include "determinism.hpp"

#include <random>
#include <thread>

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <std_srvs/srv/trigger.hpp>

namespace determinism {
namespace {

thread_local Outcome* the_outcome = nullptr;

using std::placeholders::_1;
using std::placeholders::_2;
using std_msgs::msg::UInt64;
using std_srvs::srv::Trigger;

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t combine(std::uint64_t h1, std::uint64_t h2) {
  constexpr std::uint64_t k = 0x9ddfea08eb382d69;
  std::uint64_t a = (h1 ^ h2) * k;
  a ^= a >> 47;
  std::uint64_t b = (h2 ^ a) * k;
  b ^= b >> 47;
  return splitmix64(b * k);
}

class Stirred : public rclcpp::Node {
 public:
  Stirred(const char* name, std::uint64_t initial, const rclcpp::NodeOptions& options)
      : Node(name, options), state_(initial), outcome_(the_outcome), sleep_us_(declare_parameter("sleep_us", 0)) {}
  ~Stirred() override {
    if (outcome_) (*outcome_)[get_name()] = {state_, callbacks_};
  }

 protected:
  std::uint64_t stir(std::uint64_t id) {
    ++callbacks_;
    if (sleep_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(std::random_device()() % sleep_us_));
    state_ = combine(state_, id);
    return state_ = combine(state_, static_cast<std::uint64_t>(now().nanoseconds()));
  }
  std::uint64_t stir(std::uint64_t id, std::uint64_t input) { return stir(id), state_ = combine(state_, input); }
  static void send(rclcpp::Publisher<UInt64>& to, std::uint64_t value) {
    auto message = std::make_unique<UInt64>();
    message->data = value;
    to.publish(std::move(message));
  }

 private:
  std::uint64_t state_;
  std::uint64_t callbacks_ = 0;
  Outcome* outcome_;
  std::int64_t sleep_us_;  // each callback sleeps up to that, as if it computed: no state may depend on it
};

}  // namespace

void report_to(Outcome* outcome) { the_outcome = outcome; }

class A : public Stirred {
 public:
  explicit A(const rclcpp::NodeOptions& options) : Stirred("a", 55272744, options) {
    t1_ = create_publisher<UInt64>("t1", 1);
    t2_ = create_publisher<UInt64>("t2", 1);
    timer1_ = create_wall_timer(std::chrono::milliseconds(100), [this] { send(*t1_, stir(11162456753)); });
    timer2_ = create_wall_timer(std::chrono::milliseconds(50), [this] { send(*t2_, stir(11151784617)); });
    t5_ = create_subscription<UInt64>("t5", 1, [this](const UInt64& m) { stir(22255799981, m.data); });
  }

 private:
  rclcpp::Publisher<UInt64>::SharedPtr t1_, t2_;
  rclcpp::TimerBase::SharedPtr timer1_, timer2_;
  rclcpp::Subscription<UInt64>::SharedPtr t5_;
};

class B : public Stirred {
 public:
  explicit B(const rclcpp::NodeOptions& options) : Stirred("b", 34983402, options) {
    t3_ = create_publisher<UInt64>("t3", 1);
    t5_ = create_publisher<UInt64>("t5", 1);
    t2_ = create_subscription<UInt64>("t2", 1, [this](UInt64::UniquePtr m) { send(*t3_, stir(22229447589, m->data)); });
    timer_ = create_timer(std::chrono::milliseconds(40), [this] { send(*t5_, stir(11111071799)); });
  }

 private:
  rclcpp::Publisher<UInt64>::SharedPtr t3_, t5_;
  rclcpp::Subscription<UInt64>::SharedPtr t2_;
  rclcpp::TimerBase::SharedPtr timer_;
};

class C : public Stirred {
 public:
  explicit C(const rclcpp::NodeOptions& options) : Stirred("c", 87997653, options) {
    t4_ = create_publisher<UInt64>("t4", 1);
    s1_ = create_client<Trigger>("s1");
    t1_ = create_subscription<UInt64>("t1", 1, std::bind(&C::on_t1, this, _1));
    t3_ = create_subscription<UInt64>("t3", 1,
                                      [this](UInt64::ConstSharedPtr m) { send(*t4_, stir(22227118361, m->data)); });
  }

 private:
  void on_t1(const UInt64::SharedPtr message) {
    stir(22295316797, message->data);
    s1_->async_send_request(std::make_shared<Trigger::Request>(), std::bind(&C::on_response, this, _1));
  }
  void on_response(rclcpp::Client<Trigger>::SharedFuture future) {
    stir(44442759714, std::stoull(future.get()->message));
  }

  rclcpp::Publisher<UInt64>::SharedPtr t4_;
  rclcpp::Client<Trigger>::SharedPtr s1_;
  rclcpp::Subscription<UInt64>::SharedPtr t1_, t3_;
};

class D : public Stirred {
 public:
  explicit D(const rclcpp::NodeOptions& options) : Stirred("d", 11380831, options) {
    t5_ = create_publisher<UInt64>("t5", 1);
    t4_ = create_subscription<UInt64>(
        "t4", 1, [this](const UInt64& m, const rclcpp::MessageInfo&) { send(*t5_, stir(2227672095, m.data)); });
    s1_ = create_service<Trigger>("s1", std::bind(&D::on_request, this, _1, _2));
  }

 private:
  void on_request(const Trigger::Request::SharedPtr, Trigger::Response::SharedPtr response) {
    response->success = true;
    response->message = std::to_string(stir(33396054244));
  }

  rclcpp::Publisher<UInt64>::SharedPtr t5_;
  rclcpp::Subscription<UInt64>::SharedPtr t4_;
  rclcpp::Service<Trigger>::SharedPtr s1_;
};

class Monitor : public rclcpp::Node {
 public:
  explicit Monitor(const rclcpp::NodeOptions& options) : Node("monitor", options) {
    const auto timeout = std::chrono::seconds(declare_parameter("timeout_s", 3));
    timer_ = create_wall_timer(std::chrono::seconds(1), [this, timeout] {
      if (!first_) first_ = std::make_unique<rclcpp::Time>(now());
      if (now() - *first_ >= rclcpp::Duration(timeout)) rclcpp::shutdown();
    });
  }

 private:
  std::unique_ptr<rclcpp::Time> first_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace determinism

void convoy_determinism_report_to(determinism::Outcome* outcome) { determinism::report_to(outcome); }

RCLCPP_COMPONENTS_REGISTER_NODE(determinism::A)
RCLCPP_COMPONENTS_REGISTER_NODE(determinism::B)
RCLCPP_COMPONENTS_REGISTER_NODE(determinism::C)
RCLCPP_COMPONENTS_REGISTER_NODE(determinism::D)
RCLCPP_COMPONENTS_REGISTER_NODE(determinism::Monitor)
