// Who of a simulation's callbacks and threads waits for what, and who goes on: first in, first out, never in the kernel.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

// What is waited for.
enum class For : std::uint8_t {
  kMutex,
  kReadWriteLock,
  kOnce,
  kThread,
  kCondition,
  kSemaphore,
  kFutex,
  kBarrier,
  kSleep,
};

// Whoever runs: the number of a thread, or what stands for a callback, a constructor and main().
using Runner = std::uint64_t;
inline constexpr Runner kCallback = 1ull << 32;  // and its rank
inline constexpr Runner kConstructor = 2ull << 32, kMain = 3ull << 32;

// Locks that node code of one simulation has. A lock that is taken and is not here is somebody else's.
class HeldLocks {
 public:
  struct Held {
    const void* lock;
    Runner by;
    const std::string* who;
    unsigned count;
  };
  // `counts`: it can be taken more than once.
  void add(const Held& lock, bool counts);
  bool remove(const void* lock);  // true: it is free now
  const Held* find(const void* lock) const;

 private:
  std::vector<Held> held_;  // few at a time, the last taken last
};

class Waits {
 public:
  explicit Waits(Simulation& simulation) : simulation_(simulation) {}

  Runner self() const;
  bool is_main() const;
  // Until somebody wakes who waits for that, or the instant comes. False: the instant came first.
  bool wait(const void* at, For what, Instant due = nodes::kNoInstant);
  // Those who have waited longest; how many there were.
  std::size_t wake(const void* at, std::size_t most = SIZE_MAX);
  void yield();

  void locked(const void* lock, bool counts);
  void unlocked(const void* lock);
  bool holds(const void* lock) const { return held_.find(lock) != nullptr; }
  bool holds_itself(const void* lock) const;  // whoever runs now

  // Nothing more will happen by itself: who waits in a way that cannot end. Empty: nobody.
  std::string deadlock() const;
  // What a runner waits for, for people; empty: nothing.
  std::string text_of(Runner runner) const;
  std::string callbacks_that_wait() const;

  // --- the end
  bool over() const { return over_; }
  // No time passes any more: waits with a limit return.
  void end_limits();
  // The one who has waited longest for a sign goes on without it, as condition variables allow. False: nobody does.
  bool wake_one_in_vain();
  void count_anew() { turns_after_end_.clear(); }
  // Something of rclcpp that would wait: others get a turn first.
  void pass_after_end();

 private:
  struct Waiter;
  const std::string* who() const;
  void block(Waiter& waiter);
  void block_main(Waiter& waiter);
  void look_for_circle(const Waiter& from);
  // Who has what this one waits for; none: nobody that is known.
  std::optional<HeldLocks::Held> holder_of(const Waiter& waiter) const;
  std::string text_of(const Waiter& waiter) const;
  void stop(const std::string& text);
  bool may_pass(Runner runner);

  Simulation& simulation_;
  std::map<const void*, std::deque<Waiter*>> queues_;  // nothing is decided by the order of addresses
  std::vector<Waiter*> waiting_;                       // all, in the order in which they began to
  HeldLocks held_;
  bool over_ = false;
  std::map<Runner, int> turns_after_end_;
  std::uint32_t yields_ = 0;  // at this instant
  Instant yielded_at_{};
};

}  // namespace convoy::ros
