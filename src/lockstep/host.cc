#include "lockstep/host.h"

#include <algorithm>

#include "core/hash.h"
#include "wire/live.h"

namespace convoy {

LockstepHost::LockstepHost(Setup setup, Owner me, bool checkpoints, Executor& executor, const AgentParts& parts,
                           Send send)
    : setup_(std::move(setup)),
      me_(me),
      checkpoints_(checkpoints),
      executor_(executor),
      parts_(parts),
      send_(std::move(send)) {
  auto scene = World::make(setup_);
  if (scene) scene_ = std::make_unique<World>(std::move(*scene));
  else trouble_ = scene.error();
  forget_scene(setup_);
}

bool LockstepHost::on_frame(FrameType type, const Payload& payload) {
  if (trouble_) return true;
  Status status;
  switch (type) {
    case FrameType::kImage: status = image(payload); break;
    case FrameType::kStates: status = states(payload); break;
    case FrameType::kMessages: status = messages(payload); break;
    case FrameType::kSurrender: status = surrender(payload); break;
    case FrameType::kAsk: status = answer(payload); break;
    case FrameType::kAllow: status = held(payload); break;
    case FrameType::kFinish: finished_ = true; break;
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
    default: return false;
  }
  if (!status) trouble_ = status.error();
  return true;
}

Status LockstepHost::image(ByteView payload) {
  const Result<bool> whole = image_.take(payload);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return {};
  if (!scene_) return fail(ErrorCode::kInvalid, "a second world image");
  if (auto ok = scene_->load_image(image_.bytes()); !ok) return ok;
  image_.clear();
  fleet_ = std::make_unique<Fleet>(std::move(*scene_), setup_, me_, executor_, parts_);
  scene_.reset();
  fleet_->take_up();
  run_ = image_.run();
  tick_ = image_.tick();
  advanced_ = false;
  find_sources();
  tell_gateway();
  return {};
}

void LockstepHost::tell_gateway() {
  if (gateway_) gateway_->at_boundary(*fleet_, {run_, tick_, true});
}

void LockstepHost::say_horizon() {
  if (!gateway_ || !fleet_) return;
  const std::optional<Tick> horizon = gateway_->horizon();
  if (horizon == allowed_ && (run_ == allowed_run_ || !horizon)) return;
  allowed_ = horizon, allowed_run_ = run_;
  say(FrameType::kAllow, save(Allow{run_, horizon}));
}

Status LockstepHost::held(ByteView payload) {
  Allow stands;
  if (!load(payload, stands) || !stands.through) return fail(ErrorCode::kInvalid, "an Allow frame is malformed");
  if (gateway_) gateway_->held_at(fleet_.get(), stands.run, *stands.through);
  return {};
}

void LockstepHost::say(FrameType type, Bytes payload) {
  const std::uint64_t hash = hash64(payload);
  send_(type, std::move(payload), hash);
}

void LockstepHost::find_sources() {
  sources_.clear();
  const World& world = fleet_->world();
  for (Slot slot = 0; slot < world.entities().size(); ++slot) {
    const Owner owner = world.entity(slot).owner;
    if (owner != kNobody && owner != me_) sources_[owner].slots.push_back(slot);
  }
}

Status LockstepHost::states(const Payload& payload) {
  StatesHeader header;
  if (!fleet_ || !peek_states(payload, header) || header.run != run_ || header.tick != tick_ + 1 || !advanced_)
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  const auto source = sources_.find(header.owner);
  if (source == sources_.end()) return fail(ErrorCode::kInvalid, "States of an owner that owns nothing");
  Source& s = source->second;
  ++s.frames;
  s.hash = chain(s.hash, payload.hash);
  return decode_states(payload, fleet_->world(), s.slots, instant(header.tick * nanos(setup_.tick)), {}, s.records);
}

Status LockstepHost::messages(ByteView payload) {
  Messages more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a Messages frame is malformed");
  inbox_.insert(inbox_.end(), std::make_move_iterator(more.messages.begin()),
                std::make_move_iterator(more.messages.end()));
  return {};
}

// All states of the next boundary are in: they become the snapshot.
Status LockstepHost::complete(const Edits& edits) {
  const std::vector<Manifest>& manifests = edits.states;
  for (auto& [number, source] : sources_) {
    const Owner owner = number;
    const auto it = std::find_if(manifests.begin(), manifests.end(), [&](const auto& m) { return m.owner == owner; });
    if (it == manifests.end()) {  // lost in this tick: its agents stand where they were
      for (Slot slot : source.slots) hold(slot);
    } else if (it->frames != source.frames || it->hash != source.hash || source.records != source.slots.size()) {
      return fail(ErrorCode::kInternal, "the states of connection " + std::to_string(owner) + " for tick " +
                                            std::to_string(tick_ + 1) + " are not those that the server has");
    }
    source.frames = source.records = 0;
    source.hash = 0;
  }
  // The host may be there all the same: in a replay.
  for (WorldNumber number : edits.held)
    if (const Slot slot = fleet_->world().slot_of(number); slot != kNoSlot) hold(slot);
  fleet_->turn();
  ++tick_;
  advanced_ = false;
  return {};
}

void LockstepHost::hold(Slot slot) {
  World& world = fleet_->world();
  world.next().state(slot) = world.snapshot().state(slot);
  const auto tail = world.snapshot().tail(slot);
  std::copy(tail.begin(), tail.end(), world.next().tail(slot).begin());
}

Status LockstepHost::take_edits(const Edits& edits) {
  if (!fleet_ || edits.run != run_) return fail(ErrorCode::kInvalid, "edits for another run");
  if (edits.tick == tick_ + 1 && advanced_) {
    if (auto ok = complete(edits); !ok) return ok;
  } else if (edits.tick != tick_ || advanced_) {
    return fail(ErrorCode::kInvalid,
                "edits for tick " + std::to_string(edits.tick) + " at tick " + std::to_string(tick_));
  }
  const Instant now = instant(tick_ * nanos(setup_.tick));
  for (const Edit& edit : edits.edits) {
    if (auto ok = fleet_->world().check(edit); !ok) return ok;
    const auto* reset = std::get_if<Reset>(&edit);
    const bool whole = reset && reset->entities.empty();
    if (!fleet_->apply(edit, whole ? instant(0) : now))
      return fail(ErrorCode::kInvalid, "an agent cannot be made from the inner bytes that came for it");
    if (whole) {
      ++run_;
      tick_ = 0;
      inbox_.clear();
    }
  }
  if (!edits.edits.empty()) {
    fleet_->settle();
    find_sources();
  }
  tell_gateway();
  return {};
}

Status LockstepHost::open(Open open) {
  if (auto ok = take_edits(open.edits); !ok) return ok;
  if (inbox_.size() != open.messages) return fail(ErrorCode::kInvalid, "messages are missing at Open");
  digest_ = open.digest;
  fleet_->open(inbox_);
  inbox_.clear();
  advance(open);
  return {};
}

// Commands from beyond the run act in the tick that begins now, and the server hears of them before its Done.
void LockstepHost::ask_gateway(std::vector<Input>& inputs) {
  const std::size_t first = inputs.size();
  gateway_->before_tick(*fleet_, tick_, inputs);
  Inputs said{run_, {}};
  std::size_t bytes = 0;
  for (std::size_t i = first; i < inputs.size(); ++i) {
    bytes += save(Inputs{run_, {inputs[i]}}).size();
    said.inputs.push_back(inputs[i]);
    if (bytes < kMaxChunk && i + 1 < inputs.size()) continue;
    say(FrameType::kInputs, save(said));
    said.inputs.clear();
    bytes = 0;
  }
}

void LockstepHost::advance(Open& open) {
  const std::uint64_t begin = stopwatch_ ? stopwatch_() : 0;
  if (gateway_) ask_gateway(open.inputs);
  const Advance& result = fleet_->advance(tick_, open.inputs);
  const Tick reached = tick_ + 1;
  advanced_ = true;
  World& world = fleet_->world();
  if (gateway_) gateway_->after_tick(*fleet_, reached, world.next());
  if (faults_.corrupt_state_at == reached && !result.slots.empty())
    world.next().state(result.slots[0]).pose.p.x += 0.001;

  Done done{run_, reached, 0, 0, static_cast<std::uint32_t>(result.sent.size()), result.foreign_contacts, 0};
  const Instant stamp = instant(reached * nanos(setup_.tick));
  for (Bytes& frame : encode_states({run_, reached, me_}, world, world.next(), result.slots, result.hashes, stamp)) {
    ++done.frames;
    const std::uint64_t hash = hash64(frame);
    done.hash = chain(done.hash, hash);
    send_(FrameType::kStates, std::move(frame), hash);
  }
  for (Bytes& frame : encode_messages(run_, reached, result.sent)) say(FrameType::kMessages, std::move(frame));
  if (checkpoints_ && setup_.checkpoint > 0 && reached % setup_.checkpoint == 0) {
    std::vector<WorldNumber> mine;
    for (Slot slot : result.slots) mine.push_back(world.entity(slot).number);
    ++tick_;  // the inner state is that of the boundary reached
    send_inner(FrameType::kCheckpoint, mine);
    --tick_;
  }
  if (stopwatch_) done.busy_ns = stopwatch_() - begin;
  say(FrameType::kDone, save(done));
}

void LockstepHost::send_inner(FrameType type, std::span<const WorldNumber> agents) {
  InnerBytes out{run_, tick_, {}, false};
  std::size_t bytes = 0;
  for (WorldNumber number : agents) {
    out.agents.push_back({number, fleet_->inner(number)});
    bytes += out.agents.back().bytes.size();
    if (bytes < kMaxChunk) continue;
    say(type, save(out));
    out.agents.clear();
    bytes = 0;
  }
  out.last = true;
  say(type, save(out));
}

Status LockstepHost::answer(ByteView payload) {
  Ask question;
  if (!load(payload, question)) return fail(ErrorCode::kInvalid, "an Ask frame is malformed");
  say(FrameType::kAnswer, save(Ask{question.id, fleet_ ? fleet_->answer(question.bytes) : Bytes{}}));
  return {};
}

Status LockstepHost::surrender(ByteView payload) {
  Surrender wanted;
  if (!load(payload, wanted)) return fail(ErrorCode::kInvalid, "a Surrender frame is malformed");
  send_inner(FrameType::kSurrendered, wanted.agents);
  return {};
}

}  // namespace convoy
