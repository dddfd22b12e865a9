// A host in free mode: runs its agents against the server's clock, shows their states, and sees the others' carried on
// to its own now.
//
// Ticks begin at the Timeline's instants; a host that is late runs several at once, each with its own instant. With a
// gateway, a tick comes in parts as long as the robots' physics step, each at its instant: what comes from outside acts
// in the next of them. The others, messages and edits know boundaries alone; a tick that is under way when an edit
// comes, or a pause, is run to its end at once. Nothing that is lost on the way stops it. What it cannot make sense of
// ends the run at this host with one clear text (trouble()).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent/gateway.h"
#include "agent/scene.h"
#include "replication/state_sender.h"
#include "run/host_questions.h"
#include "run/remote_samples.h"
#include "run/robot_host.h"
#include "session/server_time.h"
#include "session/world_image.h"

namespace convoy {

struct LiveHostOptions {
  Duration period = std::chrono::milliseconds(33);  // between two reports to the server
  std::size_t budget = 64 * 1024;                   // bytes of states in one round
  Mirror::Rules rules;
};

class LiveHost final : public RobotHost {
 public:
  using Send = std::function<void(FrameType, Bytes)>;
  // The datagram's number.
  using SendDatagram = std::function<std::uint32_t(DatagramType, std::uint16_t run, ByteView)>;

  // Loads the scene, as LockstepHost does.
  LiveHost(Setup setup, Owner me, LiveHostOptions options, Executor& executor, const AgentParts& parts, Send send,
           SendDatagram send_datagram);

  bool on_frame(FrameType type, const Payload& payload) override;
  std::optional<Tick> waits_for_samples() const override {
    return fleet_ ? fleet_->orders().oldest_late() : std::nullopt;
  }
  void lose_samples(std::optional<Owner> host) override;
  // False: something of it is of no use yet, and must be sent again.
  bool on_datagram(const Datagram& datagram, Moment now, Drops& drops);
  void acked(std::uint32_t datagram) { sender_.acked(datagram); }
  void on_time(Moment now);
  Moment deadline() const;

  // Outlives the host; null: there is none.
  void set_gateway(Gateway* gateway) { gateway_ = gateway; }
  const std::optional<Error>& trouble() const override { return trouble_; }
  bool finished() const override { return finished_; }
  Fleet* fleet() const override { return fleet_.get(); }
  Tick tick() const override { return tick_; }
  std::uint32_t run() const override { return run_; }
  const ClockSync& clock() const { return time_.clock; }
  const Mirror& mirror() const { return mirror_; }
  std::uint64_t late_ticks() const { return late_ticks_; }  // that began more than a tick's length too late

 private:
  Status image(ByteView payload);
  Status edits(ByteView payload);
  Status messages(ByteView payload);
  Status inputs(ByteView payload);
  // Has it a world, and a pace of the run that it is in? (A reset comes before the new run's pace.)
  bool going() const { return fleet_ && time_.timeline && time_.timeline->run() == run_ && time_.clock.synchronised(); }
  void follow_world();
  void update_others();
  void run_part(Duration to);
  void send_states();

  Setup setup_;                   // without the map's cells and the entities, once the scene is loaded
  std::unique_ptr<Scene> scene_;  // its world until the image comes
  Owner me_;
  LiveHostOptions options_;
  Executor& executor_;
  AgentParts parts_;
  Send send_;
  SendDatagram send_datagram_;
  ImageCollector image_;
  std::unique_ptr<Fleet> fleet_;
  Mirror mirror_;
  StateSender sender_;
  ServerTime time_;
  std::uint32_t run_ = 0;
  Tick tick_ = 0;
  Tick updated_to_ = -1;  // the boundary to which the others were carried on last; -1: more is known since
  std::vector<Message> inbox_;
  std::vector<Input> inputs_;
  Gateway* gateway_ = nullptr;
  std::vector<Slot> own_slots_;  // of owned entities: what is attached is where its parent is, on every host
  std::vector<Batch> batches_;
  struct Due {
    Moment send{};           // the next report
    bool commanded = false;  // since the last one
    bool behind = false;     // more ticks are due than were run at once
    Moment wake = kNever;    // when the next part of a tick begins, by our own clock
  };
  Due due_;
  std::uint64_t late_ticks_ = 0;
  RemoteSamples samples_;
  HostQuestions questions_{[this](Bytes payload) { send_(FrameType::kAnswer, std::move(payload)); }};
  bool finished_ = false;
  std::optional<Error> trouble_;
};

}  // namespace convoy
