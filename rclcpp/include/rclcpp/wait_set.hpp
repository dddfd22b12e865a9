// Wait sets: a callback, or a program's own main(), waits in simulated time until one of many things is ready, and
// takes it itself.
//
//   rclcpp::WaitSet waits({{scan}, {odometry}}, {stop});
//   while (waits.wait(1s).kind() == rclcpp::WaitResultKind::Ready) if (scan->take(message, info)) ...
//
// What it takes no other may: the subscriptions, timers, clients and services are in a callback group that no executor
// spins, else their own callbacks come first. The waiter goes on directly after the event that made something ready.
#pragma once

#include <array>
#include <chrono>
#include <tuple>
#include <vector>

#include "rclcpp/guard_condition.hpp"
#include "rclcpp/subscription_wait_set_mask.hpp"
#include "rclcpp/wait_result.hpp"

namespace rclcpp {
namespace detail {

// A static wait set owns what it has, a dynamic one only while a result of it is there.
template <class T>
struct Waited {
  std::weak_ptr<T> weak;
  std::shared_ptr<T> held;
  bool claimed = false;  // it is marked as in use by this wait set
};

class WaitSetBase {
 public:
  const rcl_wait_set_t& get_rcl_wait_set() const { return arrays_.set(); }

  // --- for results
  rcl_wait_set_t& storage_get_rcl_wait_set() { return arrays_.set(); }
  template <class T>
  std::size_t size_of() const {
    return all<T>().size();
  }
  template <class T>
  std::shared_ptr<T> at(std::size_t i) const {
    return all<T>()[i].weak.lock();
  }
  void wait_result_acquire();
  void wait_result_release();
  bool wait_result_dirty() const { return dirty_; }

 protected:
  explicit WaitSetBase(bool owns) : owns_(owns) {}
  WaitSetBase(const WaitSetBase&) = delete;
  WaitSetBase& operator=(const WaitSetBase&) = delete;
  ~WaitSetBase();

  template <class T>
  void put(const std::shared_ptr<T>& one) {
    if (one) all<T>().push_back({one, owns_ ? one : nullptr});
  }
  // std::runtime_error: another wait set, or this one, has it already.
  template <class T>
  void add(const std::shared_ptr<T>& one) {
    if (!one) throw std::invalid_argument(std::string(what<T>()) + " is nullptr");
    if (exchange_in_use(*one, true))
      throw std::runtime_error(std::string(what<T>()) + " already in use by another wait set");
    all<T>().push_back({one, nullptr, true});
    dirty_ = holding_;
  }
  template <class T>
  void remove(const std::shared_ptr<T>& one) {
    auto& entities = all<T>();
    for (auto at = entities.begin(); at != entities.end(); ++at) {
      if (at->weak.lock() != one) continue;
      if (at->claimed) exchange_in_use(*one, false);
      entities.erase(at);
      dirty_ = holding_;
      return;
    }
    throw std::runtime_error(std::string(what<T>()) + " not in wait set");
  }
  void prune();
  // Ready: what is not is null in the arrays.
  WaitResultKind wait_for(std::chrono::nanoseconds timeout);

 private:
  template <class T>
  std::vector<Waited<T>>& all() {
    return std::get<std::vector<Waited<T>>>(all_);
  }
  template <class T>
  const std::vector<Waited<T>>& all() const {
    return std::get<std::vector<Waited<T>>>(all_);
  }
  template <class T>
  static constexpr const char* what() {
    if constexpr (std::is_same_v<T, SubscriptionBase>) return "subscription";
    else if constexpr (std::is_same_v<T, GuardCondition>) return "guard condition";
    else if constexpr (std::is_same_v<T, TimerBase>) return "timer";
    else if constexpr (std::is_same_v<T, ClientBase>) return "client";
    else if constexpr (std::is_same_v<T, ServiceBase>) return "service";
    else return "waitable";
  }
  template <class T>
  static bool exchange_in_use(T& one, bool in_use) {
    if constexpr (std::is_same_v<T, SubscriptionBase>) return one.exchange_in_use_by_wait_set_state(&one, in_use);
    else return one.exchange_in_use_by_wait_set_state(in_use);
  }
  void fill();

  std::tuple<std::vector<Waited<SubscriptionBase>>, std::vector<Waited<GuardCondition>>, std::vector<Waited<TimerBase>>,
             std::vector<Waited<ClientBase>>, std::vector<Waited<ServiceBase>>, std::vector<Waited<Waitable>>>
      all_;
  convoy::ros::WaitArrays arrays_;
  bool owns_;
  bool holding_ = false;  // a result is there
  bool dirty_ = false;    // and no longer true
};

}  // namespace detail

namespace wait_set_policies {

struct SubscriptionEntry {
  SubscriptionEntry(std::shared_ptr<SubscriptionBase> s = nullptr,
                    const SubscriptionWaitSetMask& m = {})  // NOLINT: converts
      : subscription(std::move(s)), mask(m) {}
  std::shared_ptr<SubscriptionBase> subscription;
  SubscriptionWaitSetMask mask;
};
struct WaitableEntry {
  WaitableEntry(std::shared_ptr<Waitable> w = nullptr, std::shared_ptr<void> entity = nullptr)  // NOLINT: converts
      : waitable(std::move(w)), associated_entity(std::move(entity)) {}
  std::shared_ptr<Waitable> waitable;
  std::shared_ptr<void> associated_entity;
};

struct DynamicStorage {
  static constexpr bool is_static = false;
  using SubscriptionsIterable = std::vector<SubscriptionEntry>;
  using GuardConditionsIterable = std::vector<std::shared_ptr<GuardCondition>>;
  using TimersIterable = std::vector<std::shared_ptr<TimerBase>>;
  using ClientsIterable = std::vector<std::shared_ptr<ClientBase>>;
  using ServicesIterable = std::vector<std::shared_ptr<ServiceBase>>;
  using WaitablesIterable = std::vector<WaitableEntry>;
};
template <std::size_t subscriptions, std::size_t guard_conditions, std::size_t timers, std::size_t clients,
          std::size_t services, std::size_t waitables>
struct StaticStorage {
  static constexpr bool is_static = true;
  using SubscriptionsIterable = std::array<SubscriptionEntry, subscriptions>;
  using GuardConditionsIterable = std::array<std::shared_ptr<GuardCondition>, guard_conditions>;
  using TimersIterable = std::array<std::shared_ptr<TimerBase>, timers>;
  using ClientsIterable = std::array<std::shared_ptr<ClientBase>, clients>;
  using ServicesIterable = std::array<std::shared_ptr<ServiceBase>, services>;
  using WaitablesIterable = std::array<WaitableEntry, waitables>;
};
// They differ in name alone: everything of a simulation runs on one thread.
struct SequentialSynchronization {};
struct ThreadSafeSynchronization {};

}  // namespace wait_set_policies

template <class SynchronizationPolicy, class StoragePolicy>
class WaitSetTemplate final : public detail::WaitSetBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(WaitSetTemplate)
  using SubscriptionEntry = wait_set_policies::SubscriptionEntry;
  using WaitableEntry = wait_set_policies::WaitableEntry;

  explicit WaitSetTemplate(const typename StoragePolicy::SubscriptionsIterable& subscriptions = {},
                           const typename StoragePolicy::GuardConditionsIterable& guard_conditions = {},
                           const typename StoragePolicy::TimersIterable& timers = {},
                           const typename StoragePolicy::ClientsIterable& clients = {},
                           const typename StoragePolicy::ServicesIterable& services = {},
                           const typename StoragePolicy::WaitablesIterable& waitables = {},
                           const Context::SharedPtr& = nullptr)
      : WaitSetBase(StoragePolicy::is_static) {
    for (const SubscriptionEntry& one : subscriptions)
      if (one.mask.include_subscription) put(one.subscription);
    for (const auto& one : guard_conditions) put(one);
    for (const auto& one : timers) put(one);
    for (const auto& one : clients) put(one);
    for (const auto& one : services) put(one);
    for (const WaitableEntry& one : waitables) put(one.waitable);
  }

  // A duration below 0: without an end. Gone entities are forgotten first.
  template <class Rep = std::int64_t, class Period = std::milli>
  [[nodiscard]] WaitResult<WaitSetTemplate> wait(
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    using Result = WaitResult<WaitSetTemplate>;
    const WaitResultKind kind = wait_for(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
    if (kind == WaitResultKind::Ready) return Result::from_ready_wait_result_kind(*this);
    return kind == WaitResultKind::Empty ? Result::from_empty_wait_result_kind()
                                         : Result::from_timeout_wait_result_kind();
  }

  // --- not of a static one
  void add_subscription(std::shared_ptr<SubscriptionBase> one, SubscriptionWaitSetMask mask = {}) {
    changeable();
    if (mask.include_subscription) add(one);
  }
  void remove_subscription(std::shared_ptr<SubscriptionBase> one, SubscriptionWaitSetMask mask = {}) {
    changeable();
    if (mask.include_subscription) remove(one);
  }
  void add_guard_condition(std::shared_ptr<GuardCondition> one) { changeable(), add(one); }
  void remove_guard_condition(std::shared_ptr<GuardCondition> one) { changeable(), remove(one); }
  void add_timer(std::shared_ptr<TimerBase> one) { changeable(), add(one); }
  void remove_timer(std::shared_ptr<TimerBase> one) { changeable(), remove(one); }
  void add_client(std::shared_ptr<ClientBase> one) { changeable(), add(one); }
  void remove_client(std::shared_ptr<ClientBase> one) { changeable(), remove(one); }
  void add_service(std::shared_ptr<ServiceBase> one) { changeable(), add(one); }
  void remove_service(std::shared_ptr<ServiceBase> one) { changeable(), remove(one); }
  void add_waitable(std::shared_ptr<Waitable> one, std::shared_ptr<void> = nullptr) { changeable(), add(one); }
  void remove_waitable(std::shared_ptr<Waitable> one) { changeable(), remove(one); }
  void prune_deleted_entities() { changeable(), prune(); }

 private:
  static constexpr void changeable() {
    static_assert(!StoragePolicy::is_static, "what is in a StaticWaitSet stays as it is");
  }
};

using WaitSet = WaitSetTemplate<wait_set_policies::SequentialSynchronization, wait_set_policies::DynamicStorage>;
using ThreadSafeWaitSet =
    WaitSetTemplate<wait_set_policies::ThreadSafeSynchronization, wait_set_policies::DynamicStorage>;
template <std::size_t subscriptions, std::size_t guard_conditions, std::size_t timers, std::size_t clients,
          std::size_t services, std::size_t waitables>
using StaticWaitSet = WaitSetTemplate<
    wait_set_policies::SequentialSynchronization,
    wait_set_policies::StaticStorage<subscriptions, guard_conditions, timers, clients, services, waitables>>;

}  // namespace rclcpp
