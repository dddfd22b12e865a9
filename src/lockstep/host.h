// A host in lockstep: follows Open(k), advances its agents, answers with States(k+1) and Done(k+1).
//
// Samples that a sensor host computes are ordered at the boundary where they are taken, and waited for where they are due;
// what comes meanwhile is held. When that host is gone they are computed here: the same bytes.
//
// It reads no clock: everything happens when a frame comes in. What it cannot make sense of ends the run at this host
// with one clear text (trouble()), because going on would mean another world.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent/scene.h"
#include "lockstep/follower.h"
#include "lockstep/held_tick.h"
#include "lockstep/host_gateway.h"
#include "run/host_questions.h"
#include "run/remote_samples.h"
#include "run/robot_host.h"
#include "session/world_image.h"

namespace convoy {

// Faults that a scenario or a test asks for. A product run has none.
struct HostFaults {
  Tick corrupt_state_at = -1;  // moves the host's first robot by 1 mm before its state leaves
};

class LockstepHost final : public RobotHost {
 public:
  using Send = std::function<void(FrameType, Bytes, std::uint64_t hash)>;  // hash64 of the bytes

  // Loads the scene: what takes long is done when this returns, before the host calls itself ready.
  LockstepHost(Setup setup, Owner me, bool checkpoints, Executor& executor, const AgentParts& parts, Send send);

  // True if the frame belongs to lockstep, and was taken.
  bool on_frame(FrameType type, const Payload& payload) override;

  std::optional<Tick> waits_for_samples() const override { return held_.any() ? std::optional(tick()) : std::nullopt; }
  void lose_samples(std::optional<Owner> host) override;

  const std::optional<Error>& trouble() const override { return trouble_; }
  Fleet* fleet() const override { return fleet_.get(); }
  Tick tick() const override { return follower_.tick(); }
  std::uint32_t run() const override { return follower_.run(); }
  bool finished() const override { return finished_; }
  HostGateway& gateway() { return gateway_; }
  void set_faults(const HostFaults& faults) { faults_ = faults; }

 private:
  Status image(ByteView payload);
  Status states(const Payload& payload);
  Status messages(ByteView payload);
  Status take_edits(const Edits& edits);
  Status open(Open open);
  void begin_tick();
  void send_frame(FrameType type, Bytes payload);
  void at_boundary();
  void advance(Open& open);
  void send_checkpoint(Tick tick, std::span<const WorldNumber> agents);

  Setup setup_;                   // without the map's cells and the entities, once the scene is loaded
  std::unique_ptr<Scene> scene_;  // its world until the image comes
  Owner me_;
  bool checkpoints_;
  Executor& executor_;
  AgentParts parts_;
  Send send_;
  std::unique_ptr<Fleet> fleet_;
  ImageCollector image_;
  Follower follower_;           // while its tick runs, this host's states of the next boundary are in next()
  std::vector<Message> inbox_;  // handed over at the next boundary
  HostQuestions questions_{[this](Bytes payload) { send_frame(FrameType::kAnswer, std::move(payload)); }};
  bool finished_ = false;
  HostFaults faults_;
  HostGateway gateway_{[this](FrameType type, Bytes payload) { send_frame(type, std::move(payload)); }};
  RemoteSamples samples_;
  HeldTick held_;
  std::optional<Error> trouble_;
};

}  // namespace convoy
