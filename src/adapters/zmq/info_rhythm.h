// When robots send what they are: URLab's rhythm by ticks, and by the clock at least once a second, also while no tick
// comes. And who begins.
#pragma once

#include <cstddef>
#include <numeric>

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

// Whose info comes first when that of all robots is sent. URLab's programs read at most 20 messages, often by a new
// connection each time: each sending begins further on, so that they see all robots in turn. It begins by less than 20
// further on, so that nobody is left out in between, and by a number that has no factor in common with the number of
// robots: so it holds as well for who hears only every second sending, or every twentieth.
class InfoTurn {
 public:
  std::size_t next(std::size_t robots) {
    if (robots == 0) return 0;
    const std::size_t first = first_ % robots;
    std::size_t further = 19;
    while (std::gcd(further, robots) != 1) --further;
    first_ = first + further;
    return first;
  }

 private:
  std::size_t first_ = 0;
};

}  // namespace convoy::zmq
