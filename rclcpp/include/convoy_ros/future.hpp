// Promises whose futures wait in simulated time: get() and wait() suspend the caller, and others go on meanwhile.
//
// libstdc++ calls a virtual hook of a future's state before it blocks, meant for deferred functions; the states of
// these promises use it. The hook of wait_for() does not get the duration, so a plain std::future's wait_for() waits in
// real time and then returns what it sees; wait_for() below, and those of rclcpp's clients, wait in simulated time.
#pragma once

#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

// Waits until the future is ready, in the simulation that is current; timeout if the time is over first.
template <class FutureT>
std::future_status wait_for(const FutureT& future, std::chrono::nanoseconds timeout) {
  in_order("a future's wait_for()");
  const auto ready = [&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
  Simulation* simulation = Simulation::current();
  if (simulation && timeout > std::chrono::nanoseconds(0))
    simulation->wait_until(
        timeout < nodes::kNoInstant - simulation->now() ? simulation->now() + timeout : nodes::kNoInstant, ready);
  return future.wait_for(std::chrono::seconds(0));
}

#if defined(__GLIBCXX__)
namespace detail {

class WaitingState final : public std::__future_base::_State_baseV2 {
  void _M_complete_async() override {
    in_order("a future's wait()");
    const auto ready = [this] { return wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
    Simulation* simulation = Simulation::current();
    if (ready() || !simulation) return;
    if (!simulation->wait_until(nodes::kNoInstant, ready))
      throw std::runtime_error("a future was waited for that nothing will make ready");
  }
};
// It takes the place of one that has been made room for.
static_assert(sizeof(WaitingState) == sizeof(std::__future_base::_State_baseV2));

// std::promise makes its state with the allocator that it is given: this one makes ours.
template <class T>
struct WaitingAllocator {
  using value_type = T;
  WaitingAllocator() = default;
  template <class U>
  WaitingAllocator(const WaitingAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    if constexpr (std::is_same_v<U, std::__future_base::_State_baseV2>) ::new (static_cast<void*>(p)) WaitingState;
    else ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  template <class U>
  void destroy(U* p) {
    p->~U();
  }
  friend bool operator==(const WaitingAllocator&, const WaitingAllocator&) { return true; }
};

}  // namespace detail

template <class T>
std::promise<T> make_promise() {
  return std::promise<T>(std::allocator_arg, detail::WaitingAllocator<T>());
}
#else
template <class T>
std::promise<T> make_promise() {
  return std::promise<T>();  // its futures block in real time
}
#endif

}  // namespace convoy::ros
