// Timers, and their queue by due time.
#pragma once

#include <functional>
#include <vector>

#include "convoy/time.h"
#include "core/delay.h"
#include "nodes/entity.h"

namespace convoy::nodes {

inline constexpr Instant kNoInstant = Instant::max();

struct TimerSpec {
  Duration period{};  // 0: due again at once, which the bound on events ends
  bool autostart = true;
  CallbackGroup* group = nullptr;  // null: the node's own
  std::function<void()> callback;
};

class Timer final : public Entity {
 public:
  Node& node() const { return *node_; }
  Duration period() const { return period_; }
  Instant due() const { return due_; }            // kNoInstant while it is cancelled
  Instant expected() const { return expected_; }  // when the call that runs now, or ran last, was due
  bool is_canceled() const { return due_ == kNoInstant; }
  void cancel();
  void reset();  // due one period from now
  // For users that poll instead of waiting for the callback: the call that is due counts as made, and the timer is due
  // at the next instant of its grid. False: it is cancelled.
  bool take();
  void handle();  // runs the callback of a call that was taken
  // From the next reset or call on, as rcl_timer_exchange_period.
  void set_period(Duration period) { period_ = period; }

 private:
  friend class CallbackGroup;
  friend class Graph;
  friend class Node;
  friend class TimerQueue;
  Timer(Graph& graph, Node& node, TimerSpec spec);
  ~Timer() override;
  void detach() override;
  void run() override { callback_(); }
  std::string label() const override;
  // rcl's rule: by whole periods to the first instant after now, so that a late timer keeps its grid and fires once.
  void rearm(Instant now);

  Node* node_;
  Duration period_;
  Instant due_ = kNoInstant;
  Instant expected_{};
  Instant parked_due_ = kNoInstant;  // the call that has last waited for its group
  std::uint64_t index_ = 0;          // order of creation among timers
  std::size_t position_ = kNowhere;  // in the queue
  std::function<void()> callback_;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
};

// A binary heap, sifted as libstdc++ sifts its own, but written down here so that ties do not depend on a library.
class TimerQueue {
 public:
  explicit TimerQueue(TimerOrder order) : order_(order) {}

  bool empty() const { return heap_.empty(); }
  Timer& front() const { return *heap_[0].timer; }
  Instant next() const { return heap_.empty() ? kNoInstant : heap_[0].due; }

  void push(Timer& timer);
  void remove(Timer& timer);
  // The front one's due has changed.
  void front_changed();
  void clear();

 private:
  struct Item {
    Instant due;
    std::uint64_t index;
    Timer* timer;
  };
  bool later(const Item& a, const Item& b) const {
    return a.due != b.due ? a.due > b.due : order_ == TimerOrder::kStable && a.index > b.index;
  }
  void set(std::size_t at, const Item& item) { heap_[at] = item, item.timer->position_ = at; }
  void sift_up(std::size_t hole, std::size_t top, const Item& item);
  void sift_down(std::size_t hole, const Item& item);  // to a leaf, then up again

  TimerOrder order_;
  std::vector<Item> heap_;
};

}  // namespace convoy::nodes
