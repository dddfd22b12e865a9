// One thread that a node has made: the operating system's, and a task of the graph.
#pragma once

#include <pthread.h>

#include <chrono>
#include <string>

#include "os/fibres.h"

namespace convoy::ros {

class ThreadOrder;

// How long a thread may work after the last instant without handing over. Real time: nothing counts any more.
inline constexpr std::chrono::seconds kEndPatience{5};

struct OrderedThread {
  OrderedThread(ThreadOrder& of, void* (*function)(void*), void* with) : order(of), start(function), argument(with) {}

  ThreadOrder& order;
  void* (*start)(void*);
  void* argument;
  const std::string* name = nullptr;  // "thread 1 (libdemo.so) of /n: callback of a timer"
  std::uint32_t number = 0;           // of the task, from 1
  pthread_t id{};
  bool detached = false;
  bool ended = false;
  bool runs_off = false;  // it has the turn and did not give it back in time, at the end
  os::Turn turn;
};

// Begins as a thread that waits for its first turn. An error as pthread_create() gives it.
int start_ordered_thread(const std::shared_ptr<OrderedThread>& thread, pthread_t* id, const pthread_attr_t* attributes);

// What the graph gives turns to.
class ThreadTurns final : public nodes::Execution::Strand {
 public:
  explicit ThreadTurns(std::shared_ptr<OrderedThread> thread) : thread_(std::move(thread)) {}
  void resume() override;
  void suspend() override;

 private:
  std::shared_ptr<OrderedThread> thread_;
};

}  // namespace convoy::ros
