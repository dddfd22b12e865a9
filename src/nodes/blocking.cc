#include "nodes/blocking.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {

void Gate::open() {
  if (!waiting_.empty()) graph_->stacks().sleepers_.open(*this);
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

// --- from inside

bool Stacks::sleep_until(Instant due, Gate* gate) {
  EXPECTS(can_suspend());
  return due > graph_.now() && suspend(due, gate);
}

void Stacks::yield(Gate* gate) {
  EXPECTS(can_suspend());
  const std::uint64_t most = graph_.options_.bounds.events;
  if (++graph_.events_ > most)
    return graph_.stop({ErrorCode::kState,
                        "more than " + std::to_string(most) + " callbacks in one instant: " +
                            (graph_.running_ ? graph_.running_->label() : "a task") + " asks again and again",
                        {}});
  suspend(graph_.now(), gate);
}

bool Stacks::suspend(Instant due, Gate* gate) {
  if (sleepers_.size() >= kMaxSuspended) {
    graph_.stop(
        {ErrorCode::kUnavailable, "more than " + std::to_string(kMaxSuspended) + " callbacks wait in the middle", {}});
    return false;
  }
  Sleeper sleeper{worker_, graph_.running_};
  sleepers_.add(sleeper, due, gate);
  park(sleeper);
  return sleeper.opened;
}

void Stacks::pass() {
  EXPECTS(can_suspend());
  Sleeper sleeper{worker_, graph_.running_};
  sleepers_.add_ready(sleeper);
  park(sleeper);
}

// Until the loop picks the sleeper.
void Stacks::park(Sleeper& sleeper) {
  CallbackGroup* group = graph_.running_ ? graph_.running_->group_ : nullptr;
  if (group && group->kind() != CallbackGroup::Kind::kMutuallyExclusive) group = nullptr;
  if (group) ++group->busy_;
  const bool task = worker_->task > 0;
  in_the_middle_ += task ? 0 : 1;
  // Resumed, or unwound; in either case the group is this callback's no longer when it suspends again or ends.
  struct Leave {
    Stacks& stacks;
    CallbackGroup* group;
    bool task;
    ~Leave() {
      if (group) group->let_go();
      stacks.in_the_middle_ -= task ? 0 : 1;
    }
  } leave{*this, group, task};
  worker_->strand->suspend();
  graph_.running_ = sleeper.entity;
}

// --- the loop

// On one stack: each time it is resumed while idle it goes through what is left of the instant.
void Stacks::loop(Worker& worker) {
  if (graph_.options_.on_stack) graph_.options_.on_stack();
  for (;;) {
    if (worker.work) std::exchange(worker.work, {})();
    else graph_.drain();
    worker.idle = true;
    worker.strand->suspend();
  }
}

Worker& Stacks::idle_worker() {
  for (auto& worker : workers_)
    if (worker->idle) return *worker;
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.strand = execution_->make([this, &worker] { loop(worker); });
  return worker;
}

// Until the worker is idle, or stops in the middle.
void Stacks::resume(Worker& worker) {
  worker_ = &worker;
  worker.idle = false;
  if (worker.task > 0) graph_.running_ = nullptr;
  worker.strand->resume();
  worker_ = nullptr;
}

void Stacks::drain() {
  Worker* next = &idle_worker();
  while (next) {
    Worker& worker = *next;
    resume(worker);
    // After one that has stopped in the middle of a callback, and after a task, others go on.
    const bool others = !worker.idle || worker.task > 0;
    if (worker.idle && worker.leaves) std::erase_if(workers_, [&](const auto& one) { return one.get() == &worker; });
    // What is ready comes first, and is chosen here rather than on a stack of its own, which may be a thread.
    if (others && sleepers_.any_ready() && (!graph_.failure_ || letting_out_)) pick(sleepers_.take_ready());
    else if (others) resume_ = &idle_worker();
    next = std::exchange(resume_, nullptr);
  }
}

void Stacks::pick(Sleeper& sleeper) {
  // Apart from the ranks of timers, and callbacks' from the numbers of tasks.
  const std::uint64_t who = sleeper.entity ? ~std::uint64_t{sleeper.entity->rank()} - (std::uint64_t{1} << 32)
                                           : ~std::uint64_t{sleeper.worker->task} - (std::uint64_t{2} << 32);
  graph_.trail_.note(who, static_cast<std::uint64_t>(nanos(graph_.now())));
  resume_ = sleeper.worker;
}

// --- tasks

std::uint32_t Stacks::add_task(std::unique_ptr<Execution::Strand> strand) {
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.strand = std::move(strand);
  worker.idle = false, worker.leaves = true, worker.task = ++tasks_;
  worker.first.worker = &worker;
  sleepers_.add_ready(worker.first);
  return worker.task;
}

void Stacks::end_task() {
  EXPECTS(worker_ && worker_->task > 0);
  worker_->idle = true;
}

void Stacks::run(std::function<void()> work) {
  EXPECTS(execution_ && !worker_);
  Worker& worker = idle_worker();
  worker.work = std::move(work);
  Entity* const before = std::exchange(graph_.running_, nullptr);
  resume(worker);
  graph_.running_ = before;
}

void Stacks::set_execution(Execution& execution) {
  if (execution_ == &execution) return;
  execution_ = &execution;
  std::erase_if(workers_, [](const auto& worker) { return worker->idle && worker->task == 0; });
  for (auto& worker : workers_) worker->leaves = true;
}

void Stacks::let_out() {
  EXPECTS(!ending_ && execution_);
  letting_out_ = true;
  drain();
  letting_out_ = false;
  graph_.running_ = nullptr;
}

void Stacks::end() {
  ending_ = true;
  sleepers_.clear();
  workers_.clear();
}

}  // namespace convoy::nodes
