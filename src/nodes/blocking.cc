#include "nodes/blocking.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {

void Gate::open() {
  if (!waiting_.empty()) graph_->sleepers_.open(*this);
}

void Sleepers::add(Sleeper& sleeper, Instant due, Gate* gate) {
  sleeper.due = due, sleeper.gate = gate, sleeper.index = next_index_++;
  by_due_.emplace(std::pair{due, sleeper.index}, &sleeper);
  if (gate) gate->waiting_.push_back(&sleeper);
}

void Sleepers::open(Gate& gate) {
  for (Sleeper* sleeper : gate.waiting_) {
    sleeper->opened = true, sleeper->gate = nullptr;
    by_due_.erase({sleeper->due, sleeper->index});
    ready_.push_back(sleeper);
  }
  gate.waiting_.clear();
}

Sleeper& Sleepers::take_next() {
  Sleeper& sleeper = *by_due_.begin()->second;
  by_due_.erase(by_due_.begin());
  if (sleeper.gate) std::erase(sleeper.gate->waiting_, &sleeper);
  sleeper.gate = nullptr;
  return sleeper;
}

void Sleepers::clear() {
  for (auto& [due, sleeper] : by_due_)
    if (sleeper->gate) sleeper->gate->waiting_.clear();
  by_due_.clear();
  ready_.clear();
}

bool Graph::can_suspend() const { return worker_ != nullptr && !ending_; }

bool Graph::sleep_until(Instant due, Gate* gate) {
  EXPECTS(can_suspend() && running_);
  return due > now_ && suspend(due, gate);
}

void Graph::yield() {
  EXPECTS(can_suspend() && running_);
  if (++events_ > options_.bounds.events)
    return stop({ErrorCode::kState,
                 "more than " + std::to_string(options_.bounds.events) +
                     " callbacks in one instant: " + running_->label() + " asks again and again",
                 {}});
  suspend(now_, nullptr);
}

bool Graph::suspend(Instant due, Gate* gate) {
  if (sleepers_.size() >= kMaxSuspended) {
    stop({ErrorCode::kUnavailable, "more than " + std::to_string(kMaxSuspended) + " callbacks wait in the middle", {}});
    return false;
  }
  Sleeper sleeper{worker_, running_};
  CallbackGroup& group = *running_->group_;
  const bool exclusive = group.kind() == CallbackGroup::Kind::kMutuallyExclusive;
  if (exclusive) ++group.busy_;
  sleepers_.add(sleeper, due, gate);

  // Resumed, or unwound; in either case the group is this callback's no longer when it suspends again or ends.
  struct Leave {
    Graph& graph;
    CallbackGroup& group;
    bool exclusive;
    ~Leave() {
      if (exclusive) group.let_go();
    }
  } leave{*this, group, exclusive};
  worker_->strand->suspend();
  running_ = sleeper.entity;
  return sleeper.opened;
}

// The loop on one stack: each time it is resumed while idle it goes through what is left of the instant.
void Graph::work(Worker& worker) {
  if (options_.on_stack) options_.on_stack();
  for (;;) {
    drain();
    worker.idle = true;
    worker.strand->suspend();
  }
}

Worker& Graph::idle_worker() {
  for (auto& worker : workers_)
    if (worker->idle) return *worker;
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.strand = options_.execution->make([this, &worker] { work(worker); });
  return worker;
}

void Graph::drain_suspendable() {
  Worker* next = &idle_worker();
  while (next) {
    worker_ = next;
    worker_->idle = false;
    worker_->strand->resume();
    if (!worker_->idle) next = &idle_worker();  // it has stopped in the middle of a callback; others go on
    else next = std::exchange(resume_, nullptr);
  }
  worker_ = nullptr;
}

void Graph::pick_sleeper(Sleeper& sleeper) {
  trail_.note(~std::uint64_t{sleeper.entity->rank()} - (std::uint64_t{1} << 32),
              static_cast<std::uint64_t>(nanos(now_)));
  resume_ = sleeper.worker;
}

void Graph::shutdown() {
  ending_ = true;
  sleepers_.clear();
  workers_.clear();
}

}  // namespace convoy::nodes
