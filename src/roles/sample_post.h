// The server's side of samples that go by it: from a sensor host for a host of robots, on links of their own, so that edits
// and boundaries do not stand behind them.
#pragma once

#include <memory>

#include "run/run.h"
#include "session/membership.h"

namespace convoy {

class SamplePost final : public RelayEvents {
 public:
  // Both outlive it, and may be made after it.
  SamplePost(Membership& membership, const std::unique_ptr<Run>& run) : membership_(membership), run_(run) {}

  bool relay_frame(Owner from, FrameType type, ByteView payload) override;
  void relay_lost(Owner peer) override;

 private:
  Membership& membership_;
  const std::unique_ptr<Run>& run_;
};

}  // namespace convoy
