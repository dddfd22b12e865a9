#include "waits.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "ordered_thread.hpp"

namespace convoy::ros {
namespace {

constexpr std::uint32_t kMostYields = 10'000;  // in one instant
constexpr int kTurnsAfterTheEnd = 1000;        // of each who does not come to an end

bool has_holder(For what) {
  return what == For::kMutex || what == For::kReadWriteLock || what == For::kOnce || what == For::kThread;
}

const char* words(For what) {
  switch (what) {
    case For::kMutex: return "a mutex";
    case For::kReadWriteLock: return "a lock of readers and writers";
    case For::kOnce: return "what is done once";
    case For::kThread: return "the end of";
    case For::kCondition: return "a condition variable";
    case For::kSemaphore: return "a semaphore";
    case For::kFutex: return "an atomic or a future";
    case For::kBarrier: return "a barrier";
    case For::kSleep: return "the time";
  }
  return "";
}

// main() cannot go on, nor return.
[[noreturn]] void die(const std::string& text) {
  std::fprintf(stderr, "convoy: %s\n", text.c_str());
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace

// --- locks

void HeldLocks::add(const Held& lock, bool counts) {
  if (auto* held = const_cast<Held*>(find(lock.lock))) {
    const unsigned count = counts ? held->count + 1 : 1;
    *held = lock, held->count = count;
  } else {
    held_.push_back(lock);
  }
}

bool HeldLocks::remove(const void* lock) {
  auto* held = const_cast<Held*>(find(lock));
  if (!held || --held->count > 0) return false;
  held_.erase(held_.begin() + (held - held_.data()));
  return true;
}

const HeldLocks::Held* HeldLocks::find(const void* lock) const {
  for (auto held = held_.rbegin(); held != held_.rend(); ++held)
    if (held->lock == lock) return &*held;
  return nullptr;
}

void Waits::locked(const void* lock, bool counts) { held_.add({lock, self(), who(), 1}, counts); }

void Waits::unlocked(const void* lock) {
  if (held_.remove(lock) && !waiting_.empty()) wake(lock, 1);
}

bool Waits::holds_itself(const void* lock) const {
  const HeldLocks::Held* held = held_.find(lock);
  return held && held->by == self();
}

// --- waiting

struct Waits::Waiter {
  nodes::Gate gate;
  const void* at;
  For what;
  Instant due;
  Runner by;
  const std::string* who;
  bool woken = false;
};

bool Waits::is_main() const { return !simulation_.graph().stacks().can_suspend(); }

Runner Waits::self() const {
  if (is_main()) return kMain;
  const nodes::Graph& graph = simulation_.graph();
  if (const std::uint32_t task = graph.stacks().running_task(); task > 0) return task;
  return graph.running() ? kCallback + graph.running()->rank() : kConstructor;
}

const std::string* Waits::who() const {
  static const std::string in_main = "main()";
  const std::string* running = simulation_.watched().running();
  return running ? running : &in_main;
}

bool Waits::wait(const void* at, For what, Instant due) {
  Waiter waiter{nodes::Gate(simulation_.graph()), at, what, due, self(), who()};
  waiting_.push_back(&waiter);
  if (at) queues_[at].push_back(&waiter);
  if (due == nodes::kNoInstant && has_holder(what)) look_for_circle(waiter);
  if (is_main()) block_main(waiter);
  else block(waiter);
  std::erase(waiting_, &waiter);
  if (const auto queue = queues_.find(at); queue != queues_.end()) {
    if (!waiter.woken) std::erase(queue->second, &waiter);
    if (queue->second.empty()) queues_.erase(queue);
  }
  return waiter.woken;
}

void Waits::block(Waiter& waiter) {
  simulation_.find_topics_again();  // who waits for a condition looks at what this one has done
  const Watched::Pause pause(simulation_.watched());
  nodes::Stacks& stacks = simulation_.graph().stacks();
  const bool limited = waiter.what == For::kSleep || waiter.due != nodes::kNoInstant;
  if (over_ && limited && may_pass(waiter.by)) stacks.pass();
  else if (over_ || waiter.due > simulation_.now())
    stacks.sleep_until(over_ ? nodes::kNoInstant : waiter.due, &waiter.gate);
  else stacks.yield(&waiter.gate);
}

// The others run while main() waits, an instant at a time.
void Waits::block_main(Waiter& waiter) {
  nodes::Graph& graph = simulation_.graph();
  if (waiter.due <= simulation_.now()) (void)simulation_.step(simulation_.now());
  while (!waiter.woken && simulation_.now() < waiter.due) {
    if (simulation_.wait_until(waiter.due, [&] { return waiter.woken; })) return;
    if (waiter.woken || simulation_.now() >= waiter.due) return;
    if (graph.failure()) die(graph.failure()->message());
    if (simulation_.ok()) {
      // Nothing is to happen ever. Whoever spins, or waits for messages, is through; else nobody can go on.
      if (graph.stacks().suspended() + 1 <= waiting_.size()) die(deadlock());
      simulation_.shutdown();
    }
    over_ = true;
    if (waiter.due != nodes::kNoInstant) return;
    graph.stacks().let_out();
    if (waiter.woken) return;
    if (has_holder(waiter.what)) die("at the end " + text_of(waiter));
    waiter.woken = true;
  }
}

std::size_t Waits::wake(const void* at, std::size_t most) {
  const auto queue = queues_.find(at);
  if (queue == queues_.end()) return 0;
  std::size_t woken = 0;
  for (; woken < most && !queue->second.empty(); ++woken) {
    Waiter& first = *queue->second.front();
    queue->second.pop_front();
    first.woken = true;
    first.gate.open();
  }
  return woken;
}

void Waits::yield() {
  if (yielded_at_ != simulation_.now()) yields_ = 0;
  yielded_at_ = simulation_.now();
  if (++yields_ > kMostYields)
    stop(*who() + " spins: " + std::to_string(kMostYields) +
         " times it has let others go first in one instant, and time goes on only when all wait");
  wait(nullptr, For::kSleep, simulation_.now());
}

void Waits::stop(const std::string& text) {
  if (is_main()) die(text);
  simulation_.graph().stop({ErrorCode::kState, text, {}});
}

// --- who cannot go on

std::optional<HeldLocks::Held> Waits::holder_of(const Waiter& waiter) const {
  if (waiter.what == For::kThread) {
    const auto* thread = static_cast<const OrderedThread*>(waiter.at);
    return HeldLocks::Held{thread, thread->number, thread->name, 1};
  }
  const HeldLocks::Held* held = has_holder(waiter.what) ? held_.find(waiter.at) : nullptr;
  return held ? std::optional(*held) : std::nullopt;
}

std::string Waits::text_of(const Waiter& waiter) const {
  std::string text = *waiter.who + " waits for " + words(waiter.what);
  if (const auto holder = holder_of(waiter))
    text += waiter.what == For::kThread ? " " + *holder->who : " that " + *holder->who + " has";
  return text;
}

std::string Waits::text_of(Runner runner) const {
  for (const Waiter* waiter : waiting_)
    if (waiter->by == runner) return text_of(*waiter);
  return {};
}

std::string Waits::callbacks_that_wait() const {
  std::string text;
  for (const Waiter* waiter : waiting_)
    if (waiter->by >= kCallback) text += (text.empty() ? "" : "; ") + text_of(*waiter);
  return text;
}

void Waits::look_for_circle(const Waiter& from) {
  std::string text = text_of(from);
  const Waiter* at = &from;
  for (std::size_t i = 0; i <= waiting_.size(); ++i) {
    const auto holder = holder_of(*at);
    if (!holder) return;
    if (holder->by == from.by) return stop("deadlock: " + text);
    const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Waiter* w) { return w->by == holder->by && w->due == nodes::kNoInstant; });
    if (next == waiting_.end()) return;
    at = *next;
    text += "; " + text_of(*at);
  }
}

std::string Waits::deadlock() const {
  std::string text;
  bool hopeless = false;
  for (const Waiter* waiter : waiting_) {
    if (waiter->due != nodes::kNoInstant || waiter->woken) continue;
    hopeless = hopeless || has_holder(waiter->what) || waiter->by >= kCallback;
    text += (text.empty() ? "" : "; ") + text_of(*waiter);
  }
  return hopeless ? "deadlock, since nothing else is to happen: " + text : "";
}

// --- the end

void Waits::end_limits() {
  over_ = true;
  for (Waiter* waiter : waiting_)
    if (waiter->what == For::kSleep || waiter->due != nodes::kNoInstant) waiter->gate.open();
}

bool Waits::may_pass(Runner runner) { return ++turns_after_end_[runner] <= kTurnsAfterTheEnd; }

bool Waits::wake_one_in_vain() {
  for (Waiter* waiter : waiting_) {
    if (waiter->woken || has_holder(waiter->what) || !may_pass(waiter->by)) continue;
    if (const auto queue = queues_.find(waiter->at); queue != queues_.end()) std::erase(queue->second, waiter);
    waiter->woken = true;
    waiter->gate.open();
    return true;
  }
  return false;
}

void Waits::pass_after_end() {
  if (is_main()) return;
  const Watched::Pause pause(simulation_.watched());
  nodes::Stacks& stacks = simulation_.graph().stacks();
  nodes::Gate never(simulation_.graph());
  if (may_pass(self())) stacks.pass();
  else stacks.sleep_until(nodes::kNoInstant, &never);
}

}  // namespace convoy::ros
