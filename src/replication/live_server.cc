#include "replication/live_server.h"

#include <algorithm>
#include <cmath>

#include "agent/software.h"
#include "session/world_image.h"
#include "world/dead_reckoning.h"

namespace convoy {

namespace {

constexpr Duration kLastWords = std::chrono::seconds(2);  // for hosts to reach the end
constexpr std::uint64_t kCompareEvery = 16;               // states, and at most one of a batch; divergence is a sample

}  // namespace

LiveServer::LiveServer(World world, const Setup& setup, LiveOptions options, Send send, SendDatagram send_datagram)
    : world_(std::move(world)),
      setup_(setup),
      options_(std::move(options)),
      send_(std::move(send)),
      send_datagram_(std::move(send_datagram)),
      mirror_(options_.rules),
      paused_(options_.paused) {
  forget_scene(setup_);
  follow_world();
}

void LiveServer::follow_world() {
  mirror_.follow(world_);
  interest_.follow(world_);
  to_place_ = 0;
  grid_stale_ = true;
  for (auto& [owner, peer] : peers_) peer.listed = false;
}

void LiveServer::to_all(FrameType type, const Payload& payload, Owner except) {
  for (const auto& [owner, peer] : peers_)
    if (owner != except) send_(owner, type, payload);
}

// ------------------------------------------------------------------------------------------------- membership

void LiveServer::join(Owner owner, std::string name) {
  HostStatus& host = hosts_[owner];
  host.owner = owner;
  host.name = std::move(name);
  at_the_door_.insert(owner);
  if (timeline_) admit(owner, image());
}

void LiveServer::attend(Owner owner, const std::string&) {
  at_the_door_.insert(owner);
  if (timeline_) admit(owner, image());
}

std::vector<Payload> LiveServer::image() {
  for (Slot slot = 0; slot < world_.entities().size(); ++slot) mirror_.reckon(world_, slot, now());
  world_.put_attached();
  return image_pieces(world_, run_, tick(), options_.image_chunk);
}

// The world as it stands, then the pace; what changes from here on follows in order.
void LiveServer::admit(Owner owner, const std::vector<Payload>& image) {
  at_the_door_.erase(owner);
  const Tick tick = this->tick();
  for (const Payload& piece : image) send_(owner, FrameType::kImage, piece);
  Peer& peer = peers_[owner];
  peer.reached = now();
  peer.reached_run = run_;
  if (const auto host = hosts_.find(owner); host != hosts_.end()) {
    peer.host = true;
    host->second.present = true;
    host->second.joined_at = tick;
  }
  for (const Pace& pace : timeline_->from(tick)) send_(owner, FrameType::kPace, save(pace));
}

void LiveServer::ask(Bytes question, Moment until, Questions::Done done) {
  std::vector<Owner> hosts;
  for (const auto& [owner, host] : hosts_)
    if (host.present) hosts.push_back(owner);
  questions_.ask(hosts, std::move(question), until, std::move(done),
                 [this](Owner to, FrameType type, const Payload& payload) { send_(to, type, payload); });
}

void LiveServer::leave(Owner owner) {
  questions_.left(owner);
  at_the_door_.erase(owner);
  peers_.erase(owner);
  const auto it = hosts_.find(owner);
  if (it == hosts_.end()) return;
  it->second.gone = true;
  if (!std::exchange(it->second.present, false) || over_) return;
  if (transfer_ && (transfer_->from == owner || transfer_->to == owner)) {
    transfer_.reset();
    const Pending gone = std::move(pending_.front());
    pending_.pop_front();
    if (gone.done) gone.done(fail(ErrorCode::kUnavailable, "the host was lost while its agent was handed over"));
  }
  std::vector<WorldNumber> agents;
  for (const Entity& entity : world_.entities())
    if (entity.owner == owner) agents.push_back(entity.number);
  for (WorldNumber number : agents) {
    if (options_.leave == LeavePolicy::kRemove) carry_out(Delete{number}, nullptr);
    else carry_out(Freeze{number}, nullptr);
  }
  apply_pending();
}

std::vector<HostName> LiveServer::host_names() const {
  std::vector<HostName> names;
  for (const auto& [owner, host] : hosts_)
    if (host.present || at_the_door_.count(owner)) names.push_back({owner, host.name});
  return names;
}

Result<Owner> LiveServer::place(const std::string& name) const { return least_loaded(world_, host_names(), name); }

void LiveServer::start(Moment now, std::vector<std::string>& warnings) {
  last_now_ = next_round_ = begun_ = now;
  fastest_ = options_.speed;
  std::vector<std::string> unknown;
  share_out(
      world_, host_names(), [](const Entity& e) { return !e.frozen; }, unknown);
  for (const std::string& name : unknown)
    warnings.push_back("no host is named '" + name + "': its robots are placed round-robin");
  follow_world();  // who owns what
  timeline_.emplace(setup_.tick, Pace{run_, 0, (now + options_.lead).time_since_epoch().count(), options_.speed,
                                      paused_ ? 0 : limit()});
  const std::vector<Payload> same = image();  // for all that have waited
  for (Owner owner : std::set<Owner>(at_the_door_)) admit(owner, same);
}

// ------------------------------------------------------------------------------------------------------- time

// The first tick that begins after the moment.
Tick LiveServer::tick_after(Moment moment) const { return nanos(timeline_->sim_at(moment)) / nanos(setup_.tick) + 1; }

// Where a host may be that has not heard of any pause of this run: frames may take long.
Instant LiveServer::farthest() const {
  const double ns = static_cast<double>((last_now_ - begun_).count()) * fastest_;
  return std::max(now(), instant(static_cast<std::int64_t>(std::min(ns, 4e18))));
}

void LiveServer::set_pace(const Pace& pace) {
  fastest_ = std::max(fastest_, pace.speed);
  timeline_->set(pace);
  to_all(FrameType::kPace, save(pace));
}

Tick LiveServer::pause() {
  if (!timeline_) return 0;
  if (paused_) return timeline_->last().limit;
  paused_ = true;
  holding_ = false;  // whoever resumes does not wait for anybody
  const Tick at = tick_after(last_now_ + options_.lead);
  if (at >= timeline_->last().limit) return timeline_->last().limit;  // it stops there anyway
  set_pace({run_, at, timeline_->begin_of(at).time_since_epoch().count(), options_.speed, at});
  return at;
}

void LiveServer::resume(Moment now) {
  paused_ = holding_ = false;
  steps_to_ = 0;
  if (auto said = std::exchange(steps_done_, nullptr)) said(tick());
  const Pace& last = timeline_->last();
  const std::int64_t at = std::max((now + options_.lead).time_since_epoch().count(), last.at);
  const Tick from = last.limit == Pace::kEndless ? tick_after(now) : last.limit;
  set_pace({run_, from, at, options_.speed, limit()});
}

Status LiveServer::step(std::uint64_t ticks, std::function<void(Tick)> done) {
  if (!paused_) return fail(ErrorCode::kState, "not paused: step needs a paused run");
  if (steps_done_) return fail(ErrorCode::kState, "a step is in progress");
  if (ticks == 0) return fail(ErrorCode::kInvalid, "a step has at least one tick");
  const Pace last = timeline_->last();
  steps_to_ = std::min(last.limit + static_cast<Tick>(std::min<std::uint64_t>(ticks, 1'000'000'000)), limit());
  steps_done_ = std::move(done);
  const std::int64_t at = std::max((last_now_ + options_.lead).time_since_epoch().count(), last.at);
  set_pace({run_, last.limit, at, options_.speed, steps_to_});
  return {};
}

Status LiveServer::set_speed(double factor, Moment now) {
  if (!(factor > 0)) return fail(ErrorCode::kInvalid, "free mode has a pace: the speed is a factor above 0");
  options_.speed = factor;
  if (paused_ || !timeline_) return {};
  const Tick at = tick_after(now + options_.lead);
  const Moment begins = timeline_->begin_of(at);
  if (begins != kNever) set_pace({run_, at, begins.time_since_epoch().count(), factor, timeline_->last().limit});
  return {};
}

void LiveServer::finish() {
  if (!timeline_ || std::exchange(finishing_, true)) return;
  const Pace last = timeline_->last();
  const Tick at = paused_ ? std::min(last.limit, tick() + 1) : tick_after(last_now_ + options_.lead);
  if (options_.end > 0 && options_.end <= at) return;  // about to end by itself
  options_.end = at;
  if (paused_) return;
  const Moment begins = timeline_->begin_of(options_.end);
  set_pace({run_, options_.end, (begins == kNever ? last_now_ : begins).time_since_epoch().count(), options_.speed,
            options_.end});
}

bool LiveServer::all_reached(Tick tick) const {
  return std::all_of(peers_.begin(), peers_.end(), [&](const auto& p) {
    return !p.second.host || (p.second.reached_run == run_ && nanos(p.second.reached) >= tick * nanos(setup_.tick));
  });
}

// Whoever is farther behind than max_drift is named, or waited for.
void LiveServer::watch_drift() {
  const Instant now = this->now();
  for (auto& [owner, host] : hosts_) {
    if (!host.present) continue;
    const Peer& peer = peers_.at(owner);
    const bool late =
        peer.reached_run == run_ && now - peer.reached > options_.max_drift + options_.period + options_.lead;
    if (!late) host.lagging_since = kNever;
    else if (host.lagging_since == kNever) host.lagging_since = last_now_;
  }
  if (options_.drift != DriftPolicy::kSlow || paused_) return;
  const bool late = std::any_of(hosts_.begin(), hosts_.end(),
                                [](const auto& h) { return h.second.present && h.second.lagging_since != kNever; });
  if (late && !holding_) {
    holding_ = true;
    held_at_ = tick_after(last_now_ + options_.lead);
    const Moment begins = timeline_->begin_of(held_at_);
    if (begins == kNever) return void(holding_ = false);
    set_pace({run_, held_at_, begins.time_since_epoch().count(), options_.speed, held_at_});
  } else if (holding_ && all_reached(held_at_)) {
    holding_ = false;
    set_pace({run_, held_at_, (last_now_ + options_.lead).time_since_epoch().count(), options_.speed, limit()});
  }
}

void LiveServer::end_if_due() {
  if ((options_.end == 0 && !finishing_) || tick() < options_.end) return;
  if (ended_at_ == kNever) ended_at_ = last_now_;
  if (!all_reached(options_.end) && last_now_ - ended_at_ < kLastWords) return;
  round();
  to_all(FrameType::kFinish, {});
  over_ = true;
  if (auto said = std::exchange(steps_done_, nullptr)) said(tick());
}

void LiveServer::proceed(Moment now) {
  last_now_ = std::max(last_now_, now);
  if (!timeline_ || over_) return;
  timeline_->forget_before(tick());
  if (steps_done_ && tick() >= steps_to_ && all_reached(steps_to_))
    if (auto said = std::exchange(steps_done_, nullptr)) said(steps_to_);
  if (now >= next_round_) {
    next_round_ = std::max(next_round_ + options_.period, now);
    round();
    watch_drift();
  }
  end_if_due();
}

Moment LiveServer::deadline() const { return !timeline_ || over_ ? kNever : next_round_; }

const char* LiveServer::phase_name() const { return over_ ? "over" : timeline_ ? "running" : "gathering"; }

bool LiveServer::all_reported() const {
  return std::all_of(hosts_.begin(), hosts_.end(),
                     [](const auto& h) { return !h.second.present || h.second.reported; });
}

// ------------------------------------------------------------------------------------------------------ edits

void LiveServer::submit(Edit edit, EditDone done) {
  pending_.push_back({std::move(edit), std::move(done)});
  apply_pending();
}

// An agent is never split: a child that is attached to another host's robot moves there first, with its inner state.
bool LiveServer::needs_transfer(const Edit& edit) {
  const auto* attach = std::get_if<Attach>(&edit);
  if (!attach || !world_.check(edit)) return false;
  const Owner from = world_.entity(world_.slot_of(attach->child)).owner;
  const Owner to = world_.entity(world_.slot_of(attach->parent)).owner;
  if (from == to || from == kNobody || !peers_.count(from)) return false;
  std::vector<WorldNumber> moving = world_.with_descendants(attach->child);
  if (!may_move(world_, moving)) return false;  // carry_out() refuses it
  transfer_ = Transfer{from, to, std::move(moving), {}};
  send_(from, FrameType::kSurrender, save(Surrender{transfer_->agents}));
  return true;
}

void LiveServer::apply_pending() {
  while (!pending_.empty() && !transfer_) {
    if (needs_transfer(pending_.front().edit)) return;
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    carry_out(next.edit, next.done);
  }
}

Status LiveServer::surrendered(Owner from, ByteView payload) {
  InnerBytes more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "agents' inner bytes are malformed");
  if (!transfer_ || transfer_->from != from || more.run != run_) return {};
  const auto wanted = [&](const auto& agent) {
    return std::binary_search(transfer_->agents.begin(), transfer_->agents.end(), agent.number);
  };
  if (!std::any_of(more.agents.begin(), more.agents.end(), wanted)) return {};  // the answer for a transfer that failed
  for (auto& agent : more.agents)
    if (wanted(agent)) transfer_->inner[agent.number] = std::move(agent.bytes);
  if (!more.last) return {};
  const Transfer transfer = std::move(*transfer_);
  transfer_.reset();
  for (WorldNumber number : transfer.agents) {
    if (world_.slot_of(number) == kNoSlot) continue;
    const auto inner = transfer.inner.find(number);
    const Edit move = Move{number, transfer.to, inner == transfer.inner.end() ? Bytes{} : inner->second};
    world_.apply(move, now());
    say(move);
    ++transfers_;
  }
  follow_world();
  const Pending next = std::move(pending_.front());
  pending_.pop_front();
  carry_out(next.edit, next.done);
  apply_pending();
  return {};
}

void LiveServer::say(const Edit& edit) { to_all(FrameType::kEdits, save(Edits{run_, tick(), {}, {}, {edit}})); }

void LiveServer::carry_out(Edit edit, const EditDone& done) {
  if (auto ok = world_.check(edit); !ok) {
    if (done) done(tl::unexpected(ok.error()));
    return;
  }
  if (const auto* attach = std::get_if<Attach>(&edit);
      attach &&
      world_.entity(world_.slot_of(attach->child)).owner != world_.entity(world_.slot_of(attach->parent)).owner)
    if (auto ok = may_move(world_, world_.with_descendants(attach->child)); !ok) {  // else it has moved before
      if (done) done(tl::unexpected(ok.error()));
      return;
    }
  if (auto* spawn = std::get_if<Spawn>(&edit);
      spawn && !(hosts_.count(spawn->owner) && hosts_.at(spawn->owner).present)) {
    const auto owner = place("");
    if (!owner) {
      if (done) done(tl::unexpected(owner.error()));
      return;
    }
    spawn->owner = *owner;
  }
  carry_on(edit);
  const Tick at = tick();
  const auto* reset = std::get_if<Reset>(&edit);
  if (reset && reset->entities.empty()) {
    reset_world();
    if (done) done(EditOutcome{0, kNoEntity});
    return;
  }
  if (std::get_if<Delete>(&edit)) ++deleted_;
  // Every mirror guesses a little differently: where the edit leaves a state as it is, the server's is said.
  if (auto* set = std::get_if<SetState>(&edit); set && set->keep_pose) {
    set->pose = world_.snapshot().state(world_.slot_of(set->entity)).pose;
    set->keep_pose = false;
  }
  if (const auto* freeze = std::get_if<Freeze>(&edit))
    carry_out(SetState{freeze->entity, world_.snapshot().state(world_.slot_of(freeze->entity)).pose, {}, false},
              nullptr);
  std::vector<WorldNumber> freed;
  if (const auto* gone = std::get_if<Delete>(&edit)) freed = world_.children_of(gone->entity);
  if (const auto* loose = std::get_if<Detach>(&edit)) freed = {loose->child};
  const WorldNumber made = world_.apply(edit, now());
  if (made != kNoEntity) ++spawned_;
  world_.settle();
  follow_world();
  say(edit);
  settle_states(edit, freed);
  if (done) done(EditOutcome{at, made});
}

// Mirrors guess where things are, each a little differently: where an edit makes a guess last, ours is said.
void LiveServer::settle_states(const Edit& edit, std::span<const WorldNumber> freed) {
  if (const auto* attach = std::get_if<Attach>(&edit))
    carry_out(Mount{attach->child, world_.entity(world_.slot_of(attach->child)).X_PC}, nullptr);
  for (WorldNumber number : freed) {  // whose agent is gone: nobody else will tell where it is now
    const Slot slot = world_.slot_of(number);
    if (world_.entity(slot).owner == kNobody)
      carry_out(SetState{number, world_.snapshot().state(slot).pose, {}, false}, nullptr);
  }
}

void LiveServer::reset_world() {
  say(Reset{});  // the last of the old run
  ticks_before_ += static_cast<std::uint64_t>(tick());
  world_.apply(Reset{}, instant(0));
  ++run_;
  physics_faults_.clear();
  std::vector<std::string> unknown;
  const std::vector<Move> moves = share_out(
      world_, host_names(), [](const Entity& e) { return !e.frozen; }, unknown);
  world_.settle();
  mirror_.clear();
  follow_world();
  for (auto& [owner, peer] : peers_) {
    peer.telling.clear();
    peer.reached = instant(0);
    peer.reached_run = run_;
  }
  holding_ = false;
  steps_to_ = 0;
  begun_ = last_now_;
  fastest_ = options_.speed;
  if (auto said = std::exchange(steps_done_, nullptr)) said(0);
  set_pace({run_, 0, (last_now_ + options_.lead).time_since_epoch().count(), options_.speed, paused_ ? 0 : limit()});
  for (const Move& move : moves) say(move);
}

Status LiveServer::submit(Input input) {
  const Slot slot = world_.slot_of(recipient(input));
  const Owner owner = slot == kNoSlot ? kNobody : world_.entity(slot).owner;
  if (!peers_.count(owner)) return fail(ErrorCode::kUnavailable, "nobody runs this robot");
  ++inputs_;
  send_(owner, FrameType::kInputs, save(Inputs{run_, {std::move(input)}}));
  return {};
}

// ------------------------------------------------------------------------------------------------ what comes in

// What agents say of their software.
void LiveServer::hear(const Message& message) {
  take_said(world_, message);
  note_fault(message, tick());
  EndedSaid said;
  if (message.topic != kEndedTopic || !load(message.payload, said)) return;
  endings_.push_back(
      {message.from, world_.entity(world_.slot_of(message.from)).name, said.exit_code, said.why, said.run});
  if (said.run) finish();
}

Status LiveServer::messages(Owner from, const Payload& payload) {
  Messages more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a Messages frame is malformed");
  if (more.run != run_) return {};  // sent before it knew of the reset
  for (const Message& message : more.messages)
    if (message.payload.size() > kMaxMessageBytes) return fail(ErrorCode::kInvalid, "a message is too large");
  // Of an agent that has moved to another host while the message was on its way, or is gone: nobody hears it.
  const std::size_t others = std::erase_if(more.messages, [&](const Message& message) {
    const Slot slot = world_.slot_of(message.from);
    return slot == kNoSlot || world_.entity(slot).owner != from;
  });
  for (const Message& message : more.messages) hear(message);
  const Bytes rest = others > 0 ? save(more) : Bytes{};
  for (const auto& [owner, peer] : peers_) {
    if (!peer.host || owner == from || more.messages.empty()) continue;
    if (others > 0) send_(owner, FrameType::kMessages, rest);
    else send_(owner, FrameType::kMessages, payload);
  }
  return {};
}

// Of a host it makes no sense: its robots decide what it needs.
bool LiveServer::look(Owner from, ByteView payload) {
  const auto peer = peers_.find(from);
  InterestRegion region;
  if (peer == peers_.end() || peer->second.host || !load(payload, region) || !region.sensible()) return false;
  peer->second.region = region;
  peer->second.listed = false;
  return true;
}

bool LiveServer::on_frame(Owner from, FrameType type, const Payload& payload, Moment now) {
  last_now_ = std::max(last_now_, now);
  if (type == FrameType::kInterest) return look(from, payload);
  const auto host = hosts_.find(from);
  if (host == hosts_.end() || !host->second.present) return false;
  Status ok;
  switch (type) {
    case FrameType::kMessages: ok = messages(from, payload); break;
    case FrameType::kAnswer: ok = questions_.answered(from, payload); break;
    case FrameType::kSurrendered: ok = surrendered(from, payload); break;
    case FrameType::kReport: ok = host->second.take_report(payload); break;
    default: return false;
  }
  if (!ok && !trouble_) trouble_ = {from, ok.error()};
  return true;
}

bool LiveServer::on_datagram(Owner from, const Datagram& datagram, Moment now, Drops& drops) {
  last_now_ = std::max(last_now_, now);
  if (datagram.type == DatagramType::kClock) {
    ClockProbe probe;
    if (!read_probe(datagram.payload, probe)) return drops.count(Drop::kMalformed), true;
    probe.time = now.time_since_epoch().count();
    send_datagram_(from, DatagramType::kClock, short_run(run_), write_probe(probe));
    return true;
  }
  if (datagram.type == DatagramType::kStates) return states(from, datagram, drops);
  return drops.count(Drop::kUnexpected), true;
}

bool LiveServer::states(Owner from, const Datagram& datagram, Drops& drops) {
  const auto it = peers_.find(from);
  if (it == peers_.end()) return drops.count(Drop::kUnexpected), false;
  if (datagram.run != short_run(run_)) return drops.count(Drop::kOldRun), false;
  Peer& peer = it->second;
  if (!read_batches(datagram.payload, batches_)) return drops.count(Drop::kMalformed), true;
  const Instant now = farthest();
  HostStatus* host = peer.host ? &hosts_.at(from) : nullptr;
  bool compared = false;  // it costs as much as taking ten states
  bool whole = true;
  for (const Batch& batch : batches_) {
    const Mirror::Taken taken =
        mirror_.take(batch, now, from, kNobody, drops, [&](Slot slot, const std::uint8_t* record) {
          if (compared || !host || !mirror_.heard(slot) || ++peer.compared % kCompareEvery != 0) return;
          compared = true;
          compare(peer, *host, slot, mirror_.state_of(slot, record, batch.origin, batch.stamp));
        });
    updates_in_ += taken.states;
    whole = whole && taken.whole;
    if (batch.stamp <= now + options_.rules.most_ahead) peer.reached = std::max(peer.reached, batch.stamp);
  }
  if (host) host->states_bytes += datagram.payload.size();
  return whole;
}

// How far what owners say is from what was expected of them.
void LiveServer::compare(const Peer& peer, HostStatus& host, Slot slot, const State& after) const {
  const State expected = dead_reckoned(mirror_.known(slot), after.stamp, world_.map(), world_.radii()[slot]);
  const Vec3 d = expected.pose.p - after.pose.p;
  const double distance = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  host.divergence = std::max(host.divergence, distance);
  host.mean_divergence += (distance - host.mean_divergence) / static_cast<double>(peer.compared / kCompareEvery);
}

void LiveServer::acked(Owner from, std::uint32_t datagram) {
  if (const auto it = peers_.find(from); it != peers_.end()) it->second.telling.acked(datagram);
}

}  // namespace convoy
