// Time as a judge of silence counts it: only while it listens.
//
//   listening.pass(now, liveness);   // whenever the loop calls, before anything is judged
//   member.last_received = listening.time();
//   if (listening.time() - member.last_received >= liveness) ...
//
// A process that was stopped, or busy for long, has not listened meanwhile: what its peers sent waits in its sockets. So
// each pass of the loop adds at most most(liveness), however long ago the last one was. Heartbeats wake the loop that
// often, so a process that runs counts as a clock does, and one that is stopped again and again still finds a dead peer.
#pragma once

#include <algorithm>

#include "core/ports.h"

namespace convoy {

class Listening {
 public:
  // The most that one pass adds, and how often heartbeats wake the loop.
  static Duration most(Duration liveness) {
    return liveness.count() > 0 ? liveness / 8 : Duration(std::chrono::seconds(1));
  }
  // `now` may lie before the last pass: a clock that jumps back adds nothing.
  void pass(Moment now, Duration liveness) {
    listened_ += std::clamp(now - last_, Duration(0), most(liveness));
    last_ = now;
  }
  Duration time() const { return listened_; }
  // The earliest moment at which time() may be `t`.
  Moment when(Duration t) const { return last_ + (t - listened_); }

 private:
  Moment last_{};
  Duration listened_{};
};

}  // namespace convoy
