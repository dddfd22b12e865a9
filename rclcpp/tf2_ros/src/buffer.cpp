#include "tf2_ros/buffer.hpp"

#include "rclcpp/logging.hpp"
#include "tf2_ros/create_timer_ros.hpp"
#include "tf2_ros/transform_listener.hpp"

namespace tf2_ros {

using geometry_msgs::msg::TransformStamped;

// --- Buffer

Buffer::Buffer(rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time)
    : BufferCore(cache_time), clock_(std::move(clock)) {
  if (!clock_) throw std::invalid_argument("clock must be a valid instance");
}

void Buffer::wait(tf2::Duration timeout, const std::function<bool()>& done) const {
  convoy::ros::in_order("tf2_ros::Buffer");
  if (timeout <= tf2::Duration(0) || done()) return;
  auto* simulation = clock_->simulation() ? clock_->simulation() : convoy::ros::Simulation::current();
  if (!simulation) throw std::runtime_error("a buffer waits before rclcpp::init()");
  const bool forever = timeout > convoy::nodes::kNoInstant - simulation->now();
  simulation->wait_until(forever ? convoy::nodes::kNoInstant : simulation->now() + timeout, done);
}

TransformStamped Buffer::lookupTransform(const std::string& target, const std::string& source,
                                         const tf2::TimePoint& time, const tf2::Duration timeout) const {
  wait(timeout, [&] { return canTransform(target, source, time); });
  return lookupTransform(target, source, time);
}

TransformStamped Buffer::lookupTransform(const std::string& target, const tf2::TimePoint& target_time,
                                         const std::string& source, const tf2::TimePoint& source_time,
                                         const std::string& fixed, const tf2::Duration timeout) const {
  wait(timeout, [&] { return canTransform(target, target_time, source, source_time, fixed); });
  return lookupTransform(target, target_time, source, source_time, fixed);
}

bool Buffer::canTransform(const std::string& target, const std::string& source, const tf2::TimePoint& time,
                          const tf2::Duration timeout, std::string* error) const {
  wait(timeout, [&] { return canTransform(target, source, time); });
  return canTransform(target, source, time, error);
}

bool Buffer::canTransform(const std::string& target, const tf2::TimePoint& target_time, const std::string& source,
                          const tf2::TimePoint& source_time, const std::string& fixed, const tf2::Duration timeout,
                          std::string* error) const {
  wait(timeout, [&] { return canTransform(target, target_time, source, source_time, fixed); });
  return canTransform(target, target_time, source, source_time, fixed, error);
}

TransformStampedFuture Buffer::waitForTransform(const std::string& target, const std::string& source,
                                                const tf2::TimePoint& time, const tf2::Duration& timeout,
                                                TransformReadyCallback callback) {
  if (!timers_) throw CreateTimerInterfaceException("timer interface not set before call to waitForTransform");
  const auto promise = std::make_shared<std::promise<TransformStamped>>(convoy::ros::make_promise<TransformStamped>());
  TransformStampedFuture future(promise->get_future().share());
  const auto fail = [](const std::string& text) {
    return [text](std::promise<TransformStamped>& p) {
      p.set_exception(std::make_exception_ptr(tf2::LookupException(text)));
    };
  };
  const std::string way = "transform from '" + source + "' to '" + target + "'";
  const auto handle = addTransformableRequest(
      [this, fail, way](tf2::TransformableRequestHandle of, const std::string& to, const std::string& from,
                        tf2::TimePoint at, tf2::TransformableResult result) {
        if (result == tf2::TransformAvailable) settle(of, [&](auto& p) { p.set_value(lookupTransform(to, from, at)); });
        else settle(of, fail("the time of the " + way + " is older than what the buffer keeps"));
      },
      target, source, time);
  if (handle == 0 || handle == UINT64_MAX) {
    if (handle == 0 && canTransform(target, source, time)) promise->set_value(lookupTransform(target, source, time));
    else fail("the " + way + " can never be known")(*promise);
    callback(future);
    return future;
  }
  future.setHandle(handle);
  waits_[handle] = {promise, future, std::move(callback)};
  if (timeout == tf2::Duration::max()) return future;
  const auto timer = timers_->createTimer(clock_, timeout, [this, handle, fail, way](const TimerHandle&) {
    cancelTransformableRequest(handle);
    settle(handle, fail("timed out waiting for the " + way));
  });
  waits_[handle].timer = timer;
  return future;
}

void Buffer::settle(tf2::TransformableRequestHandle handle,
                    const std::function<void(std::promise<TransformStamped>&)>& give) {
  const auto found = waits_.find(handle);
  if (found == waits_.end()) return;
  const Wait done = std::move(found->second);
  waits_.erase(found);
  if (done.timer) timers_->remove(done.timer);
  give(*done.promise);
  done.callback(done.future);
}

void Buffer::cancel(const TransformStampedFuture& future) {
  const auto found = waits_.find(future.getHandle());
  if (found == waits_.end()) return;
  cancelTransformableRequest(found->first);
  if (found->second.timer) timers_->remove(found->second.timer);
  waits_.erase(found);
}

// --- timers of a node

TimerHandle CreateTimerROS::createTimer(rclcpp::Clock::SharedPtr, const tf2::Duration& period,
                                        TimerCallbackType callback) {
  const TimerHandle handle = next_++;
  timers_.emplace(handle, node_->kernel().create_timer({.period = period, .callback = [this, handle, callback] {
                                                          at(handle).cancel();  // once
                                                          callback(handle);
                                                        }}));
  return handle;
}

convoy::nodes::Timer& CreateTimerROS::at(const TimerHandle& handle) {
  const auto found = timers_.find(handle);
  if (found == timers_.end()) throw InvalidTimerHandleException("Invalid timer handle");
  return *found->second;
}

void CreateTimerROS::remove(const TimerHandle& handle) {
  at(handle).cancel();
  timers_.erase(handle);
}

// --- TransformListener

TransformListener::TransformListener(tf2::BufferCore& buffer, bool spin_thread) : buffer_(buffer) {
  convoy::ros::in_order("tf2_ros::TransformListener");
  auto* simulation = convoy::ros::Simulation::current();
  if (!simulation) throw std::runtime_error("rclcpp::init() has not been called");
  const auto number = std::to_string(simulation->graph().nodes().size());
  own_node_ = std::make_shared<rclcpp::Node>("transform_listener_impl_" + number);
  listen(own_node_->get_node_base_interface(), own_node_->get_logger(), own_node_->get_node_parameters_interface(),
         own_node_->get_node_topics_interface(), spin_thread, DynamicListenerQoS(), StaticListenerQoS(), {}, {});
}

void TransformListener::listen(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& base, rclcpp::Logger logger,
                               const rclcpp::node_interfaces::NodeParametersInterface::SharedPtr& parameters,
                               const rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr& topics, bool spin_thread,
                               const rclcpp::QoS& qos, const rclcpp::QoS& static_qos,
                               rclcpp::SubscriptionOptions options, rclcpp::SubscriptionOptions static_options) {
  logger_ = std::move(logger);
  if (spin_thread) {
    // None of the node's groups, so that no executor holds it.
    group_ = std::make_shared<rclcpp::CallbackGroup>(
        base->kernel().create_group(convoy::nodes::CallbackGroup::Kind::kMutuallyExclusive),
        rclcpp::CallbackGroupType::MutuallyExclusive);
    options.callback_group = static_options.callback_group = group_;
    buffer_.setUsingDedicatedThread(true);
  }
  using tf2_msgs::msg::TFMessage;
  const auto hear = [this](bool is_static) {
    return [this, is_static](TFMessage::ConstSharedPtr m) { subscription_callback(std::move(m), is_static); };
  };
  dynamic_ = rclcpp::create_subscription<TFMessage>(parameters, topics, "/tf", qos, hear(false), options);
  static_ =
      rclcpp::create_subscription<TFMessage>(parameters, topics, "/tf_static", static_qos, hear(true), static_options);
}

TransformListener::~TransformListener() = default;

void TransformListener::subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr message, bool is_static) {
  for (const auto& transform : message->transforms)
    if (!buffer_.setTransform(transform, "Authority undetectable", is_static))
      RCLCPP_WARN(*logger_, "%s", buffer_.last_rejection().c_str());
}

}  // namespace tf2_ros
