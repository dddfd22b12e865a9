// For code that waits for a thread of the process itself, wherever it is called from.
//
// The rclcpp-shaped library puts its own functions before the C library's locks, waits and sleeps: for the threads of
// nodes they are turns and simulated time (docs/rclcpp.md). Within the life of this object the thread gets the real
// ones.
#pragma once

namespace convoy::os {

class RealCalls {
 public:
  RealCalls() { ++depth(); }
  ~RealCalls() { --depth(); }
  RealCalls(const RealCalls&) = delete;
  RealCalls& operator=(const RealCalls&) = delete;

  static bool wanted() { return depth() > 0; }
  // For a thread that is about to end, and knows whoever it worked for no longer.
  static void from_now_on() { ++depth(); }

 private:
  static int& depth() {
    static thread_local int depth = 0;
    return depth;
  }
};

}  // namespace convoy::os
