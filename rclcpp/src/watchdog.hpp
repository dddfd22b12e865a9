// A thread that reports which work of a node has been running for too long: an endless loop, or a lock that never
// opens.
//
// It reads one word of each simulation, and changes nothing. It counts its own ticks instead of asking a clock, so a
// process that is stopped as a whole, by a debugger or SIGSTOP, does not grow older; and it is silent while a debugger
// is attached.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convoy_ros/watched.hpp"

namespace convoy::ros {

// What is reported, without the thread.
class WatchLog {
 public:
  explicit WatchLog(int limit) : limit_(limit) {}
  void add(Watched& one) { ages_[&one] = 0; }
  void remove(Watched& one) { ages_.erase(&one); }
  bool empty() const { return ages_.empty(); }
  struct Overdue {
    std::string work;
    bool thread = false;  // that a node has made
  };
  // One tick later: what has been running for `limit` ticks, each work once.
  std::vector<Overdue> tick();
  // What has been running for at least a tick, as of the last one; empty: nothing.
  const std::string& busy() const { return busy_; }

 private:
  int limit_;
  std::string busy_;
  // Ticks for which the same work runs. Its order decides nothing but which name busy() has.
  std::map<Watched*, int> ages_;
};

class Watchdog {
 public:
  // For as long as a simulation is there. CONVOY_WATCHDOG: after how many seconds (10); 0: no watchdog.
  static void watch(Watched& one);
  static void forget(Watched& one);
  // Work of this process that has been running for at least half a second; empty: none. Any thread.
  static std::string busy();
};

}  // namespace convoy::ros
