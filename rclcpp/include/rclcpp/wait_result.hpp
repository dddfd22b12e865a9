// What a wait set found: which of its entities are ready. While one is there the wait set keeps its entities alive.
#pragma once

#include <stdexcept>
#include <utility>

#include "rclcpp/client.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/wait_result_kind.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp {

template <class WaitSetT>
class WaitResult final {
 public:
  static WaitResult from_ready_wait_result_kind(WaitSetT& set) { return WaitResult(WaitResultKind::Ready, &set); }
  static WaitResult from_timeout_wait_result_kind() { return WaitResult(WaitResultKind::Timeout, nullptr); }
  static WaitResult from_empty_wait_result_kind() { return WaitResult(WaitResultKind::Empty, nullptr); }
  WaitResult(WaitResult&& other) noexcept
      : kind_(other.kind_), set_(std::exchange(other.set_, nullptr)), next_waitable_(other.next_waitable_) {}
  WaitResult(const WaitResult&) = delete;
  WaitResult& operator=(const WaitResult&) = delete;
  ~WaitResult() {
    if (set_) set_->wait_result_release();
  }

  WaitResultKind kind() const { return kind_; }
  // std::runtime_error: nothing is ready.
  WaitSetT& get_wait_set() { return checked(), *set_; }
  const WaitSetT& get_wait_set() const { return checked(), *set_; }

  // The next that is ready, in the order of the wait set, once each; null: no more.
  std::shared_ptr<SubscriptionBase> next_ready_subscription() {
    return next<SubscriptionBase>(
        [](rcl_wait_set_t& s) { return std::pair(s.subscriptions, s.size_of_subscriptions); });
  }
  std::shared_ptr<ServiceBase> next_ready_service() {
    return next<ServiceBase>([](rcl_wait_set_t& s) { return std::pair(s.services, s.size_of_services); });
  }
  std::shared_ptr<ClientBase> next_ready_client() {
    return next<ClientBase>([](rcl_wait_set_t& s) { return std::pair(s.clients, s.size_of_clients); });
  }
  std::shared_ptr<Waitable> next_ready_waitable() {
    if (!looks()) return nullptr;
    while (next_waitable_ < set_->template size_of<Waitable>()) {
      auto waitable = set_->template at<Waitable>(next_waitable_++);
      if (waitable && waitable->is_ready(set_->get_rcl_wait_set())) return waitable;
    }
    return nullptr;
  }
  // The same one until it is cleared.
  std::pair<std::shared_ptr<TimerBase>, std::size_t> peek_next_ready_timer(std::size_t from = 0) {
    if (!looks()) return {nullptr, from};
    for (std::size_t i = from; i < set_->template size_of<TimerBase>(); ++i)
      if (set_->storage_get_rcl_wait_set().timers[i]) return {set_->template at<TimerBase>(i), i};
    return {nullptr, from};
  }
  void clear_timer_with_index(std::size_t index) {
    if (index >= get_wait_set().template size_of<TimerBase>())
      throw std::out_of_range("given timer index is out of range");
    set_->storage_get_rcl_wait_set().timers[index] = nullptr;
  }

 private:
  WaitResult(WaitResultKind kind, WaitSetT* set) : kind_(kind), set_(set) {
    if (set_) set_->wait_result_acquire();
  }
  void checked() const {
    if (kind_ != WaitResultKind::Ready)
      throw std::runtime_error("cannot access wait set when the result was not ready");
  }
  bool looks() {
    if (set_ && set_->wait_result_dirty()) kind_ = WaitResultKind::Invalid;
    return kind_ == WaitResultKind::Ready;
  }
  template <class T, class Part>
  std::shared_ptr<T> next(Part part) {
    if (!looks()) return nullptr;
    const auto [ready, size] = part(set_->storage_get_rcl_wait_set());
    for (std::size_t i = 0; i < std::min(size, set_->template size_of<T>()); ++i)
      if (std::exchange(ready[i], nullptr)) return set_->template at<T>(i);
    return nullptr;
  }

  WaitResultKind kind_;
  WaitSetT* set_;
  std::size_t next_waitable_ = 0;
};

}  // namespace rclcpp
