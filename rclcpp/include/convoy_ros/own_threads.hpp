// Threads that the nodes of a simulation have started. They run in real time, beside its order: one that only computes
// is none of our business; one that calls rclcpp ends the run with a line that names node, thread and call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace convoy::ros {

class OwnThreads {
 public:
  // Something has happened that settle() has not seen: a thread was started, or one has called rclcpp.
  bool attention() const { return attention_.load(std::memory_order_acquire); }
  // Once the work that started them is over: gives new threads a moment of real time to show what they do. What is
  // wrong with one, for people; empty: nothing.
  std::string settle();
  // What settle() has given, or would; without waiting.
  std::string trouble();
  // A program's own main() waits for nobody: the process ends as soon as a thread calls.
  void set_program(bool program) { program_ = program; }

  // --- the threads'
  int started();           // a new one's number, from 1
  void ended(int number);  // it will call nothing
  void called(const std::string& text, int number);
  bool is_program() const { return program_; }
  bool taken_within(std::chrono::nanoseconds patience);  // somebody who can end the run knows of the trouble

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> attention_{false};
  std::atomic<bool> program_{false};
  int started_ = 0;
  std::set<int> unsettled_;  // new ones that have neither ended nor called
  std::string trouble_;
  bool taken_ = false;
};

void look_for_order(const char* call, std::string_view name);
extern std::atomic<bool> own_threads_exist;  // a node has started one, in whichever simulation
// Must be called first by whatever nodes may call: it does not return in a thread that a node has started, wherever that
// was. `call`: "publish() on", `name`: what it is about, or nothing.
inline void in_order(const char* call, std::string_view name) {
  if (own_threads_exist.load(std::memory_order_relaxed)) [[unlikely]]
    look_for_order(call, name);
}
inline void in_order(const char* call) { in_order(call, {}); }

}  // namespace convoy::ros
