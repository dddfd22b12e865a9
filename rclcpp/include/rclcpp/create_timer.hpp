// rclcpp::create_timer(node, clock, 100ms, callback): over anything that has the interface for timers. Every timer runs on
// simulated time, whichever clock it is given.
#pragma once

#include <chrono>

#include "rclcpp/create_subscription.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp {
namespace detail {

template <class Rep, class Period>
std::chrono::nanoseconds checked_period(std::chrono::duration<Rep, Period> period) {
  if (period < std::chrono::duration<Rep, Period>::zero())
    throw std::invalid_argument("timer period cannot be negative");
  using Wide = std::chrono::duration<long double, std::nano>;
  if (std::chrono::duration_cast<Wide>(period) > Wide(std::chrono::nanoseconds::max()))
    throw std::invalid_argument("timer period must be less than std::chrono::nanoseconds::max()");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
}

// TimerT<CallbackT>: GenericTimer or WallTimer.
template <class TimerT, class CallbackT>
std::shared_ptr<TimerT> make_timer(const node_interfaces::NodeBaseInterface& node, std::chrono::nanoseconds period,
                                   CallbackT callback, const CallbackGroup::SharedPtr& group, bool autostart) {
  auto timer = std::make_shared<TimerT>();
  timer->set_kernel(
      node.kernel().create_timer({.period = period,
                                  .autostart = autostart,
                                  .group = kernel_of(group),
                                  .callback = [simulation = &node.simulation(), who = &node.about("a timer"),
                                               self = timer.get(), call = std::move(callback)]() mutable {
                                    simulation->guarded(*who, [&] { call_timer(call, *self); });
                                  }}));
  return timer;
}

}  // namespace detail

template <class Rep, class Period, class CallbackT>
typename GenericTimer<std::decay_t<CallbackT>>::SharedPtr create_timer(
    node_interfaces::NodeBaseInterface* base, node_interfaces::NodeTimersInterface*, Clock::SharedPtr,
    std::chrono::duration<Rep, Period> period, CallbackT&& callback, CallbackGroup::SharedPtr group = nullptr,
    bool autostart = true) {
  return detail::make_timer<GenericTimer<std::decay_t<CallbackT>>>(*base, detail::checked_period(period),
                                                                   std::forward<CallbackT>(callback), group, autostart);
}
template <class CallbackT>
typename GenericTimer<std::decay_t<CallbackT>>::SharedPtr create_timer(
    const node_interfaces::NodeBaseInterface::SharedPtr& base,
    const node_interfaces::NodeTimersInterface::SharedPtr& timers, Clock::SharedPtr clock, Duration period,
    CallbackT&& callback, CallbackGroup::SharedPtr group = nullptr, bool autostart = true) {
  return create_timer(base.get(), timers.get(), clock, period.to_chrono<std::chrono::nanoseconds>(),
                      std::forward<CallbackT>(callback), group, autostart);
}
template <class NodeT, class CallbackT>
requires node_interfaces::has_timers_interface<std::remove_cvref_t<NodeT>>
typename GenericTimer<std::decay_t<CallbackT>>::SharedPtr create_timer(NodeT&& node, Clock::SharedPtr clock,
                                                                       Duration period, CallbackT&& callback,
                                                                       CallbackGroup::SharedPtr group = nullptr,
                                                                       bool autostart = true) {
  const auto timers = node_interfaces::get_node_timers_interface(node);
  return create_timer(timers->get_node_base_interface(), timers.get(), clock,
                      period.to_chrono<std::chrono::nanoseconds>(), std::forward<CallbackT>(callback), group,
                      autostart);
}
template <class Rep, class Period, class CallbackT>
typename GenericTimer<std::decay_t<CallbackT>>::SharedPtr create_timer(
    std::chrono::duration<Rep, Period> period, CallbackT callback, CallbackGroup::SharedPtr group,
    Clock::SharedPtr clock, node_interfaces::NodeBaseInterface* base, node_interfaces::NodeTimersInterface* timers,
    bool autostart = true) {
  return create_timer(base, timers, clock, period, std::move(callback), group, autostart);
}
template <class Rep, class Period, class CallbackT>
typename WallTimer<CallbackT>::SharedPtr create_wall_timer(std::chrono::duration<Rep, Period> period,
                                                           CallbackT callback, CallbackGroup::SharedPtr group,
                                                           node_interfaces::NodeBaseInterface* base,
                                                           node_interfaces::NodeTimersInterface*,
                                                           bool autostart = true) {
  return detail::make_timer<WallTimer<CallbackT>>(*base, detail::checked_period(period), std::move(callback), group,
                                                  autostart);
}

}  // namespace rclcpp
