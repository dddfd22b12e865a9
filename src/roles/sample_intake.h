// A robot client's way to sensor hosts: direct links that the server introduces, a link on which the server passes on, and
// how long a sample is waited for.
//
// In lockstep, whoever computes a sample, it is the same: what this decides changes no byte of a run.
#pragma once

#include <optional>

#include "run/robot_host.h"
#include "session/peer_ways.h"
#include "session/session.h"

namespace convoy {

class SampleIntake final : private DirectEvents {
 public:
  // All outlive it; `peers` may be null. Frames are handed to the session's host, which it is given once there is one.
  SampleIntake(Session& session, Network& network, PeerNetwork* peers, Log& log)
      : session_(session), ways_(network, peers, *this, session.drops(), log) {}
  void set_host(RobotHost* host) { host_ = host; }

  PeerWays& links() { return ways_; }
  // The payload of an Introduce frame.
  void introduced(ByteView payload);
  // The host may have gone on with a tick then.
  void on_time(Moment now);
  Moment deadline() const;

 private:
  bool direct_frame(Owner peer, FrameType type, ByteView payload, Moment now) override;
  void direct_lost(Owner) override {}  // the sensor host says so by the server, behind all that it has sent that way

  Session& session_;
  PeerWays ways_;
  RobotHost* host_ = nullptr;
  Listening listening_;
  std::optional<std::pair<Tick, Duration>> waits_since_;  // for what that boundary stands for; in listened time
};

}  // namespace convoy
