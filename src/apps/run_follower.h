// Follows one run after the other at an address, until it is interrupted: of members that nobody waits for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "convoy/result.h"
#include "core/ports.h"
#include "os/signals.h"

namespace convoy::apps {

class RunFollower {
 public:
  // `address`: of the server, for the log.
  RunFollower(std::string address, Log& log);
  RunFollower(const RunFollower&) = delete;
  RunFollower& operator=(const RunFollower&) = delete;

  // Calls `follow` again and again, a second after it has returned; the exit code. It joins a run and returns when that is
  // over; its Error ends all.
  int run(const std::function<Status()>& follow);

  // Of `follow`: what ends it early, from any thread; nothing, when there is nothing to end any more.
  void set_stop(std::function<void()> stop);
  // Of `follow`: why the run was over; said once.
  void over(const std::string& why);

 private:
  void interrupt();

  std::string address_;
  Log& log_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::function<void()> stop_;  // under the mutex
  std::atomic<bool> interrupted_{false};
  std::string said_;
  os::Signals signals_;  // last: its thread ends first
};

}  // namespace convoy::apps
