#include "watchdog.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "convoy_ros/simulation.hpp"
#include "os/machine.h"
#include "os/signals.h"

namespace convoy::ros {

std::vector<WatchLog::Overdue> WatchLog::tick() {
  std::vector<Overdue> overdue;
  busy_.clear();
  for (auto& [one, age] : ages_) {
    const std::string* work = one->mark();
    age = work ? age + 1 : 0;
    if (work && busy_.empty()) busy_ = *work;
    if (age == limit_) overdue.push_back({*work, one->is_thread()});
  }
  return overdue;
}

namespace {

constexpr std::chrono::milliseconds kTick{500};

int limit_from_environment() {
  const char* given = std::getenv("CONVOY_WATCHDOG");
  char* end = nullptr;
  const double seconds = given ? std::strtod(given, &end) : 10;
  if (given && (end == given || *end != '\0' || !(seconds >= 0 && seconds <= 1e6))) {
    std::fprintf(stderr, "CONVOY_WATCHDOG is no number of seconds: '%s'\n", given);
    return 20;
  }
  const int ticks = static_cast<int>(seconds * 1000 / static_cast<double>(kTick.count()));
  return seconds > 0 && ticks == 0 ? 1 : ticks;
}

// The process's one: a watchdog for all of its simulations is one thread.
class Watcher {
 public:
  Watcher() : limit_(limit_from_environment()), log_(limit_) {}

  void add(Watched& one) {
    if (limit_ == 0) return;
    const std::lock_guard hold(starting_);
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = log_.empty();
      log_.add(one);
    }
    if (first) thread_ = os::thread_without_signals([this] { run(); });
  }

  void remove(Watched& one) {
    if (limit_ == 0) return;
    const std::lock_guard hold(starting_);
    {
      const std::lock_guard lock(mutex_);
      log_.remove(one);
      if (!log_.empty()) return;
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    stop_ = false;
  }

  std::string busy() {
    const std::lock_guard lock(mutex_);
    return log_.busy();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kTick, [this] { return stop_; })) {
      const std::vector<WatchLog::Overdue> overdue = log_.tick();
      lock.unlock();  // what is said may take a while
      for (const auto& [work, thread] : overdue) {
        if (os::is_traced(os::process_id())) continue;
        const double seconds = static_cast<double>(limit_) * static_cast<double>(kTick.count()) / 1000;
        // The others wait for it, whom nobody can interrupt: the run ends as the process does.
        if (thread) {
          std::fprintf(stderr, "convoy: %s spins: for %.1f s it has let nobody else go on\n", work.c_str(), seconds);
          std::fflush(nullptr);
          _exit(1);
        }
        std::fprintf(stderr,
                     "[WARN] [convoy]: %s has been running for %.1f s: an endless loop, or a lock that nobody opens?\n",
                     work.c_str(), seconds);
      }
      lock.lock();
    }
  }

  const int limit_;      // ticks
  std::mutex starting_;  // held while the thread comes and goes
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  WatchLog log_;
  std::thread thread_;
};

// Never destroyed: a simulation may go after the end of main().
Watcher& watcher() {
  static auto* one = new Watcher;
  return *one;
}

}  // namespace

void Watchdog::watch(Watched& one) { watcher().add(one); }
void Watchdog::forget(Watched& one) { watcher().remove(one); }
std::string Watchdog::busy() { return watcher().busy(); }

}  // namespace convoy::ros
