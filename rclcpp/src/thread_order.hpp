// The threads that the nodes of one simulation make, in its order: of them and of its callbacks exactly one runs, from one
// hand-over to the next.
//
// Each is a thread of the operating system, so that locks and thread-locals are its own, and a task of the graph, which
// gives it turns. interpose.cpp brings their calls here: what would block waits in a queue (waits.hpp) instead, and a
// sleep or a limit is one of simulated time.
#pragma once

#include <pthread.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "convoy_ros/simulation.hpp"
#include "os/fibres.h"
#include "waits.hpp"

namespace convoy::ros {

struct OrderedThread;

class ThreadOrder {
 public:
  explicit ThreadOrder(Simulation& simulation) : simulation_(simulation), waits_(simulation) {}
  ~ThreadOrder();
  ThreadOrder(const ThreadOrder&) = delete;
  ThreadOrder& operator=(const ThreadOrder&) = delete;

  static ThreadOrder& of(Simulation& simulation) { return *simulation.order_; }
  // That of the node code which this thread runs now, once one of its nodes has made a thread, or in a program's own
  // main(); else null: the C library's functions are as ever.
  static ThreadOrder* here();
  // That of node code at all, whose locks are known whether or not there are threads.
  static ThreadOrder* of_locks();
  // The main() of a program runs, and not what it waits for.
  static bool in_main(const Simulation& simulation);

  bool used() const { return used_; }  // a thread has been made
  Waits& waits() { return waits_; }

  // --- threads
  using Start = void* (*)(void*);
  // The new thread waits for its turn. `who` starts it: "/n: callback of a timer"; `library`: whose code it runs.
  int create(pthread_t* thread, const pthread_attr_t* attributes, Start start, void* argument, const std::string& who,
             const std::string& library);
  // As pthread_join() gives it; none: it is no thread of this order.
  std::optional<int> join(pthread_t thread, void** result, Instant due);
  bool detach(pthread_t thread);  // false: no thread of this order

  // --- time
  Instant now() const;  // what clocks show
  // In a callback a sleep is real, for it stands for computing; clocks show the time that it was to take.
  bool sleeps_in_real_time() const;
  void slept(Duration time);

  // Of OpenMP, as callbacks have set it; 0: they have not (pools.hpp).
  int pool_size() const { return pool_size_; }
  void set_pool_size(int size) { pool_size_ = size; }
  // How many come together at a barrier, and how many are there.
  struct Barrier {
    unsigned count = 0, there = 0;
  };
  std::map<const void*, Barrier>& barriers() { return barriers_; }

  // After the last instant: `destroy` takes the nodes down, on a stack of its own, while threads get turns until nobody
  // is left, or nobody gets on. Who remains, for people; empty: nobody. If somebody does, all that it may touch must stay
  // until the process ends.
  std::string finish(const std::function<void()>& destroy);

  // --- its threads'
  Simulation& simulation() { return simulation_; }
  void begin_turn(const OrderedThread& thread);
  void ended(OrderedThread& thread);  // the last that it does

 private:
  std::shared_ptr<OrderedThread> find(pthread_t thread) const;
  void run_out(const std::function<bool()>& done);
  std::string remaining() const;

  Simulation& simulation_;
  Waits waits_;
  os::ThreadStrands strands_;
  bool used_ = false;
  std::uint32_t started_ = 0;
  std::map<std::uint32_t, std::shared_ptr<OrderedThread>> threads_;  // by number; those that have not been joined
  std::map<const void*, Barrier> barriers_;
  int pool_size_ = 0;
  // How long whoever it was has slept in which of the graph's callbacks.
  Runner slept_by_ = 0;
  std::uint64_t slept_in_ = 0;
  Duration slept_{};
};

}  // namespace convoy::ros
