#include "nodes/timer.h"

#include "core/check.h"
#include "nodes/graph.h"

namespace convoy::nodes {
namespace {

// Far ahead is the last instant, not an overflow.
Instant after(Instant t, Duration d) { return d < kNoInstant - t ? t + d : kNoInstant - Duration(1); }

}  // namespace

Timer::Timer(Graph& graph, Node& node, TimerSpec spec)
    : Entity(graph, spec.group ? spec.group : &node.default_group()),
      node_(&node),
      period_(spec.period),
      callback_(std::move(spec.callback)) {
  index_ = graph.next_timer_++;
  node.hold_node();
  if (spec.autostart) reset();
}

Timer::~Timer() { node_->release_node(); }

void Timer::detach() { graph()->drop_timer(*this); }

void Timer::cancel() {
  entered("cancel() on a timer of", node_->full_name());
  if (graph()) graph()->drop_timer(*this);
  due_ = kNoInstant;
}

void Timer::reset() {
  if (!graph()) return;
  entered("reset() on a timer of", node_->full_name());
  graph()->drop_timer(*this);
  due_ = after(graph()->now(), period_);
  graph()->arm_timer(*this);
}

bool Timer::take() {
  if (!graph() || is_canceled()) return false;
  Graph& g = *graph();
  g.drop_timer(*this);
  rearm(g.now());
  g.arm_timer(*this);
  g.trail_.note(~std::uint64_t{rank()}, static_cast<std::uint64_t>(nanos(g.now())));
  return true;
}

void Timer::handle() {
  if (graph()) ++graph()->callbacks_;
  callback_();
}

void Timer::rearm(Instant now) {
  expected_ = due_;
  due_ = after(due_, period_);
  if (due_ > now) return;
  if (period_ <= Duration(0)) due_ = now;
  else due_ = after(due_, period_ * (1 + (now - due_) / period_));
}

std::string Timer::label() const { return "a timer of " + node_->full_name(); }

void TimerQueue::sift_up(std::size_t hole, std::size_t top, const Item& item) {
  while (hole > top) {
    const std::size_t parent = (hole - 1) / 2;
    if (!later(heap_[parent], item)) break;
    set(hole, heap_[parent]);
    hole = parent;
  }
  set(hole, item);
}

void TimerQueue::sift_down(std::size_t hole, const Item& item) {
  const std::size_t top = hole;
  for (;;) {
    const std::size_t left = 2 * hole + 1, right = left + 1;
    if (left >= heap_.size()) break;
    // Of two that are equal, the right one goes up.
    const std::size_t child = right < heap_.size() && !later(heap_[right], heap_[left]) ? right : left;
    set(hole, heap_[child]);
    hole = child;
  }
  sift_up(hole, top, item);
}

void TimerQueue::push(Timer& timer) {
  EXPECTS(timer.position_ == Timer::kNowhere && timer.due_ != kNoInstant);
  const Item item{timer.due_, timer.index_, &timer};
  heap_.push_back(item);
  sift_up(heap_.size() - 1, 0, item);
}

void TimerQueue::remove(Timer& timer) {
  const std::size_t at = timer.position_;
  EXPECTS(at < heap_.size() && heap_[at].timer == &timer);
  timer.position_ = Timer::kNowhere;
  const Item last = heap_.back();
  heap_.pop_back();
  if (last.timer == &timer) return;
  if (at > 0 && later(heap_[(at - 1) / 2], last)) sift_up(at, 0, last);
  else sift_down(at, last);
}

void TimerQueue::front_changed() {
  EXPECTS(!heap_.empty());
  Item item = heap_[0];
  item.due = item.timer->due_;
  sift_down(0, item);
}

void TimerQueue::clear() {
  for (Item& item : heap_) item.timer->position_ = Timer::kNowhere;
  heap_.clear();
}

}  // namespace convoy::nodes
