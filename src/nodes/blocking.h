// Callbacks that stop in the middle: until an instant, or until a gate opens.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

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

// A stack on which the graph's loop runs. When a callback suspends, its worker stays with it, and another goes on with
// the loop; so nothing is paid for callbacks that never block.
struct Worker {
  std::unique_ptr<Execution::Strand> strand;
  bool idle = true;  // not in the middle of a callback
};

// One suspended callback; lives on its stack.
struct Sleeper {
  Worker* worker = nullptr;
  Entity* entity = nullptr;
  Instant due{};
  std::uint64_t index = 0;  // order of suspension
  Gate* gate = nullptr;
  bool opened = false;
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
  Sleeper& take_ready() { return *ready_.pop_front(); }
  Sleeper& take_next();  // of those that have slept until their instant
  void clear();          // none of them goes on

 private:
  std::map<std::pair<Instant, std::uint64_t>, Sleeper*> by_due_;
  Ring<Sleeper*> ready_;
  std::uint64_t next_index_ = 0;
};

}  // namespace convoy::nodes
