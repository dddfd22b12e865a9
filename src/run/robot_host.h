// A host of robots in either mode, as its role sees it, which has a clock and links.
#pragma once

#include <optional>

#include "agent/fleet.h"
#include "wire/frame.h"

namespace convoy {

class RobotHost {
 public:
  virtual ~RobotHost() = default;
  // False: it belongs to another mode.
  virtual bool on_frame(FrameType type, const Payload& payload) = 0;
  virtual const Fleet* fleet() const = 0;  // null before the world has come
  virtual std::uint32_t run() const = 0;
  virtual Tick tick() const = 0;
  virtual bool finished() const = 0;  // the server reported that the run is over
  // Why it cannot go on.
  virtual const std::optional<Error>& trouble() const = 0;
  // Samples of sensor hosts that are due have not come: a tick waits for them, or, in free mode, their sensors. The
  // boundary by which it is told whether that goes on.
  virtual std::optional<Tick> waits_for_samples() const = 0;
  // What is under way from that sensor host is lost; nothing: those that are waited for are given up.
  virtual void lose_samples(std::optional<Owner> host) = 0;
};

}  // namespace convoy
