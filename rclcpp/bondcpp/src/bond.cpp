#include "bondcpp/bond.hpp"

#include "convoy_ros/own_threads.hpp"
#include "convoy_ros/simulation.hpp"

namespace bond {
namespace {

std::chrono::nanoseconds ns(double seconds) {
  return rclcpp::Duration::from_seconds(seconds).to_chrono<std::chrono::nanoseconds>();
}

bool wait(convoy::ros::Simulation& simulation, rclcpp::Duration timeout, const std::function<bool()>& done) {
  if (done()) return true;
  const auto length = timeout.to_chrono<std::chrono::nanoseconds>();
  const bool forever = length < std::chrono::nanoseconds(0) || length > convoy::nodes::kNoInstant - simulation.now();
  return simulation.wait_until(forever ? convoy::nodes::kNoInstant : simulation.now() + length, done);
}

}  // namespace

Bond::Bond(const std::string& topic, const std::string& id, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base,
           rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging,
           rclcpp::node_interfaces::NodeParametersInterface::SharedPtr parameters,
           rclcpp::node_interfaces::NodeTimersInterface::SharedPtr timers,
           rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics, EventCallback on_broken,
           EventCallback on_formed)
    : topic_(topic),
      id_(id),
      node_(std::move(base), std::move(logging), std::move(parameters), std::move(timers), std::move(topics)),
      tell_{std::move(on_broken), std::move(on_formed)} {
  convoy::ros::in_order("bond::Bond");
  publisher_ = rclcpp::create_publisher<msg::Status>(node_.get_node_parameters_interface(),
                                                     node_.get_node_topics_interface(), topic_, 5);
  // Nothing drawn at random: a run repeats. The publisher's rank tells two bonds of a node apart.
  instance_ = std::string(node_.get_node_base_interface()->get_fully_qualified_name()) + "#" +
              std::to_string(publisher_->kernel().rank());
}

Bond::~Bond() {
  if (heartbeat_ && state_ != State::kDead && rclcpp::ok()) say(false);
}

void Bond::set(double& which, double seconds) {
  if (heartbeat_) throw std::runtime_error("a bond's times are set before it is started");
  which = seconds;
}

void Bond::start() {
  if (heartbeat_) return;
  // A group of its own, which no executor holds: it is heard while the node's own callbacks wait for it.
  group_ = std::make_shared<rclcpp::CallbackGroup>(
      node_.get_node_base_interface()->kernel().create_group(convoy::nodes::CallbackGroup::Kind::kMutuallyExclusive),
      rclcpp::CallbackGroupType::MutuallyExclusive);
  rclcpp::SubscriptionOptions options;
  options.callback_group = group_;
  subscription_ = rclcpp::create_subscription<msg::Status>(
      node_.get_node_parameters_interface(), node_.get_node_topics_interface(), topic_, 5,
      [this](const msg::Status& status) { heard(status); }, options);
  heartbeat_ = rclcpp::create_wall_timer(
      ns(times_.heartbeat), [this] { say(state_ == State::kWaiting || state_ == State::kAlive); }, group_,
      node_.get_node_base_interface().get(), node_.get_node_timers_interface().get());
  await(times_.connect);
  say(true);
}

// The one thing that is due: the end of the time to connect, to hear the other side, or to disconnect.
void Bond::await(double seconds) {
  if (due_) {
    due_->exchange_period(ns(seconds));
    return due_->reset();
  }
  const auto over = [this] {
    if (state_ == State::kAlive)
      RCLCPP_ERROR(node_.get_node_logging_interface()->get_logger(),
                   "bond '%s': the other side has not been heard for %g s", id_.c_str(),
                   rclcpp::Duration(due_->kernel().period()).seconds());
    turn(State::kDead);
  };
  due_ = rclcpp::create_wall_timer(ns(seconds), over, group_, node_.get_node_base_interface().get(),
                                   node_.get_node_timers_interface().get());
}

void Bond::say(bool active) {
  msg::Status status;
  status.header.stamp = rclcpp::Clock().now();
  status.id = id_, status.instance_id = instance_, status.active = active;
  status.heartbeat_timeout = static_cast<float>(times_.silence);
  status.heartbeat_period = static_cast<float>(times_.heartbeat);
  publisher_->publish(status);
}

void Bond::heard(const msg::Status& status) {
  if (status.id != id_ || status.instance_id == instance_) return;
  if (other_.empty()) other_ = status.instance_id;
  if (other_ != status.instance_id) {
    RCLCPP_ERROR(node_.get_node_logging_interface()->get_logger(), "bond '%s': more than two sides", id_.c_str());
    return;
  }
  if (!status.active) {
    if (state_ == State::kDead) return;
    say(false);
    return turn(State::kDead);
  }
  switch (state_) {
    case State::kWaiting:
    case State::kAlive:
      // What another sends may be no time at all: as if it were silent at once.
      await(status.heartbeat_timeout > 0 && status.heartbeat_timeout < 1e9F ? status.heartbeat_timeout : 1e-9);
      if (state_ == State::kWaiting) turn(State::kAlive);
      return;
    case State::kAwaiting:
    case State::kDead: return say(false);  // it has not heard yet
  }
}

void Bond::turn(State state) {
  if (state_ == state || state_ == State::kDead) return;
  state_ = state;
  if (state == State::kAlive) {
    formed_ = true;
    if (tell_.formed) tell_.formed();
  } else if (state == State::kDead) {
    heartbeat_->cancel(), due_->cancel();
    if (tell_.broken) tell_.broken();
  }
}

void Bond::breakBond() {
  if (!heartbeat_ || state_ == State::kDead || state_ == State::kAwaiting) return;
  const bool nobody = state_ == State::kWaiting;
  if (nobody) {
    say(false);
    return turn(State::kDead);
  }
  turn(State::kAwaiting);
  await(times_.disconnect);
  say(false);
}

bool Bond::waitUntilFormed(rclcpp::Duration timeout) {
  return wait(node_.get_node_base_interface()->simulation(), timeout,
              [this] { return formed_ || state_ == State::kDead; }) &&
         formed_;
}

bool Bond::waitUntilBroken(rclcpp::Duration timeout) {
  return wait(node_.get_node_base_interface()->simulation(), timeout, [this] { return state_ == State::kDead; });
}

}  // namespace bond
