// When robots send what they are: URLab's rhythm by ticks, and by the clock at least once a second, also while no tick
// comes.
#pragma once

#include "convoy/time.h"

namespace convoy::zmq {

inline constexpr Tick kManyInfoTicks = 2500, kOftenInfo = 50, kSeldomInfo = 500;  // URLab's rhythm
inline constexpr Duration kInfoFloor = std::chrono::seconds(1);                   // of wall time

class InfoRhythm {
 public:
  // After each tick: is it time?
  bool ticked() {
    ++ticks_;
    return ticks_ % (ticks_ <= kManyInfoTicks ? kOftenInfo : kSeldomInfo) == 0;
  }
  // A subscriber has come, or the robots have changed.
  void ask() { asked_ = true; }
  bool due(Moment now) const { return asked_ || now - sent_ >= kInfoFloor; }
  void sent(Moment now) { sent_ = now, asked_ = false; }

 private:
  Tick ticks_ = 0;
  bool asked_ = false;
  Moment sent_{};
};

}  // namespace convoy::zmq
