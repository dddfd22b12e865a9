#include "lockstep/host.h"

#include "core/hash.h"
#include "world/edits/edits.h"

namespace convoy {

LockstepHost::LockstepHost(Setup setup, Owner me, bool checkpoints, Executor& executor, const AgentParts& parts,
                           Send send)
    : setup_(std::move(setup)),
      me_(me),
      checkpoints_(checkpoints),
      executor_(executor),
      parts_(parts),
      send_(std::move(send)),
      follower_(setup_.tick, me),
      samples_(executor, parts, [this](FrameType type, Bytes payload) { send_frame(type, std::move(payload)); }) {
  auto scene = Scene::make(setup_, parts_);
  if (scene) scene_ = std::move(*scene);
  else trouble_ = scene.error();
  forget_scene(setup_);
}

bool LockstepHost::on_frame(FrameType type, const Payload& payload) {
  if (trouble_ || held_.keeps(type, payload)) return true;
  Status status;
  switch (type) {
    case FrameType::kImage: status = image(payload); break;
    case FrameType::kStates: status = states(payload); break;
    case FrameType::kMessages: status = messages(payload); break;
    case FrameType::kAsk: status = questions_.take(payload, fleet_.get()); break;
    case FrameType::kAllow: status = gateway_.held(payload, fleet_.get()); break;
    case FrameType::kFinish: finished_ = true; break;
    case FrameType::kSamples:
    case FrameType::kPlaces:
      if (!fleet_) return false;
      status = samples_.on_frame(type, payload, *fleet_, run());
      if (status) begin_tick();
      break;
    case FrameType::kEdits: {
      Edits edits;
      status = load(payload, edits) ? take_edits(edits) : fail(ErrorCode::kInvalid, "an Edits frame is malformed");
      break;
    }
    case FrameType::kOpen: {
      Open message;
      status =
          load(payload, message) ? open(std::move(message)) : fail(ErrorCode::kInvalid, "an Open frame is malformed");
      break;
    }
    case FrameType::kView:
    case FrameType::kOrders:
    case FrameType::kIntroduce:
    case FrameType::kLate:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kLook:
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
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kReport:
    case FrameType::kPace:
    case FrameType::kInputs:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAnswer: return false;
  }
  if (!status) trouble_ = status.error();
  return true;
}

Status LockstepHost::image(ByteView payload) {
  const Result<bool> whole = image_.take(payload);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return {};
  if (fleet_) return fail(ErrorCode::kInvalid, "a second world image");
  if (auto ok = scene_->load_image(image_.bytes()); !ok) return ok;
  image_.clear();
  fleet_ = std::make_unique<Fleet>(scene_->take(), setup_, me_, executor_, parts_);
  fleet_->take_up();
  follower_.begin_at(image_.run(), image_.tick(), fleet_->world());
  at_boundary();
  return {};
}

void LockstepHost::at_boundary() {
  questions_.at_boundary(*fleet_);
  gateway_.at_boundary(*fleet_, {run(), tick(), true});
}

void LockstepHost::send_frame(FrameType type, Bytes payload) {
  const std::uint64_t hash = hash64(payload);
  send_(type, std::move(payload), hash);
}

Status LockstepHost::states(const Payload& payload) {
  if (!fleet_) return fail(ErrorCode::kInvalid, "States before the world");
  return follower_.states(payload, fleet_->world());
}

Status LockstepHost::messages(ByteView payload) {
  Messages more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a Messages frame is malformed");
  inbox_.insert(inbox_.end(), std::make_move_iterator(more.messages.begin()),
                std::make_move_iterator(more.messages.end()));
  return {};
}

Status LockstepHost::take_edits(const Edits& edits) {
  if (!fleet_) return fail(ErrorCode::kInvalid, "edits before the world");
  World& world = fleet_->world();
  if (auto ok = follower_.reach(edits, world, [this] { fleet_->turn(); }); !ok) return ok;
  const auto apply = [this](const Edit& edit, Instant now) -> Status {
    if (restarts_run(edit)) inbox_.clear(), samples_.restart();
    if (fleet_->apply(edit, now)) return {};
    return fail(ErrorCode::kInvalid, "an agent cannot be made from the inner bytes that came for it");
  };
  if (auto ok = follower_.edit(edits, world, apply); !ok) return ok;
  if (!edits.edits.empty()) {
    fleet_->settle();
    follower_.expect(world);
  }
  at_boundary();
  return {};
}

Status LockstepHost::open(Open open) {
  if (auto ok = take_edits(open.edits); !ok) return ok;
  if (inbox_.size() != open.messages) return fail(ErrorCode::kInvalid, "messages are missing at Open");
  held_.hold(std::move(open));
  begin_tick();
  return {};
}

// As soon as nothing of what is due is missing; then what came meanwhile is taken.
void LockstepHost::begin_tick() {
  if (!held_.any() || fleet_->orders().awaits(follower_.now())) return;
  Open open = held_.take();
  fleet_->open(inbox_);
  inbox_.clear();
  advance(open);
  while (!held_.any() && !trouble_) {
    const auto next = held_.next();
    if (!next) return;
    on_frame(next->first, next->second);
  }
}

void LockstepHost::lose_samples(std::optional<Owner> host) {
  if (!fleet_) return;
  if (host) samples_.lose(*host, *fleet_);
  else samples_.give_up(fleet_->orders().late(follower_.now()), *fleet_);
  begin_tick();
}

void LockstepHost::advance(Open& open) {
  const std::uint64_t begin = parts_.stopwatch ? parts_.stopwatch() : 0;
  gateway_.before_tick(*fleet_, run(), tick(), open.inputs);
  samples_.order(*fleet_, run(), tick(), open.inputs);
  const Advance& result = fleet_->advance(tick(), open.inputs);
  const Tick reached = tick() + 1;
  follower_.opened();
  World& world = fleet_->world();
  gateway_.after_tick(*fleet_, reached, world.next());
  if (faults_.corrupt_state_at == reached && !result.slots.empty())
    world.next().state(result.slots[0]).pose.p.x += 0.001;

  Done done{.run = run(),
            .tick = reached,
            .messages = static_cast<std::uint32_t>(result.sent.size()),
            .foreign_contacts = result.foreign_contacts};
  const Instant stamp = instant(reached * nanos(setup_.tick));
  for (Bytes& frame : encode_states({run(), reached, me_}, world, world.next(), result.slots, result.hashes, stamp)) {
    ++done.frames;
    const std::uint64_t hash = hash64(frame);
    done.hash = chain(done.hash, hash);
    send_(FrameType::kStates, std::move(frame), hash);
  }
  for (Bytes& frame : encode_messages(run(), reached, result.sent)) send_frame(FrameType::kMessages, std::move(frame));
  if (checkpoints_ && setup_.checkpoint > 0 && reached % setup_.checkpoint == 0) {
    std::vector<WorldNumber> mine;
    for (Slot slot : result.slots) mine.push_back(world.entity(slot).number);
    send_checkpoint(reached, mine);
  }
  done.remote_samples = samples_.take_count();
  if (parts_.stopwatch) done.busy_ns = parts_.stopwatch() - begin;
  send_frame(FrameType::kDone, save(done));
}

void LockstepHost::send_checkpoint(Tick tick, std::span<const WorldNumber> agents) {
  InnerBytes out{run(), tick, {}, {}, false};
  std::size_t bytes = 0;
  for (WorldNumber number : agents) {
    out.agents.push_back({number, fleet_->inner(number)});
    bytes += out.agents.back().bytes.size();
    if (Bytes more = setup_.sensors.digest ? samples_.under_way(*fleet_, number) : Bytes(); !more.empty()) {
      bytes += more.size();
      out.under_way.push_back({number, std::move(more)});
    }
    if (bytes < kMaxChunk) continue;
    send_frame(FrameType::kCheckpoint, save(out));
    out.agents.clear(), out.under_way.clear();
    bytes = 0;
  }
  out.last = true;
  send_frame(FrameType::kCheckpoint, save(out));
}

}  // namespace convoy
