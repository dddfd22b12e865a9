// A host's side of samples that sensor hosts compute: orders go out, samples come in, and what a lost host owes is
// computed here; in free mode it is dropped.
#pragma once

#include <functional>
#include <utility>

#include "agent/fleet.h"
#include "agent/under_way.h"
#include "run/sample_frames.h"

namespace convoy {

class RemoteSamples {
 public:
  // `send`: a frame towards the server.
  RemoteSamples(Executor& executor, const AgentParts& parts, std::function<void(FrameType, Bytes)> send);

  // At boundary `tick` of `run`, immediately before the tick begins.
  void order(Fleet& fleet, std::uint32_t run, Tick tick, std::span<const Input> inputs);
  // A Samples or Places frame. What a sensor host sends that makes no sense is no error: that host is given up.
  Status on_frame(FrameType type, ByteView payload, Fleet& fleet, std::uint32_t run);
  // What these owe is computed here, and the server is told to order nothing of them any more.
  void give_up(const std::vector<Owner>& hosts, Fleet& fleet);
  // What is under way from it is lost.
  void lose(Owner host, Fleet& fleet);
  // Of a checkpoint.
  Bytes under_way(Fleet& fleet, WorldNumber robot) { return save_under_way(fleet, robot, maker_); }
  // How many have come since the last call.
  std::uint32_t take_count() { return std::exchange(count_, 0); }
  // Free mode: the server is told once a second what has become of samples, if there is news; at the end, kNever, at once.
  void tell(Fleet& fleet, Moment now);
  // The run begins anew.
  void restart() { collector_.clear(); }

 private:
  bool samples(const SamplePieces& pieces, Fleet& fleet);
  Status places(ByteView payload, Fleet& fleet);

  std::function<void(FrameType, Bytes)> send_;
  SampleCollector collector_;
  std::uint32_t count_ = 0;
  Moment next_tell_{};
  FleetRays rays_;  // of what is made up for
  FleetPictures pictures_;
  SampleMaker maker_;
};

}  // namespace convoy
