#include "rclcpp/time.hpp"

#include <stdexcept>

#include "convoy_ros/simulation.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/rate.hpp"

namespace rclcpp {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  if (b > 0) throw std::overflow_error("addition leads to int64_t overflow");
  throw std::underflow_error("addition leads to int64_t underflow");
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t out;
  if (!__builtin_sub_overflow(a, b, &out)) return out;
  if (b < 0) throw std::overflow_error("subtraction leads to int64_t overflow");
  throw std::underflow_error("subtraction leads to int64_t underflow");
}

// Floor, so that nanoseconds are never below 0.
template <class Msg>
Msg split(std::int64_t ns) {
  std::int64_t seconds = ns / kSecond, rest = ns % kSecond;
  if (rest < 0) --seconds, rest += kSecond;
  Msg msg;
  if (seconds > INT32_MAX) msg.sec = INT32_MAX, msg.nanosec = UINT32_MAX;
  else if (seconds < INT32_MIN) msg.sec = INT32_MIN, msg.nanosec = 0;
  else msg.sec = static_cast<std::int32_t>(seconds), msg.nanosec = static_cast<std::uint32_t>(rest);
  return msg;
}

convoy::ros::Simulation& simulation_of(const Clock& clock) {
  convoy::ros::in_order("a clock");
  auto* simulation = clock.simulation() ? clock.simulation() : convoy::ros::Simulation::current();
  if (!simulation) throw std::runtime_error("a clock was asked before rclcpp::init()");
  return *simulation;
}

}  // namespace

// --- Duration

Duration::Duration(std::int32_t seconds, std::uint32_t nanoseconds) : ns_(seconds * kSecond + nanoseconds) {}
Duration::Duration(const builtin_interfaces::msg::Duration& msg) : ns_(msg.sec * kSecond + msg.nanosec) {}
Duration::operator builtin_interfaces::msg::Duration() const { return split<builtin_interfaces::msg::Duration>(ns_); }

Duration Duration::from_seconds(double seconds) {
  return from_nanoseconds(static_cast<std::int64_t>(static_cast<double>(kSecond) * seconds));
}
Duration Duration::from_rmw_time(rmw_time_t time) {
  if (time.sec > static_cast<std::uint64_t>(INT64_MAX / kSecond)) return max();
  std::int64_t ns;
  if (__builtin_add_overflow(static_cast<std::int64_t>(time.sec) * kSecond, time.nsec, &ns)) return max();
  return from_nanoseconds(ns);
}
rmw_time_t Duration::to_rmw_time() const {
  if (ns_ < 0) throw std::runtime_error("rmw_time_t cannot be negative");
  return {static_cast<std::uint64_t>(ns_ / kSecond), static_cast<std::uint64_t>(ns_ % kSecond)};
}

Duration Duration::operator+(const Duration& other) const { return from_nanoseconds(sum(ns_, other.ns_)); }
Duration Duration::operator-(const Duration& other) const { return from_nanoseconds(difference(ns_, other.ns_)); }
Duration Duration::operator*(double scale) const {
  const long double product = static_cast<long double>(ns_) * static_cast<long double>(scale);
  if (!(product > -0x1p63L && product < 0x1p63L)) {
    if (product > 0) throw std::overflow_error("duration scaling leads to int64_t overflow");
    if (product < 0) throw std::underflow_error("duration scaling leads to int64_t underflow");
    throw std::runtime_error("abnormal scale in rclcpp::Duration");
  }
  return from_nanoseconds(static_cast<std::int64_t>(product));
}

// --- Time

Time::Time(std::int32_t seconds, std::uint32_t nanoseconds, rcl_clock_type_t type)
    : ns_(seconds * kSecond + nanoseconds), type_(type) {
  if (seconds < 0) throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
}
Time::Time(const builtin_interfaces::msg::Time& msg, rcl_clock_type_t type)
    : ns_(msg.sec * kSecond + msg.nanosec), type_(type) {
  if (msg.sec < 0) throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
}
Time& Time::operator=(const builtin_interfaces::msg::Time& msg) { return *this = Time(msg); }
Time::operator builtin_interfaces::msg::Time() const { return split<builtin_interfaces::msg::Time>(ns_); }
builtin_interfaces::msg::Time convert_rcl_time_to_sec_nanos(rcl_time_point_value_t time) {
  return split<builtin_interfaces::msg::Time>(time);
}
void Time::same(const Time& other) const {
  if (type_ != other.type_) throw std::runtime_error("can't compare times with different time sources");
}
Duration Time::operator-(const Time& other) const {
  if (type_ != other.type_)
    throw std::runtime_error("can't subtract times with different time sources [" + std::to_string(type_) +
                             " != " + std::to_string(other.type_) + "]");
  return Duration::from_nanoseconds(difference(ns_, other.ns_));
}

// --- Clock

Clock::Clock(rcl_clock_type_t type) : type_(type), simulation_(convoy::ros::Simulation::current()) {}

Time Clock::now() const { return Time(convoy::nanos(simulation_of(*this).now()), type_); }

bool Clock::sleep_until(Time until, Context::SharedPtr) {
  if (until.get_clock_type() != type_) throw std::runtime_error("until's clock type does not match this clock's type");
  auto& simulation = simulation_of(*this);
  simulation.sleep_until(convoy::instant(until.nanoseconds()));
  return simulation.ok();
}
bool Clock::sleep_for(Duration duration, Context::SharedPtr context) { return sleep_until(now() + duration, context); }

// --- Rate

Rate::Rate(double rate, Clock::SharedPtr clock) : clock_(std::move(clock)), last_(clock_->now()) {
  if (rate <= 0) throw std::invalid_argument("rate must be greater than 0");
  period_ = Duration::from_seconds(1 / rate);
}
Rate::Rate(const Duration& period, Clock::SharedPtr clock)
    : clock_(std::move(clock)), period_(period), last_(clock_->now()) {
  if (period <= Duration()) throw std::invalid_argument("period must be greater than 0");
}
bool Rate::sleep() {
  const Time now = clock_->now();
  Time next = last_ + period_;
  if (now < last_) next = now + period_;  // the clock went back
  last_ += period_;
  if (next <= now) {
    if (now > next + period_) last_ = now + period_;  // more than one behind: begin anew
    return false;
  }
  return clock_->sleep_until(next);
}

}  // namespace rclcpp
