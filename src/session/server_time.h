// A peer's knowledge of time in free mode: the server's clock, by probes, and the paces that map ticks to it.
#pragma once

#include <functional>
#include <optional>

#include "convoy/result.h"
#include "session/clock_sync.h"
#include "session/drops.h"
#include "session/timeline.h"

namespace convoy {

struct ServerTime {
  ClockSync clock;
  std::optional<Timeline> timeline;  // nothing before the first pace

  // Sends a probe if one is due: send(payload of a kClock datagram).
  void probe(Moment now, const std::function<void(ByteView)>& send);
  // The payload of the answer.
  void answer(ByteView payload, Moment now, Drops& drops);
  // The payload of a Pace frame; one of another run than `run` changes nothing.
  Status pace(ByteView payload, std::uint32_t run, Duration tick);
};

}  // namespace convoy
