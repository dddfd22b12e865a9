#include "guest/guest.h"

#include <algorithm>

#include "lockstep/follower.h"
#include "world/edits/edits.h"

namespace convoy {

namespace {

constexpr Owner kNotMe{~Owner::Raw{0}};  // a guest owns nothing: the server may send it all

// In lockstep: states are exact, and the snapshot is that of the last whole tick.
class LockstepGuest final : public Guest {
 public:
  explicit LockstepGuest(const Setup& setup) : Guest(setup), follower_(setup.tick, kNobody) {}
  Instant now(Moment) override { return follower_.now(); }

 private:
  Status take(FrameType type, const Payload& payload, bool& mine) override;
  void arrived() override { follower_.begin_at(run_, tick_, *world_); }
  Status states(const Payload& payload);
  Status open(const Open& message);
  Status take_edits(const Edits& edits);

  Follower follower_;
  std::vector<ElementChanged> coming_;  // for the tick that opens next
  bool opened_ = false;                 // a tick, once
};

Status LockstepGuest::take(FrameType type, const Payload& payload, bool& mine) {
  switch (type) {
    case FrameType::kStates: return states(payload);
    case FrameType::kEdits: {
      Edits edits;
      return load(payload, edits) ? take_edits(edits) : fail(ErrorCode::kInvalid, "an Edits frame is malformed");
    }
    case FrameType::kTaken: {
      Taken taken;
      if (!load(payload, taken)) return fail(ErrorCode::kInvalid, "a Taken frame is malformed");
      for (ElementChanged& change : taken.changes) coming_.push_back(std::move(change));
      return {};
    }
    case FrameType::kOpen: {
      Open message;
      return load(payload, message) ? open(message) : fail(ErrorCode::kInvalid, "an Open frame is malformed");
    }
    case FrameType::kGoodbye:
    case FrameType::kHeartbeat:
    case FrameType::kHello:
    case FrameType::kWelcome:
    case FrameType::kDecline:
    case FrameType::kUdpConfirmed:
    case FrameType::kNonce:
    case FrameType::kUserData:
    case FrameType::kReady:
    case FrameType::kAssetRequest:
    case FrameType::kAssetChunk:
    case FrameType::kImage:
    case FrameType::kMessages:
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kFinish:
    case FrameType::kReport:
    case FrameType::kPace:
    case FrameType::kInputs:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAsk:
    case FrameType::kAnswer:
    case FrameType::kAllow:
    case FrameType::kView:
    case FrameType::kPlaces:
    case FrameType::kOrders:
    case FrameType::kSamples:
    case FrameType::kIntroduce:
    case FrameType::kLate:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kLook: break;
  }
  mine = false;
  return {};
}

// Elements count from here on, not when their frames come: the snapshot that goes with them is complete only now.
Status LockstepGuest::open(const Open& message) {
  if (auto ok = take_edits(message.edits); !ok) return ok;
  // The first frames hold all elements, not what changed.
  if (std::exchange(opened_, true) && elements_hash(coming_) != message.elements)
    return fail(ErrorCode::kInternal, "the elements of tick " + std::to_string(tick_) + " are not the server's");
  elements_.insert(elements_.end(), std::make_move_iterator(coming_.begin()), std::make_move_iterator(coming_.end()));
  coming_.clear();
  follower_.opened();
  begun_ = tick_;
  return {};
}

Status LockstepGuest::states(const Payload& payload) {
  if (!known_) return fail(ErrorCode::kInvalid, "States before the world");
  return follower_.states(payload, *world_);
}

Status LockstepGuest::take_edits(const Edits& edits) {
  if (!known_) return fail(ErrorCode::kInvalid, "edits before the world");
  if (auto ok = follower_.reach(edits, *world_, [this] { world_->turn(); }); !ok) return ok;
  const auto apply = [this](const Edit& edit, Instant now) -> Status {
    world_->apply(edit, now);
    if (restarts_run(edit)) begun_.reset(), elements_.clear();  // what they reported is gone
    return {};
  };
  const Status edited = follower_.edit(edits, *world_, apply);
  run_ = follower_.run();
  tick_ = follower_.tick();
  if (!edited || edits.edits.empty()) return edited;
  world_->settle();
  follower_.expect(*world_);
  return {};
}

// In lockstep, shown what it asks for: boundaries in between are skipped, and states are as eyes need them.
class ViewGuest final : public Guest {
 public:
  ViewGuest(const Setup& setup, Look look) : Guest(setup), look_(std::move(look)) {}
  Instant now(Moment) override { return instant(tick_ * nanos(tick_length_)); }
  // What was shown is taken: the next may come.
  void reckon(Moment) override {
    if (known_ && std::exchange(shown_, false)) look_();
  }

 private:
  Status take(FrameType type, const Payload& payload, bool& mine) override {
    if (type != FrameType::kView) return mine = false, Status{};
    View view;
    return load(payload, view) ? take(view) : fail(ErrorCode::kInvalid, "a View frame is malformed");
  }
  Status take(const View& view);
  Status take_edits(const Edits& edits);
  void arrived() override { shown_ = true, begun_ = tick_; }
  bool may_come_again() const override { return true; }

  Look look_;
  bool shown_ = false;
  std::vector<Batch> batches_;
};

Status ViewGuest::take_edits(const Edits& edits) {
  for (const Edit& edit : edits.edits) {
    if (auto ok = world_->check(edit); !ok) return ok;
    const bool restarts = restarts_run(edit);
    world_->apply(edit, restarts ? instant(0) : instant(edits.tick * nanos(tick_length_)));
  }
  world_->settle();
  return {};
}

Status ViewGuest::take(const View& view) {
  if (!known_) return fail(ErrorCode::kInvalid, "a View before the world");
  for (const Edits& edits : view.edits)
    if (auto ok = take_edits(edits); !ok) return ok;
  run_ = view.run, tick_ = view.tick, begun_ = tick_;
  batches_.clear();
  if (!view.states.empty() && !read_batches(view.states, batches_))
    return fail(ErrorCode::kInvalid, "a View's states are malformed");
  for (const Batch& batch : batches_)
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Dequantized seen = dequantize(batch.record(i), batch.origin);
      const Slot slot = world_->slot_of(seen.number);
      if (slot == kNoSlot) return fail(ErrorCode::kInvalid, "a View of what is not there");
      State& state = world_->snapshot().state(slot);
      state.pose = seen.pose, state.twist = seen.twist, state.stamp = batch.stamp;
      state.discontinuity += (seen.discontinuity - state.discontinuity) & 15;
      if (batch.joints > 0 && batch.joints == world_->model_of(slot).joints.size())
        unpack_joints(batch.joints_of(i), Duration(0), world_->joints(slot));
    }
  if (!view.exact.empty())
    if (auto ok = decode_exact(view.exact, *world_); !ok) return ok;
  shown_ = shown_ || view.last;
  return {};
}

// In free mode: the last state received of each entity, carried on to the server's now.
class LiveGuest final : public Guest {
 public:
  LiveGuest(const Setup& setup, SendDatagram send_datagram)
      : Guest(setup), send_datagram_(std::move(send_datagram)), mirror_({}) {}

  // After a reset not before its first pace: the old run's time does not hold for the new one.
  bool known() const override {
    return known_ && time_.timeline && time_.timeline->run() == run_ && time_.clock.synchronised();
  }
  Instant now(Moment now) override { return time_.timeline->sim_at(time_.clock.server_time(now)); }
  Moment deadline() const override { return time_.clock.next_probe(); }
  void on_time(Moment now) override;
  bool on_datagram(const Datagram& datagram, Moment now, Drops& drops) override;
  void reckon(Moment now) override;
  void show(Instant at, std::span<const RobotState> exactly) override;

 private:
  Status take(FrameType type, const Payload& payload, bool& mine) override;
  void arrived() override { mirror_.follow(*world_); }
  Status edits(ByteView payload);

  SendDatagram send_datagram_;
  Mirror mirror_;
  ServerTime time_;
  std::vector<Batch> batches_;
};

void LiveGuest::on_time(Moment now) {
  time_.probe(now, [this](ByteView payload) { send_datagram_(DatagramType::kClock, short_run(run_), payload); });
}

Status LiveGuest::take(FrameType type, const Payload& payload, bool& mine) {
  switch (type) {
    case FrameType::kEdits: return edits(payload);
    case FrameType::kPace: return time_.pace(payload, run_, tick_length_);
    case FrameType::kGoodbye:
    case FrameType::kHeartbeat:
    case FrameType::kHello:
    case FrameType::kWelcome:
    case FrameType::kDecline:
    case FrameType::kUdpConfirmed:
    case FrameType::kNonce:
    case FrameType::kUserData:
    case FrameType::kReady:
    case FrameType::kAssetRequest:
    case FrameType::kAssetChunk:
    case FrameType::kImage:
    case FrameType::kOpen:
    case FrameType::kStates:
    case FrameType::kMessages:
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kFinish:
    case FrameType::kReport:
    case FrameType::kInputs:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAsk:
    case FrameType::kAnswer:
    case FrameType::kAllow:
    case FrameType::kView:
    case FrameType::kPlaces:
    case FrameType::kOrders:
    case FrameType::kSamples:
    case FrameType::kIntroduce:
    case FrameType::kLate:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kLook: break;
  }
  mine = false;
  return {};
}

Status LiveGuest::edits(ByteView payload) {
  Edits edits;
  if (!load(payload, edits)) return fail(ErrorCode::kInvalid, "an Edits frame is malformed");
  if (!known_ || edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  for (const Edit& edit : edits.edits) {
    if (auto ok = world_->check(edit); !ok) return ok;
    const bool restarts = restarts_run(edit);
    if (restarts) ++run_, mirror_.clear();
    world_->apply(edit, restarts ? instant(0) : instant(edits.tick * nanos(tick_length_)));
  }
  world_->settle();
  mirror_.follow(*world_);
  return {};
}

bool LiveGuest::on_datagram(const Datagram& datagram, Moment now, Drops& drops) {
  if (datagram.type == DatagramType::kClock) {
    time_.answer(datagram.payload, now, drops);
    return true;
  }
  if (datagram.type != DatagramType::kStates) return drops.count(Drop::kUnexpected), true;
  if (!known_ || datagram.run != short_run(run_)) return drops.count(Drop::kOldRun), false;
  if (!read_batches(datagram.payload, batches_)) return drops.count(Drop::kMalformed), true;
  bool whole = true;
  for (const Batch& batch : batches_) {
    const Instant reached = known() ? this->now(now) : batch.stamp;
    whole = mirror_.take(batch, reached, kNobody, kNotMe, drops, [](Slot, const std::uint8_t*) {}).whole && whole;
  }
  return whole;
}

void LiveGuest::reckon(Moment moment) {
  const Instant at = now(moment);
  time_.timeline->forget_before(nanos(at) / nanos(tick_length_));
  show(at, {});
}

void LiveGuest::show(Instant at, std::span<const RobotState> exactly) {
  for (Slot slot : SlotRange(world_->entities().size())) mirror_.reckon(*world_, slot, at);
  for (const RobotState& robot : exactly) {
    const Slot slot = world_->slot_of(robot.robot);
    if (slot == kNoSlot) continue;  // it is gone by now
    world_->snapshot().state(slot) = robot.state;
    const std::span<double> joints = world_->joints(slot);
    if (joints.size() == robot.joints.size()) std::copy(robot.joints.begin(), robot.joints.end(), joints.begin());
  }
  world_->put_attached();
}

}  // namespace

Guest::Guest(const Setup& setup) : tick_length_(setup.tick) {
  auto world = World::make(setup);
  if (world) world_ = std::make_unique<World>(std::move(*world));
  else trouble_ = world.error();
}

std::unique_ptr<Guest> Guest::make(const Setup& setup, bool free_mode, SendDatagram send_datagram, Look look) {
  if (free_mode) return std::make_unique<LiveGuest>(setup, std::move(send_datagram));
  if (look) return std::make_unique<ViewGuest>(setup, std::move(look));
  return std::make_unique<LockstepGuest>(setup);
}

bool Guest::on_frame(FrameType type, const Payload& payload) {
  if (trouble_) return true;
  bool mine = true;
  Status status;
  if (type == FrameType::kImage) status = image(payload);
  else if (type == FrameType::kFinish) finished_ = true;
  else status = take(type, payload, mine);
  if (!status) trouble_ = status.error();
  return mine;
}

Status Guest::image(ByteView payload) {
  const Result<bool> whole = image_.take(payload);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return {};
  if (known_ && !may_come_again()) return fail(ErrorCode::kInvalid, "a second world image");
  if (auto ok = world_->load_image(image_.bytes()); !ok) return ok;
  run_ = image_.run();
  tick_ = image_.tick();
  image_.clear();
  world_->settle();
  known_ = true;
  arrived();
  return {};
}

}  // namespace convoy
