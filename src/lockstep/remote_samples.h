// A host's side of samples that sensor hosts compute: orders go out, samples come in, and what a lost host owes is
// computed here.
#pragma once

#include <functional>

#include "agent/fleet.h"
#include "run/sample_frames.h"

namespace convoy {

class RemoteSamples {
 public:
  // `send`: a frame towards the server.
  RemoteSamples(Executor& executor, const AgentParts& parts, std::function<void(FrameType, Bytes)> send);

  // At boundary `tick` of `run`, immediately before the tick begins.
  void order(Fleet& fleet, std::uint32_t run, Tick tick, std::span<const Input> inputs);
  // A Samples or Places frame.
  Status on_frame(FrameType type, ByteView payload, Fleet& fleet, std::uint32_t run);
  // The run begins anew.
  void restart() { collector_.clear(); }

 private:
  Status samples(ByteView payload, Fleet& fleet, std::uint32_t run);
  Status places(ByteView payload, Fleet& fleet);

  std::function<void(FrameType, Bytes)> send_;
  SampleCollector collector_;
  FleetRays rays_;  // of what is made up for
  FleetPictures pictures_;
  SampleMaker maker_;
};

}  // namespace convoy
