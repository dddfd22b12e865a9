// The server's side of free mode. It keeps the world, takes the states that owners send of their
// robots, carries every state on to its own now, and sends each peer what matters to it.
//
// Nothing waits for a peer: a lost datagram is made good by the next one. Edits, commands and messages go over TCP, in
// order; pause, resume, step, speed and reset hold from a named tick on, on all hosts (LivePace).
// No sockets, no clock: frames and datagrams come in, frames and datagrams go out, and `now` is given.
#pragma once

#include <set>

#include "replication/live_edits.h"
#include "replication/live_intake.h"
#include "replication/live_samples.h"
#include "replication/live_watcher.h"
#include "run/run.h"

namespace convoy {

struct LiveOptions {
  Tick end = 0;      // boundary at which the run is over; 0: never by itself
  double speed = 1;  // simulated seconds per second, > 0
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool paused = false;                              // start so
  Duration period = std::chrono::milliseconds(33);  // between two reports to a peer
  Duration lead = std::chrono::milliseconds(100);   // from sending a pace to its tick: longer than a frame takes
  Duration max_drift = std::chrono::milliseconds(500);
  DriftPolicy drift = DriftPolicy::kDegrade;
  std::size_t budget = 32 * 1024;  // bytes of states for one peer in one round
  std::size_t image_chunk = kMaxChunk;
  Mirror::Rules rules;
  std::vector<LiveWatcher*> watchers;  // they outlive the server
};

class LiveServer final : public Run {
 public:
  LiveServer(World world, const Setup& setup, LiveOptions options, SendFrame send, const SendDatagram& send_datagram);

  void join(Owner owner, std::string name) override;
  // A guest without robots that wants to see: viewers, foreign simulators, sensor hosts.
  void attend(Owner owner, const std::string& name, Sees sees) override;
  void leave(Owner owner) override;
  void start(Moment now, std::vector<std::string>& warnings) override;
  bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) override;
  bool on_datagram(Owner from, const Datagram& datagram, Moment now, Drops& drops) override;
  void acked(Owner peer, std::uint32_t datagram) override;
  // An element of an outside program has changed.
  void element(const ElementChanged& change);

  void submit(Edit edit, EditDone done) override;
  Status submit(Input input) override;
  void finish() override { pace_.finish(); }

  void proceed(Moment now) override;
  Moment deadline() const override { return !pace_.started() || end_.over ? kNever : rounds_.next(); }

  RunPosition position() const override;
  // States in world() are at most two laps of placing old (kLap in live_rounds.cc); this one is where it is now.
  const State& state(Slot slot) override { return rounds_.state(slot); }
  Books& books() override { return books_; }
  const Books& books() const override { return books_; }
  const Mirror& mirror() const { return mirror_; }

 private:
  void let_in(Owner owner);
  void admit(Owner owner, const std::vector<Payload>& image);
  std::vector<Payload> image();
  void restart();
  void to_all(FrameType type, const Payload& payload);
  Status take(Owner from, FrameType type, const Payload& payload, bool& mine);
  Status messages(Owner from, const Payload& payload);
  void watch_drift();
  void end_if_due();

  Books books_;
  LiveOptions options_;
  LivePace pace_;
  Mirror mirror_;
  Peers peers_;
  LiveRounds rounds_;
  LiveEdits edits_;
  LiveIntake intake_;
  LiveSamples samples_{books_};
  std::set<Owner> at_the_door_;     // until start()
  std::uint64_t ticks_before_ = 0;  // of earlier runs
  struct End {
    bool over = false;
    Moment due_since = kNever;
  };
  End end_;
};

}  // namespace convoy
