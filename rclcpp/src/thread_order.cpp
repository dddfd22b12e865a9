#include "thread_order.hpp"

#include <errno.h>

#include <algorithm>
#include <chrono>

#include "current.hpp"
#include "ordered_thread.hpp"
#include "os/real_calls.h"

namespace convoy::ros {

ThreadOrder::~ThreadOrder() = default;

bool ThreadOrder::in_main(const Simulation& s) {
  return s.options_.program && !s.running_ && !s.graph_->stacks().can_suspend();
}

ThreadOrder* ThreadOrder::of_locks() {
  Simulation* s = the_current;
  if (!s || os::RealCalls::wanted()) return nullptr;
  return in_main(*s) || (s->watched_.running() && s->graph_->stacks().can_suspend()) ? s->order_.get() : nullptr;
}

ThreadOrder* ThreadOrder::here() {
  ThreadOrder* order = of_locks();
  return order && (order->used_ || order->simulation_.is_program()) ? order : nullptr;
}

// --- threads

int ThreadOrder::create(pthread_t* thread, const pthread_attr_t* attributes, Start start, void* argument,
                        const std::string& who, const std::string& library) {
  auto own = std::make_shared<OrderedThread>(*this, start, argument);
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  own->detached = state == PTHREAD_CREATE_DETACHED;
  if (const int error = start_ordered_thread(own, thread, attributes); error != 0) return error;
  own->id = *thread;
  own->name = &simulation_.keep("thread " + std::to_string(++started_) + (library.empty() ? "" : " (" + library + ")") +
                                " of " + who);
  nodes::Stacks& stacks = simulation_.graph().stacks();
  if (!std::exchange(used_, true)) stacks.set_execution(strands_);
  own->number = stacks.add_task(std::make_unique<ThreadTurns>(own));
  threads_.emplace(own->number, std::move(own));
  return 0;
}

std::shared_ptr<OrderedThread> ThreadOrder::find(pthread_t thread) const {
  for (const auto& [number, one] : threads_)
    if (!one->detached && pthread_equal(one->id, thread)) return one;
  return nullptr;
}

std::optional<int> ThreadOrder::join(pthread_t thread, void** result, Instant due) {
  const std::shared_ptr<OrderedThread> other = find(thread);
  if (!other) return std::nullopt;
  if (waits_.self() == other->number) return EDEADLK;
  while (!other->ended)
    if (!waits_.wait(other.get(), For::kThread, due) && !other->ended) return ETIMEDOUT;
  threads_.erase(other->number);
  const os::RealCalls real;
  return pthread_join(thread, result);
}

bool ThreadOrder::detach(pthread_t thread) {
  const std::shared_ptr<OrderedThread> one = find(thread);
  if (!one) return false;
  one->detached = true;
  if (one->ended) threads_.erase(one->number);
  return true;
}

void ThreadOrder::begin_turn(const OrderedThread& thread) { simulation_.watched().begin_thread(*thread.name); }

void ThreadOrder::ended(OrderedThread& thread) {
  simulation_.watched().end();
  thread.ended = true;
  waits_.wake(&thread);
  simulation_.find_topics_again();
  simulation_.graph().stacks().end_task();
  if (thread.detached) threads_.erase(thread.number);
}

// --- time

Instant ThreadOrder::now() const {
  const bool here = slept_ > Duration{0} && slept_by_ == waits_.self() && slept_in_ == simulation_.graph().callbacks();
  return simulation_.now() + (here ? slept_ : Duration{0});
}

bool ThreadOrder::sleeps_in_real_time() const {
  const Runner self = waits_.self();
  return self >= kCallback && self < kMain;
}

void ThreadOrder::slept(Duration time) {
  const std::uint64_t in = simulation_.graph().callbacks();
  const Runner self = waits_.self();
  if (slept_by_ != self || slept_in_ != in) slept_ = {};
  slept_by_ = self, slept_in_ = in, slept_ += time;
}

// --- the end

std::string ThreadOrder::remaining() const {
  std::string text = waits_.callbacks_that_wait();
  for (const auto& [number, thread] : threads_) {
    if (thread->ended) continue;
    const std::string waits = waits_.text_of(number);
    text += (text.empty() ? "" : "; ") +
            (!waits.empty() ? waits : *thread->name + (thread->runs_off ? " does not stop working" : " waits"));
  }
  return text;
}

void ThreadOrder::run_out(const std::function<bool()>& done) {
  using Clock = std::chrono::steady_clock;  // real: nothing counts any more
  const Clock::time_point begun = Clock::now();
  do simulation_.graph().stacks().let_out();
  while (!done() && Clock::now() - begun < kEndPatience && waits_.wake_one_in_vain());
}

std::string ThreadOrder::finish(const std::function<void()>& destroy) {
  const Simulation::Scope scope(simulation_);
  simulation_.shutdown();
  nodes::Stacks& stacks = simulation_.graph().stacks();
  const auto no_callback = [&] { return stacks.callbacks_suspended() == 0; };
  // Callbacks come to their end before the nodes do. Threads sleep on for now, since nobody has asked them to stop.
  stacks.let_out();
  if (!no_callback()) waits_.end_limits(), run_out(no_callback);
  waits_.count_anew();
  waits_.end_limits();
  bool destroyed = !destroy;
  if (destroy && no_callback())
    stacks.run([&] {
      const Watched::Work work(simulation_.watched(), simulation_.keep("the end of the nodes"));
      destroy();
      destroyed = true;
    });
  const auto nobody = [&] {
    return destroyed && no_callback() &&
           std::all_of(threads_.begin(), threads_.end(), [](const auto& one) { return one.second->ended; });
  };
  run_out(nobody);
  return nobody() ? "" : remaining();
}

}  // namespace convoy::ros
