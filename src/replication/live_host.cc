#include "replication/live_host.h"

#include <algorithm>

#include "world/edits/edits.h"

namespace convoy {

namespace {

constexpr int kTicksAtOnce = 50;  // before the network is read again

bool is_within_tick(const Fleet* fleet) { return fleet && fleet->reached() > Duration(0); }

// When the next part of the tick begins, by the server's clock. One that has begun ends even if a pause has come.
Moment next_part(const Timeline& timeline, Tick tick, const Fleet& fleet) {
  const Moment at = timeline.moment_of(tick, fleet.reached());
  return at == kNever && is_within_tick(&fleet) ? Moment{} : at;
}

// How far the tick has to go by then: to the end of the step that has begun. Who is late makes several steps as one.
Duration due_part(const Timeline& timeline, Tick tick, const Fleet& fleet, Moment server) {
  if (timeline.begin_of(tick) == kNever) return fleet.tick();
  const Duration step = physics_step(fleet);
  Duration to = fleet.reached() / step * step + step;
  while (to < fleet.tick() && timeline.moment_of(tick, to) <= server) to += step;
  return std::min(to, fleet.tick());
}

}  // namespace

LiveHost::LiveHost(Setup setup, Owner me, LiveHostOptions options, Executor& executor, const AgentParts& parts,
                   Send send, SendDatagram send_datagram)
    : setup_(std::move(setup)),
      me_(me),
      options_(options),
      executor_(executor),
      parts_(parts),
      send_(std::move(send)),
      send_datagram_(std::move(send_datagram)),
      mirror_(options.rules),
      samples_(executor, parts, [this](FrameType type, Bytes payload) { send_(type, std::move(payload)); }) {
  auto scene = Scene::make(setup_, parts_);
  if (scene) scene_ = std::move(*scene);
  else trouble_ = scene.error();
  forget_scene(setup_);
  setup_.sensors.digest = false;  // there is none in free time: nobody takes samples for its sake
}

bool LiveHost::on_frame(FrameType type, const Payload& payload) {
  if (trouble_) return true;
  Status status;
  switch (type) {
    case FrameType::kImage: status = image(payload); break;
    case FrameType::kEdits: status = edits(payload); break;
    case FrameType::kMessages: status = messages(payload); break;
    case FrameType::kInputs: status = inputs(payload); break;
    case FrameType::kPace: status = time_.pace(payload, run_, setup_.tick); break;
    case FrameType::kAsk: status = questions_.take(payload, fleet_.get()); break;
    case FrameType::kPlaces:
    case FrameType::kSamples:
      status = fleet_ ? samples_.on_frame(type, payload, *fleet_, run_)
                      : fail(ErrorCode::kInvalid, "samples before the world");
      break;
    case FrameType::kFinish:
      if (is_within_tick(fleet_.get())) run_part(setup_.tick);
      if (fleet_) samples_.tell(*fleet_, kNever);
      finished_ = true;
      break;
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
    case FrameType::kOpen:
    case FrameType::kStates:
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kReport:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAnswer:
    case FrameType::kAllow:
    case FrameType::kView:
    case FrameType::kOrders:
    case FrameType::kIntroduce:
    case FrameType::kLate:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kLook: return false;
  }
  if (!status) trouble_ = status.error();
  return true;
}

Status LiveHost::image(ByteView payload) {
  const Result<bool> whole = image_.take(payload);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return {};
  if (fleet_) return fail(ErrorCode::kInvalid, "a second world image");
  if (auto ok = scene_->load_image(image_.bytes()); !ok) return ok;
  run_ = image_.run();
  tick_ = image_.tick();
  image_.clear();
  fleet_ = std::make_unique<Fleet>(scene_->take(), setup_, me_, executor_, parts_);
  fleet_->orders().never_wait();
  fleet_->take_up();
  follow_world();
  if (gateway_) gateway_->at_boundary(*fleet_, {run_, tick_, false});
  return {};
}

void LiveHost::follow_world() {
  const World& world = fleet_->world();
  mirror_.follow(world);
  own_slots_ = world.slots_of(me_);
  std::erase_if(own_slots_, [&](Slot slot) { return world.entity(slot).parent != kNoEntity; });
  std::vector<StateSender::Wanted> wanted;
  for (Slot slot : own_slots_) wanted.push_back({slot, 0, false});
  sender_.want(mirror_.shown().states, wanted);
}

Status LiveHost::edits(ByteView payload) {
  Edits edits;
  if (!load(payload, edits)) return fail(ErrorCode::kInvalid, "an Edits frame is malformed");
  if (!fleet_ || edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  if (is_within_tick(fleet_.get())) run_part(setup_.tick);
  for (const Edit& edit : edits.edits) {
    if (auto ok = fleet_->world().check(edit); !ok) return ok;
    if (restarts_run(edit)) {
      ++run_;
      tick_ = 0;
      inbox_.clear();
      inputs_.clear();
      sender_.clear();
      mirror_.clear();
      samples_.restart();
    }
    if (!fleet_->apply(edit, instant(tick_ * nanos(setup_.tick))))
      return fail(ErrorCode::kInvalid, "an agent cannot be made from the inner bytes that came for it");
  }
  fleet_->settle();
  fleet_->world().put_attached();
  updated_to_ = -1;
  follow_world();
  if (gateway_) gateway_->at_boundary(*fleet_, {run_, tick_, false});
  return {};
}

Status LiveHost::messages(ByteView payload) {
  Messages more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a Messages frame is malformed");
  if (more.run != run_) return {};
  inbox_.insert(inbox_.end(), std::make_move_iterator(more.messages.begin()),
                std::make_move_iterator(more.messages.end()));
  return {};
}

Status LiveHost::inputs(ByteView payload) {
  Inputs more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "an Inputs frame is malformed");
  if (more.run != run_) return {};
  inputs_.insert(inputs_.end(), more.inputs.begin(), more.inputs.end());
  return {};
}

bool LiveHost::on_datagram(const Datagram& datagram, Moment now, Drops& drops) {
  if (datagram.type == DatagramType::kClock) {
    time_.answer(datagram.payload, now, drops);
    return true;
  }
  if (datagram.type != DatagramType::kStates) return drops.count(Drop::kUnexpected), true;
  if (!fleet_ || datagram.run != short_run(run_)) return drops.count(Drop::kOldRun), false;
  if (!read_batches(datagram.payload, batches_)) return drops.count(Drop::kMalformed), true;
  bool whole = true;
  for (const Batch& batch : batches_) {
    // Of any stamp: the server has checked it, and an owner may be far beyond a pause that reached it late.
    const Mirror::Taken taken = mirror_.take(batch, batch.stamp, kNobody, me_, drops, [](Slot, const std::uint8_t*) {});
    if (taken.states > 0) updated_to_ = -1;
    whole = whole && taken.whole;
  }
  return whole;
}

void LiveHost::lose_samples(std::optional<Owner> host) {
  if (!fleet_) return;
  if (host) samples_.lose(*host, *fleet_);
  else samples_.give_up(fleet_->orders().oldest_late_of(), *fleet_);
}

// The others, where they are at this host's boundary.
void LiveHost::update_others() {
  World& world = fleet_->world();
  for (Slot slot : SlotRange(world.entities().size()))
    if (world.entity(slot).owner != me_) mirror_.reckon(world, slot, instant(tick_ * nanos(setup_.tick)));
  world.put_attached();
  updated_to_ = tick_;
}

// The tick under way, or else the next one, up to there; with its end if that is the tick's.
void LiveHost::run_part(Duration to) {
  World& world = fleet_->world();
  if (is_within_tick(fleet_.get())) {
    if (gateway_) gateway_->before_step(*fleet_, inputs_);
  } else {
    update_others();
    fleet_->open(inbox_);
    inbox_.clear();
    if (gateway_) gateway_->before_tick(*fleet_, tick_, inputs_);
  }
  due_.commanded = due_.commanded || !inputs_.empty();
  std::erase_if(inputs_, [&](const Input& input) {  // deleted, or moved to another host, while it was on its way
    const Slot slot = world.slot_of(recipient(input));
    return slot == kNoSlot || world.entity(slot).owner != me_;
  });
  if (!is_within_tick(fleet_.get())) samples_.order(*fleet_, run_, tick_, inputs_);
  if (to < setup_.tick) {
    fleet_->advance(tick_, inputs_, to);
    inputs_.clear();
    if (gateway_) gateway_->after_step(*fleet_, world.next());
    return;
  }
  const Advance& result = fleet_->advance(tick_, inputs_);
  inputs_.clear();
  for (Slot slot : SlotRange(world.entities().size()))
    if (world.entity(slot).owner != me_) world.hold(slot);
  inbox_.insert(inbox_.end(), result.sent.begin(), result.sent.end());  // between agents of this host, too
  for (Bytes& frame : encode_messages(run_, tick_ + 1, result.sent)) send_(FrameType::kMessages, std::move(frame));
  fleet_->turn();
  ++tick_;
  questions_.at_boundary(*fleet_);
  if (gateway_) gateway_->after_tick(*fleet_, tick_, world.snapshot());
}

void LiveHost::send_states() {
  World& world = fleet_->world();
  const Instant at = instant(tick_ * nanos(setup_.tick));
  for (Slot slot : own_slots_) mirror_.show(world, slot, at);
  sender_.write(mirror_.shown(), {at, options_.budget, true},
                [&](ByteView payload) { return send_datagram_(DatagramType::kStates, short_run(run_), payload); });
}

void LiveHost::on_time(Moment now) {
  if (trouble_ || finished_) return;
  time_.probe(now, [this](ByteView payload) { send_datagram_(DatagramType::kClock, short_run(run_), payload); });
  due_.wake = kNever;
  if (!going()) return;
  const Moment server = time_.clock.server_time(now);
  time_.timeline->forget_before(tick_);
  due_.behind = false;
  const Tick most = tick_ + kTicksAtOnce;
  while (next_part(*time_.timeline, tick_, *fleet_) <= server) {
    if (tick_ == most) {
      due_.behind = true;
      break;
    }
    if (!is_within_tick(fleet_.get()) && server - time_.timeline->begin_of(tick_) > setup_.tick) ++late_ticks_;
    run_part(gateway_ ? due_part(*time_.timeline, tick_, *fleet_, server) : setup_.tick);
  }
  const Moment next = next_part(*time_.timeline, tick_, *fleet_);
  due_.wake = next == kNever ? kNever : now + (next - server);
  if (next == kNever && updated_to_ != tick_)
    update_others();  // time is paused, and states of others come in all the same
  samples_.tell(*fleet_, now);
  if (is_within_tick(fleet_.get()) || (now < due_.send && !due_.commanded)) return;  // what a boundary shows is sent
  due_.commanded = false;
  due_.send = std::max(due_.send + options_.period, now);
  send_states();
}

Moment LiveHost::deadline() const {
  if (trouble_ || finished_) return kNever;
  if (due_.behind) return Moment{};
  Moment next = time_.clock.next_probe();
  if (going()) next = std::min({next, due_.wake, is_within_tick(fleet_.get()) ? kNever : due_.send});
  return next;
}

}  // namespace convoy
