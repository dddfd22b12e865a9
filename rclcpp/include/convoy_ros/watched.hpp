// Which work of a node runs now, where a watchdog on another thread can see it.
//
// One word, written twice a callback and never waited for: the address of the work's name, or 0. The watchdog marks it;
// as long as the mark is there the same work goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "convoy_ros/own_threads.hpp"

namespace convoy::ros {

class Watched {
 public:
  // The name must outlive this.
  void begin(const std::string& name) {
    word_.store(reinterpret_cast<std::uintptr_t>(&name), std::memory_order_release);
  }
  // A thread that a node has made: one that never hands over ends the run.
  void begin_thread(const std::string& name) {
    word_.store(reinterpret_cast<std::uintptr_t>(&name) | kThread, std::memory_order_release);
  }
  void end() { word_.store(0, std::memory_order_relaxed); }
  // Null: none.
  const std::string* running() const { return name(word_.load(std::memory_order_relaxed)); }

  // Those that this work has started.
  const std::shared_ptr<OwnThreads>& threads() const { return threads_; }

  // Work other than a callback: the making of a node.
  class Work {
   public:
    Work(Watched& of, const std::string& name) : of_(of) { of.begin(name); }
    ~Work() { of_.end(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Watched& of_;
  };
  // Work that waits in simulated time does not run.
  class Pause {
   public:
    explicit Pause(Watched& of) : of_(of), word_(of.word_.load(std::memory_order_relaxed) & ~kMark) { of.end(); }
    ~Pause() { of_.word_.store(word_, std::memory_order_release); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Watched& of_;
    std::uintptr_t word_;
  };

  // --- the watchdog's
  bool is_thread() const { return (word_.load(std::memory_order_relaxed) & kThread) != 0; }
  // The name of the work that has been running since the last mark(), or null; it is marked from now on.
  const std::string* mark() {
    std::uintptr_t word = word_.load(std::memory_order_acquire);
    if (word & kMark) return name(word);
    if (word != 0) word_.compare_exchange_strong(word, word | kMark, std::memory_order_relaxed);
    return nullptr;
  }

 private:
  static constexpr std::uintptr_t kMark = 1, kThread = 2;  // strings lie at multiples of eight
  static const std::string* name(std::uintptr_t word) {
    return reinterpret_cast<const std::string*>(word & ~(kMark | kThread));
  }
  std::atomic<std::uintptr_t> word_{0};
  std::shared_ptr<OwnThreads> threads_ = std::make_shared<OwnThreads>();
};

}  // namespace convoy::ros
