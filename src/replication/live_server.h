// The server's side of free mode: the living world. It keeps the world, takes what owners say of their robots, carries
// every state on to its own now, and tells each peer what matters to it.
//
// Nothing waits for anybody: a lost datagram is made good by the next one. Edits, commands and messages go over TCP, in
// order; pause, resume, step, speed and reset hold from a named tick on, on all hosts, by the Timeline.
// No sockets, no clock: frames and datagrams come in, frames and datagrams go out through Send, and `now` is given.
#pragma once

#include <deque>
#include <set>

#include "replication/interest.h"
#include "replication/telling.h"
#include "session/run.h"
#include "session/timeline.h"
#include "world/owners.h"

namespace convoy {

enum class DriftPolicy : std::uint8_t {
  kDegrade = 0,  // who falls behind is named, and the others go on
  kSlow = 1,     // the world waits for it
};

struct LiveOptions {
  Tick end = 0;      // boundary at which the run is over; 0: never by itself
  double speed = 1;  // simulated seconds per second, > 0
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool paused = false;                              // start so
  Duration period = std::chrono::milliseconds(33);  // of telling
  Duration lead = std::chrono::milliseconds(100);   // from saying a pace to its tick: longer than a frame takes
  Duration max_drift = std::chrono::milliseconds(500);
  DriftPolicy drift = DriftPolicy::kDegrade;
  std::size_t budget = 32 * 1024;  // bytes of states for one peer in one round
  std::size_t image_chunk = kMaxChunk;
  Mirror::Rules rules;
};

class LiveServer final : public Run {
 public:
  using Send = std::function<void(Owner, FrameType, const Payload&)>;
  // The datagram's number.
  using SendDatagram = std::function<std::uint32_t(Owner, DatagramType, std::uint16_t run, ByteView)>;

  LiveServer(World world, const Setup& setup, LiveOptions options, Send send, SendDatagram send_datagram);

  void join(Owner owner, std::string name) override;
  // Somebody without robots who wants to see: viewers, foreign simulators.
  void attend(Owner owner, const std::string& name) override;
  void leave(Owner owner) override;
  void start(Moment now, std::vector<std::string>& warnings) override;
  bool on_frame(Owner from, FrameType type, const Payload& payload, Moment now) override;
  bool on_datagram(Owner from, const Datagram& datagram, Moment now, Drops& drops) override;
  void acked(Owner peer, std::uint32_t datagram) override;
  std::optional<std::pair<Owner, Error>> take_trouble() override { return std::exchange(trouble_, std::nullopt); }

  void submit(Edit edit, EditDone done) override;
  Status submit(Input input) override;
  Result<Owner> place(const std::string& host) const override;

  void ask(Bytes question, Moment until, Questions::Done done) override;
  Tick pause() override;
  bool paused() const override { return paused_; }
  void resume(Moment now) override;
  Status step(std::uint64_t ticks, std::function<void(Tick)> done) override;
  Status set_speed(double factor, Moment now) override;
  double speed() const override { return options_.speed; }
  void finish() override;

  void proceed(Moment now) override;
  Moment deadline() const override;

  const char* phase_name() const override;
  bool gathering() const override { return !timeline_; }
  bool over() const override { return over_; }
  bool all_reported() const override;
  Tick tick() const override { return nanos(now()) / nanos(setup_.tick); }
  Tick next_tick() const override { return tick() + 1; }
  std::uint32_t run() const override { return run_; }
  std::uint64_t ticks_done() const override { return ticks_before_ + static_cast<std::uint64_t>(tick()); }
  std::string digest_text() const override { return "none"; }
  Instant now() const override { return timeline_ ? timeline_->sim_at(last_now_) : instant(0); }
  // States in it are at most two laps of placing old (kLap in live_server_rounds.cc).
  const World& world() const override { return world_; }
  // Where it is now.
  const State& state(Slot slot) override;
  const Setup& setup() const override { return setup_; }
  const std::map<Owner, HostStatus>& hosts() const override { return hosts_; }
  std::uint64_t updates_in() const override { return updates_in_; }
  std::uint64_t updates_out() const override { return updates_out_; }
  std::uint64_t spawned() const override { return spawned_; }
  std::uint64_t deleted() const override { return deleted_; }
  const Mirror& mirror() const { return mirror_; }
  std::uint64_t inputs() const { return inputs_; }        // commands that were passed on
  std::uint64_t transfers() const { return transfers_; }  // of agents from host to host

 private:
  struct Peer {
    bool host = false;
    Telling telling;
    InterestRegion region;  // of a guest
    Slot trickle = 0;       // where the slow round over what it does not need has got to
    bool listed = false;    // has `telling` been told what it wants, by the slots that there are now?
    Instant reached{};      // how far it has said that it is
    std::uint32_t reached_run = 0;
    std::uint64_t compared = 0;  // states whose divergence was measured
  };
  struct Pending {
    Edit edit;
    EditDone done;
  };
  struct Transfer {  // of agents between owners, in front of the edit that needs it
    Owner from = kNobody, to = kNobody;
    std::vector<WorldNumber> agents;
    std::map<WorldNumber, Bytes> inner;
  };
  void follow_world();
  std::vector<Payload> image();
  void admit(Owner owner, const std::vector<Payload>& image);
  void to_all(FrameType type, const Payload& payload, Owner except = kNobody);
  void set_pace(const Pace& pace);
  Tick tick_after(Moment moment) const;
  Instant farthest() const;
  std::vector<HostName> host_names() const;
  bool needs_transfer(const Edit& edit);
  void apply_pending();
  void carry_out(Edit edit, const EditDone& done);
  void say(const Edit& edit);
  void settle_states(const Edit& edit, std::span<const WorldNumber> freed);
  void reset_world();
  bool states(Owner from, const Datagram& datagram, Drops& drops);
  void compare(const Peer& peer, HostStatus& host, Slot slot, const State& after) const;
  bool look(Owner from, ByteView payload);
  Status messages(Owner from, const Payload& payload);
  void hear(const Message& message);
  Status surrendered(Owner from, ByteView payload);
  void round();
  void wanted_by(Owner owner, Peer& peer, std::vector<Telling::Wanted>& out);
  std::size_t rounds_of_lap() const;
  void place_some(Instant now);
  void carry_on(const Edit& edit);
  void watch_drift();
  bool all_reached(Tick tick) const;
  void end_if_due();
  Tick limit() const { return options_.end > 0 ? options_.end : Pace::kEndless; }

  World world_;
  Setup setup_;  // without the map's cells and the entities
  LiveOptions options_;
  Send send_;
  SendDatagram send_datagram_;
  Mirror mirror_;
  Interest interest_;
  std::optional<Timeline> timeline_;
  std::map<Owner, HostStatus> hosts_;
  std::map<Owner, Peer> peers_;
  std::set<Owner> at_the_door_;  // until start()
  std::deque<Pending> pending_;
  std::optional<Transfer> transfer_;

  std::uint32_t run_ = 0;
  std::uint64_t ticks_before_ = 0;  // of earlier runs
  bool paused_ = false, holding_ = false, finishing_ = false, over_ = false;
  Tick held_at_ = 0;
  Tick steps_to_ = 0;
  std::function<void(Tick)> steps_done_;
  Moment begun_{};      // the run
  double fastest_ = 1;  // speed in it
  Moment last_now_{}, next_round_{}, ended_at_ = kNever;
  std::optional<std::pair<Owner, Error>> trouble_;
  std::vector<Telling::Wanted> wanted_;
  std::vector<Batch> batches_;
  // Where everybody is: carried on by a share of the world in each round.
  Slot to_place_ = 0;       // the next of this lap
  bool grid_stale_ = true;  // other entities stand in the slots
  std::uint64_t rounds_ = 0;
  std::uint64_t updates_in_ = 0, updates_out_ = 0, spawned_ = 0, deleted_ = 0, inputs_ = 0, transfers_ = 0;
};

}  // namespace convoy
