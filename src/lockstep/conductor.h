// The conductor: the server's side of lockstep. It opens ticks, and between them lets hosts in and edits the world.
//
//   phase      what is true                                            leaves it
//   kGather    waiting for the expected hosts to be ready              start()
//   kBoundary  snapshot k is complete; edits change it                 proceed(): Open(k), when nothing holds it
//   kTick      hosts advance through tick k                            the last Done(k+1)
//   kOver      the last boundary is chained; hosts report
//
// What it is made of: the Barrier (what a tick comes to, and the digest), BoundaryEdits (what happens between ticks),
// Pace (when the next one may begin). No sockets, no clock: frames come in by on_frame(), go out through Send, and
// `now` is given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lockstep/boundary_edits.h"
#include "lockstep/pace.h"
#include "run/run.h"

namespace convoy {

struct ConductorOptions {
  Tick end = 0;      // boundary at which the run is over; 0: never by itself
  double speed = 0;  // simulated seconds per second; 0: as fast as possible
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool paused = false;                // start so
  std::vector<std::string> wait_for;  // outside programs: each tick waits until they are done with the one before
  bool end_with_software = false;     // the run is over when the software of all agents that have some has ended
  Duration deadline = std::chrono::seconds(1);  // for each of them, from the beginning of a tick
  std::uint32_t image_chunk = static_cast<std::uint32_t>(kMaxChunk);
  BarrierOptions barrier;
};

class Conductor final : public Run {
 public:
  enum class Phase : std::uint8_t { kGather, kBoundary, kTick, kOver };

  Conductor(World world, const Setup& setup, ConductorOptions options, SendFrame send);

  // Before start() a host comes in at boundary 0, later at the next boundary; one that leaves, leaves at the next one.
  void join(Owner owner, std::string name) override {
    books_.roll.join(owner, std::move(name));
    return_robots(books_, owner);
  }
  // A guest gets the world at the next boundary and then what hosts get, but messages, and what became of elements; a
  // viewer is shown boundaries as it asks.
  // The run does not wait for it, unless its name is in wait_for.
  void attend(Owner owner, const std::string& name, Sees sees) override;
  void leave(Owner owner) override;
  void start(Moment now, std::vector<std::string>& warnings) override;
  bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) override;

  // At the next boundary; at once while the run waits.
  void submit(Edit edit, EditDone done) override;
  Status submit(Input input) override { return barrier_.opening_inputs().add(std::move(input)); }
  void finish() override { stop_asked_ = true; }

  // deadline(): when pacing lets the next tick begin.
  void proceed(Moment now) override;
  Moment deadline() const override;
  // Sends hosts what they were not yet sent of the boundary at hand.
  void send_edits() override;

  RunPosition position() const override;
  // The outside programs that the next tick waits for, now that nothing else holds it.
  std::vector<std::string> awaited() const override;
  Books& books() override { return books_; }
  const Books& books() const override { return books_; }

  Phase phase() const { return phase_; }
  std::uint64_t digest() const { return barrier_.digest(); }
  const LockstepPace& pace() const { return pace_; }
  RunWatchers& watchers() { return watchers_; }
  // Elements of outside programs take effect when a tick opens.
  OpeningElements& elements() { return elements_; }
  const OpeningElements& elements() const { return elements_; }
  // Takes a run again. Before start().
  Playback& playback() { return playback_; }

 private:
  Status host_frame(Owner from, FrameType type, const Payload& payload, Moment now, bool& mine);
  void restart();
  void open(Moment now);
  void complete();
  void end_run();

  Books books_;
  ConductorOptions options_;
  RunWatchers watchers_;
  Audience audience_;
  Barrier barrier_;
  Controllers controllers_;
  LockstepPace pace_;
  OpeningElements elements_;
  Playback playback_;
  BoundaryEdits edits_;
  Phase phase_ = Phase::kGather;
  bool stop_asked_ = false;
};

}  // namespace convoy
