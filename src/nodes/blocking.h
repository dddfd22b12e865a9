// Callbacks and tasks that stop in the middle: until an instant, or until a gate opens.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "nodes/execution.h"
#include "nodes/ring.h"

namespace convoy::nodes {

class CallbackGroup;
class Entity;
class Gate;
class Graph;

// Most callbacks of a graph that are suspended at once; one more stops the graph with an error.
inline constexpr std::size_t kMaxSuspended = 1000;

// One suspended callback or task; lives on its stack.
struct Worker;
struct Sleeper {
  Worker* worker = nullptr;
  Entity* entity = nullptr;  // null: of a task
  Instant due{};
  std::uint64_t index = 0;  // order of suspension
  Gate* gate = nullptr;
  bool opened = false;
};

// A stack on which the graph's loop runs, or a task. When a callback suspends, its worker stays with it, and another goes
// on with the loop; so nothing is paid for callbacks that never block.
struct Worker {
  std::unique_ptr<Execution::Strand> strand;
  bool idle = true;            // not in the middle of a callback
  bool leaves = false;         // goes as soon as it is idle: a task that is over, a stack of another execution
  std::uint32_t task = 0;      // its number; 0: the loop
  std::function<void()> work;  // done once, before the loop goes on
  Sleeper first;               // of a task that has not begun
};

// Something that callbacks wait for. When it goes, those who wait go on as if it had opened.
class Gate {
 public:
  explicit Gate(Graph& graph) : graph_(&graph) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }
  // All who wait go on, in the order in which they came, directly after the event that runs now.
  void open();

 private:
  friend class Sleepers;
  Graph* graph_;
  std::vector<Sleeper*> waiting_;
};

// The sleeping callbacks of a graph, and which is next.
class Sleepers {
 public:
  Instant next() const { return by_due_.empty() ? Instant::max() : by_due_.begin()->first.first; }
  bool empty() const { return by_due_.empty() && ready_.empty(); }
  std::size_t size() const { return by_due_.size() + ready_.size(); }
  bool any_ready() const { return !ready_.empty(); }

  void add(Sleeper& sleeper, Instant due, Gate* gate);
  void open(Gate& gate);
  void add_ready(Sleeper& sleeper) { ready_.push_back(&sleeper); }  // behind those that are
  Sleeper& take_ready() { return *ready_.pop_front(); }
  Sleeper& take_next();  // of those that have slept until their instant
  void clear();          // none of them goes on

 private:
  std::map<std::pair<Instant, std::uint64_t>, Sleeper*> by_due_;
  Ring<Sleeper*> ready_;
  std::uint64_t next_index_ = 0;
};

// The stacks on which a graph's callbacks run, and its tasks: work beside the callbacks, which the graph's loop gives
// turns, and which blocks as callbacks do.
class Stacks {
 public:
  Stacks(Graph& graph, Execution* execution) : graph_(graph), execution_(execution) {}

  // --- from inside a callback or task
  bool can_suspend() const { return worker_ != nullptr && !ending_; }
  // Until the instant has come, or the gate opens; true if the gate did. Other events of its group wait, everything else
  // goes on. At an instant due timers come first, then sleepers by (due, suspension).
  bool sleep_until(Instant due, Gate* gate = nullptr);
  // Until all other events of this instant have run, and the timers that are due; or the gate opens.
  void yield(Gate* gate = nullptr);
  // Until all that is ready has had its turn; no event and no timer comes in between.
  void pass();

  // --- tasks
  // The strand begins directly after the event that runs now, behind all that is ready before it. Its number, from 1.
  std::uint32_t add_task(std::unique_ptr<Execution::Strand> strand);
  // From inside a task, before it suspends itself for the last time: then its strand goes.
  void end_task();
  std::uint32_t running_task() const { return worker_ ? worker_->task : 0; }  // 0: none does
  // From outside of instants: does the work on a stack, as a callback of nobody; it goes on in later instants if it
  // suspends. Needs an execution.
  void run(std::function<void()> work);
  // Stacks that are made from now on are of this one, which outlives the graph.
  void set_execution(Execution& execution);
  // After the last instant: gives turns to what is ready, without events, timers and time.
  void let_out();
  std::size_t suspended() const { return sleepers_.size(); }          // callbacks and tasks that wait
  std::size_t callbacks_suspended() const { return in_the_middle_; }  // and what run() was given

 private:
  friend class Gate;
  friend class Graph;
  bool suspend(Instant due, Gate* gate);
  void park(Sleeper& sleeper);
  void pick(Sleeper& sleeper);
  void loop(Worker& worker);
  Worker& idle_worker();
  void resume(Worker& worker);
  void drain();  // the graph's loop, on as many stacks as it takes
  void end();

  Graph& graph_;
  Execution* execution_;      // null: callbacks cannot block
  Worker* worker_ = nullptr;  // which runs
  Worker* resume_ = nullptr;  // which is to go on now
  bool ending_ = false;       // nothing runs any more
  bool letting_out_ = false;  // only what is ready goes on
  std::uint32_t tasks_ = 0;   // so many there have been
  std::size_t in_the_middle_ = 0;
  Sleepers sleepers_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace convoy::nodes
