#include "client/guest.h"

#include "core/hash.h"

namespace convoy {

namespace {

constexpr Owner kNotMe = ~Owner{0};  // a guest owns nothing: the server may tell it of all

// In lockstep: states are exact, and the snapshot is that of the last whole tick.
class LockstepGuest final : public Guest {
 public:
  explicit LockstepGuest(const Setup& setup) : Guest(setup) {}
  Instant now(Moment) override { return instant(tick_ * nanos(tick_length_)); }

 private:
  struct Source {  // what an owner's agents have sent towards the next boundary
    std::vector<Slot> slots;
    std::uint32_t frames = 0, records = 0;
    std::uint64_t hash = 0;
  };
  Status take(FrameType type, const Payload& payload, bool& mine) override;
  void arrived() override { open_ = false, find_sources(); }
  Status states(const Payload& payload);
  Status open(const Open& message);
  Status take_edits(const Edits& edits);
  Status complete(const Edits& edits);
  void hold(Slot slot);
  void find_sources();

  bool open_ = false;                   // the tick that begins at tick_ is running
  std::vector<ElementChanged> coming_;  // for the tick that opens next
  bool opened_ = false;                 // a tick, once
  std::map<Owner, Source> sources_;
};

Status LockstepGuest::take(FrameType type, const Payload& payload, bool& mine) {
  if (type == FrameType::kStates) return states(payload);
  if (type == FrameType::kEdits) {
    Edits edits;
    return load(payload, edits) ? take_edits(edits) : fail(ErrorCode::kInvalid, "an Edits frame is malformed");
  }
  if (type == FrameType::kTaken) {
    Taken taken;
    if (!load(payload, taken)) return fail(ErrorCode::kInvalid, "a Taken frame is malformed");
    for (ElementChanged& change : taken.changes) coming_.push_back(std::move(change));
    return {};
  }
  if (type == FrameType::kOpen) {
    Open message;
    return load(payload, message) ? open(message) : fail(ErrorCode::kInvalid, "an Open frame is malformed");
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
  open_ = true;
  begun_ = tick_;
  return {};
}

void LockstepGuest::find_sources() {
  sources_.clear();
  for (Slot slot = 0; slot < world_->entities().size(); ++slot)
    if (const Owner owner = world_->entity(slot).owner; owner != kNobody) sources_[owner].slots.push_back(slot);
}

Status LockstepGuest::states(const Payload& payload) {
  StatesHeader header;
  if (!known_ || !peek_states(payload, header) || header.run != run_ || header.tick != tick_ + 1 || !open_)
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const auto source = sources_.find(header.owner);
  if (source == sources_.end()) return fail(ErrorCode::kInvalid, "States of an owner that owns nothing");
  ++source->second.frames;
  source->second.hash = chain(source->second.hash, payload.hash);
  return decode_states(payload, *world_, source->second.slots, instant(header.tick * nanos(tick_length_)), {},
                       source->second.records);
}

void LockstepGuest::hold(Slot slot) {
  world_->next().state(slot) = world_->snapshot().state(slot);
  const auto tail = world_->snapshot().tail(slot);
  std::copy(tail.begin(), tail.end(), world_->next().tail(slot).begin());
}

Status LockstepGuest::complete(const Edits& edits) {
  for (auto& [owner, source] : sources_) {
    const Owner wanted = owner;
    const auto it =
        std::find_if(edits.states.begin(), edits.states.end(), [&](const auto& m) { return m.owner == wanted; });
    if (it == edits.states.end()) {  // lost in this tick
      for (Slot slot : source.slots) hold(slot);
    } else if (it->frames != source.frames || it->hash != source.hash) {
      return fail(ErrorCode::kInternal, "the states of connection " + std::to_string(owner) + " are not the server's");
    }
    source.frames = source.records = 0;
    source.hash = 0;
  }
  for (WorldNumber number : edits.held)
    if (const Slot slot = world_->slot_of(number); slot != kNoSlot) hold(slot);
  world_->turn();
  ++tick_;
  open_ = false;
  return {};
}

Status LockstepGuest::take_edits(const Edits& edits) {
  if (!known_ || edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  if (edits.tick == tick_ + 1 && open_) {
    if (auto ok = complete(edits); !ok) return ok;
  } else if (edits.tick != tick_ || open_) {
    return fail(ErrorCode::kInvalid, "edits for another boundary");
  }
  for (const Edit& edit : edits.edits) {
    if (auto ok = world_->check(edit); !ok) return ok;
    const auto* reset = std::get_if<Reset>(&edit);
    const bool whole = reset && reset->entities.empty();
    world_->apply(edit, whole ? instant(0) : instant(tick_ * nanos(tick_length_)));
    if (whole) ++run_, tick_ = 0, begun_.reset(), elements_.clear();  // what they told of is gone
  }
  if (edits.edits.empty()) return {};
  world_->settle();
  find_sources();
  return {};
}

// In free mode: what was heard last of each entity, carried on to the server's now.
class LiveGuest final : public Guest {
 public:
  LiveGuest(const Setup& setup, SendDatagram send_datagram)
      : Guest(setup), send_datagram_(std::move(send_datagram)), mirror_({}) {}

  // After a reset not before its first pace: the old one's time says nothing of the new run.
  bool known() const override {
    return known_ && time_.timeline && time_.timeline->run() == run_ && time_.clock.synchronised();
  }
  Instant now(Moment now) override { return time_.timeline->sim_at(time_.clock.server_time(now)); }
  Moment deadline() const override { return time_.clock.next_probe(); }
  void on_time(Moment now) override;
  bool on_datagram(const Datagram& datagram, Moment now, Drops& drops) override;
  void reckon(Moment now) override;

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
  if (type == FrameType::kEdits) return edits(payload);
  if (type == FrameType::kPace) return time_.pace(payload, run_, tick_length_);
  mine = false;
  return {};
}

Status LiveGuest::edits(ByteView payload) {
  Edits edits;
  if (!load(payload, edits)) return fail(ErrorCode::kInvalid, "an Edits frame is malformed");
  if (!known_ || edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  for (const Edit& edit : edits.edits) {
    if (auto ok = world_->check(edit); !ok) return ok;
    const auto* reset = std::get_if<Reset>(&edit);
    const bool whole = reset && reset->entities.empty();
    if (whole) ++run_, mirror_.clear();
    world_->apply(edit, whole ? instant(0) : instant(edits.tick * nanos(tick_length_)));
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
  for (Slot slot = 0; slot < world_->entities().size(); ++slot) mirror_.reckon(*world_, slot, at);
  world_->put_attached();
}

}  // namespace

Guest::Guest(const Setup& setup) : tick_length_(setup.tick) {
  auto world = World::make(setup);
  if (world) world_ = std::make_unique<World>(std::move(*world));
  else trouble_ = world.error();
}

std::unique_ptr<Guest> Guest::make(const Setup& setup, bool free_mode, SendDatagram send_datagram) {
  if (free_mode) return std::make_unique<LiveGuest>(setup, std::move(send_datagram));
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
  if (known_) return fail(ErrorCode::kInvalid, "a second world image");
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
