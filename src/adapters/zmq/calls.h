// Calls of programs outside, as bytes: each is read, carried out by the control core, and answered. No sockets.
// docs/calls.md has all operations.
//
//   calls.take(peer, bytes, fleet, now);             // one request
//   for (auto& answer : calls.take_answers()) ...    // now, or after ticks and answers of the server
#pragma once

#include <vector>

#include "adapters/zmq/call.h"

namespace convoy::zmq {

inline constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;

class Calls {
 public:
  // `control` outlives it, and does nothing after it.
  Calls(control::ControlCore& control, CallsOptions options) : control_(control), options_(std::move(options)) {}
  Calls(const Calls&) = delete;

  // `fleet`: null before there is a world.
  void take(Peer peer, ByteView request, const Fleet* fleet, Moment now);
  // The fleet's world shows the boundary at which its agents are: what waited for that is carried out.
  void at_boundary(const Fleet& fleet, Moment now);
  std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }

 private:
  control::ControlCore& control_;
  CallsOptions options_;
  std::vector<Answer> answers_;
  AtBoundary waiting_;  // kMaxWaiting at most
};

}  // namespace convoy::zmq
