#include "lockstep/conductor.h"

#include <algorithm>

#include "agent/software.h"
#include "core/hash.h"
#include "session/world_image.h"

namespace convoy {

namespace {

constexpr Duration kMaxLag = std::chrono::milliseconds(200);  // behind the pace; more is written off
constexpr std::size_t kFewEdits = 8;  // go out within Open; more go before it, in as many frames as they need

std::size_t size_of(const Edit& edit) {
  return std::visit([](const auto& e) { return save(e).size(); }, edit);
}

}  // namespace

Conductor::Conductor(World world, const Setup& setup, ConductorOptions options, Send send)
    : world_(std::move(world)),
      setup_(setup),
      digest_seed_(digest_seed(setup)),
      options_(std::move(options)),
      send_(std::move(send)),
      controllers_(options_.wait_for, options_.deadline),
      digest_(digest_seed_),
      inside_(world_.snapshot().size()),
      inside_next_(inside_),
      paused_(options_.paused) {
  forget_scene(setup_);
}

void Conductor::to_all(FrameType type, const Payload& payload) {
  const Payload out = hosts_.size() + guests_.size() > 1 ? payload.shared() : payload;
  for (const auto& [owner, host] : hosts_)
    if (host.present) send_(owner, type, out);
  if (type == FrameType::kMessages) return;  // between agents
  for (Owner guest : guests_) send_(guest, type, out);
}

void Conductor::journal(JournalEntry entry) {
  for (RunWatcher* watcher : watchers_) watcher->entered(entry);
}

// ------------------------------------------------------------------------------------------------- membership

void Conductor::join(Owner owner, std::string name) {
  HostStatus& host = hosts_[owner];
  host.owner = owner;
  host.name = std::move(name);
  joining_.insert(owner);
}

void Conductor::leave(Owner owner) {
  questions_.left(owner);
  joining_.erase(owner);
  joining_guests_.erase(owner);
  guests_.erase(owner);
  fresh_guests_.erase(owner);
  let_go(owner);
  controllers_.leave(owner);
  const auto it = hosts_.find(owner);
  if (it == hosts_.end()) return;
  const bool took_part = it->second.present;
  it->second.present = false;
  it->second.gone = true;
  sources_stale_ = true;
  if (!took_part || over()) return;
  std::vector<WorldNumber> agents;
  for (const Entity& entity : world_.entities())
    if (entity.owner == owner) agents.push_back(entity.number);
  if (phase_ == Phase::kTick) {
    const auto source = sources_.find(owner);
    if (source != sources_.end() && !source->second.done) {
      // What came of this tick from it does not count: all of it or nothing.
      lost_.insert(lost_.end(), agents.begin(), agents.end());
      std::erase_if(mail_, [&](const Message& m) { return std::binary_search(agents.begin(), agents.end(), m.from); });
      sources_.erase(source);
    }  // else its tick is complete: the states count, here and at the other hosts
  }
  if (transfer_ && (transfer_->from == owner || transfer_->to == owner)) {
    if (!pending_.empty()) {
      const Pending gone = std::move(pending_.front());
      pending_.pop_front();
      if (gone.done) gone.done(fail(ErrorCode::kUnavailable, "the host was lost while its agent was handed over"));
    }
    transfer_.reset();
  }
  for (WorldNumber number : agents) {
    if (options_.leave == LeavePolicy::kRemove) pending_.push_front({Delete{number}, nullptr});
    else pending_.push_front({Freeze{number}, nullptr});
  }
}

std::vector<HostName> Conductor::host_names(bool joining_too) const {
  std::vector<HostName> names;
  for (const auto& [owner, host] : hosts_)
    if (host.present || (joining_too && joining_.count(owner))) names.push_back({owner, host.name});
  return names;
}

Result<Owner> Conductor::place(const std::string& name) const { return least_loaded(world_, host_names(false), name); }

void Conductor::place_unowned(std::vector<std::string>* warnings) {
  std::vector<std::string> unknown;
  const auto wanting = [&](const Entity& e) { return !e.frozen && !ownerless_.count(e.number); };
  for (Move& move : share_out(world_, host_names(true), wanting, unknown)) said_later_.push_back(std::move(move));
  if (!warnings) return;
  for (const std::string& name : unknown)
    warnings->push_back("no host is named '" + name + "': its robots are placed round-robin");
}

void Conductor::start(Moment now, std::vector<std::string>& warnings) {
  EXPECTS(phase_ == Phase::kGather);
  place_unowned(&warnings);
  said_later_.clear();  // the image says who owns what
  asked_at_.reset();
  phase_ = Phase::kBoundary;
  pace_origin_ = now;
  pace_tick_ = tick_;
  tell_completed();
}

void Conductor::tell_completed() {
  telling_ = true;
  for (RunWatcher* watcher : watchers_) watcher->completed(run_, tick_, world_, inside_, mail_);
  telling_ = false;
}

// Who waits at the door comes in with the world as it stands at this boundary, edits included.
void Conductor::admit() {
  if (joining_.empty() && joining_guests_.empty()) return;
  say_edits();
  const std::vector<Payload> image = image_pieces(world_, run_, tick_, options_.image_chunk);  // the same for all
  const auto send_image = [&](Owner owner) {
    for (const Payload& piece : image) send_(owner, FrameType::kImage, piece);
  };
  for (Owner owner : joining_guests_) send_image(owner);
  fresh_guests_.insert(joining_guests_.begin(), joining_guests_.end());
  guests_.merge(joining_guests_);
  joining_guests_.clear();
  if (joining_.empty()) return;
  for (Owner owner : joining_) {
    send_image(owner);
    hosts_.at(owner).present = true;
    hosts_.at(owner).joined_at = tick_;
  }
  sources_stale_ = true;
  joining_.clear();
  for (auto& [number, inner] : std::exchange(resumed_, {}))
    said_later_.push_back(Move{number, world_.entity(world_.slot_of(number)).owner, std::move(inner)});
}

// ------------------------------------------------------------------------------------------------------ edits

void Conductor::submit(Edit edit, EditDone done) {
  pending_.push_back({std::move(edit), std::move(done)});
  if (phase_ == Phase::kBoundary && !telling_) apply_pending();
}

Status Conductor::submit(Input input) {
  if (inputs_.size() >= kMaxInputs) return fail(ErrorCode::kUnavailable, "too many commands for one tick");
  inputs_.push_back(std::move(input));
  return {};
}

bool Conductor::needs_transfer(const Edit& edit, std::vector<WorldNumber>& moving, Owner& from, Owner& to) const {
  const auto* attach = std::get_if<Attach>(&edit);
  if (!attach || !world_.check(edit)) return false;
  from = world_.entity(world_.slot_of(attach->child)).owner;
  to = world_.entity(world_.slot_of(attach->parent)).owner;
  if (from == to || from == kNobody) return false;
  moving = world_.with_descendants(attach->child);
  return true;
}

void Conductor::apply_pending() {
  admit();  // before a transfer: its owner must have the world that it is asked about
  while (!pending_.empty() && !transfer_) {
    std::vector<WorldNumber> moving;
    Owner from = kNobody, to = kNobody;
    if (needs_transfer(pending_.front().edit, moving, from, to)) {
      if (auto ok = may_move(world_, moving); !ok) {
        const Pending refused = std::move(pending_.front());
        pending_.pop_front();
        if (refused.done) refused.done(tl::unexpected(ok.error()));
        continue;
      }
      // An agent is never split: the child moves to its parent's host, with its inner state as of this boundary.
      say_edits();
      transfer_ = Transfer{from, to, moving, {}};
      send_(from, FrameType::kSurrender, save(Surrender{moving}));
      return;
    }
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    carry_out(next.edit, next.done);
  }
}

void Conductor::carry_out(Edit edit, const EditDone& done) {
  if (auto ok = world_.check(edit); !ok) {
    if (done) done(tl::unexpected(ok.error()));
    return;
  }
  if (auto* spawn = std::get_if<Spawn>(&edit);
      spawn && !(hosts_.count(spawn->owner) && hosts_.at(spawn->owner).present)) {
    const auto owner = place("");  // the chosen host has left meanwhile
    if (!owner) {
      if (done) done(tl::unexpected(owner.error()));
      return;
    }
    spawn->owner = *owner;
  }
  settle_ = sources_stale_ = true;
  const Tick tick = tick_;
  journal({run_, tick_, edit});
  said_later_.push_back(edit);
  const auto* reset = std::get_if<Reset>(&edit);
  if (reset && reset->entities.empty()) {
    reset_world();
    if (done) done(EditOutcome{tick, kNoEntity});
    return;
  }
  std::size_t erased = kNoSlot;
  if (const auto* e = std::get_if<Delete>(&edit)) erased = world_.slot_of(e->entity), ++deleted_;
  if (reset)
    for (WorldNumber number : reset->entities) inside_[world_.slot_of(number)] = {};
  if (const auto* e = std::get_if<Freeze>(&edit)) inside_[world_.slot_of(e->entity)] = {};
  if (const auto* e = std::get_if<PutBody>(&edit)) inside_[world_.slot_of(e->entity)] = {};
  const WorldNumber made = world_.apply(edit, now());
  if (made != kNoEntity) inside_.emplace_back(), ++spawned_;
  if (erased != kNoSlot) inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(erased));
  if (done) done(EditOutcome{tick, made});
}

void Conductor::reset_world() {
  say_edits();  // the reset itself is the last that is said in the old run
  world_.apply(Reset{}, instant(0));
  ++run_;
  tick_ = 0;
  digest_ = digest_seed_;
  endings_.clear();
  physics_faults_.clear();
  mail_.clear();
  inputs_.clear();
  fed_.clear();
  for (auto& [owner, through] : horizons_) through = 0;  // who holds the world holds the new one
  controllers_.forgive();
  inside_.assign(world_.snapshot().size(), {});
  ownerless_.clear();
  place_unowned(nullptr);
  settle_ = sources_stale_ = true;
  pace_tick_ = 0;
  pace_origin_ = last_now_;
  tell_completed();
}

Edits Conductor::take_edits() {
  return {run_, tick_, std::exchange(manifest_, {}), std::exchange(held_, {}), std::exchange(said_later_, {})};
}

// Hosts learn of the edits so far while the run waits.
void Conductor::say_edits() {
  if (said_later_.empty() && manifest_.empty() && held_.empty()) return;
  Edits frame = take_edits();
  std::vector<Edit> edits = std::exchange(frame.edits, {});
  std::size_t bytes = 0;
  for (Edit& edit : edits) {
    if (bytes >= kMaxChunk) {
      to_all(FrameType::kEdits, save(frame));
      frame = Edits{run_, tick_, {}, {}, {}};
      bytes = 0;
    }
    bytes += size_of(edit);
    frame.edits.push_back(std::move(edit));
  }
  to_all(FrameType::kEdits, save(frame));
}

Status Conductor::inner(Owner from, FrameType type, ByteView payload) {
  InnerBytes more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "agents' inner bytes are malformed");
  if (type == FrameType::kCheckpoint) {
    for (RunWatcher* watcher : watchers_) watcher->checkpointed(more.run, more.tick, more);
    return {};
  }
  // An answer to a transfer that has failed meanwhile is late, not wrong.
  if (!transfer_ || transfer_->from != from || more.run != run_ || more.tick != tick_) return {};
  for (auto& agent : more.agents)
    if (std::binary_search(transfer_->agents.begin(), transfer_->agents.end(), agent.number))
      transfer_->inner[agent.number] = std::move(agent.bytes);
  if (!more.last || transfer_->inner.size() < transfer_->agents.size()) return {};
  const Transfer transfer = std::move(*transfer_);
  transfer_.reset();
  for (WorldNumber number : transfer.agents) {
    Move move{number, transfer.to, transfer.inner.at(number)};
    world_.apply(move, now());
    said_later_.push_back(std::move(move));
    ++transfers_;
  }
  settle_ = sources_stale_ = true;
  apply_pending();
  return {};
}

// ------------------------------------------------------------------------------------------------------- ticks

void Conductor::find_sources() {
  if (!std::exchange(sources_stale_, false)) {
    for (auto& [owner, source] : sources_) {
      source.frames = source.records = source.messages = 0;
      source.inputs = 0;
      source.hash = 0;
      source.done = false;
    }
    return;
  }
  sources_.clear();
  for (Slot slot = 0; slot < world_.entities().size(); ++slot)
    if (const Owner owner = world_.entity(slot).owner;
        owner != kNobody && hosts_.count(owner) && hosts_.at(owner).present)
      sources_[owner].slots.push_back(slot);
  for (const auto& [owner, host] : hosts_)
    if (host.present) sources_[owner];  // hosts without agents say Done as well
}

void Conductor::open(Moment now) {
  const std::uint64_t elements = take_elements();
  digest_ = next_digest(digest_, tick_, world_, inside_);
  if (elements != 0) digest_ = chain(digest_, elements);
  for (RunWatcher* watcher : watchers_) watcher->chained(run_, tick_, digest_, world_, inside_);
  for (const Input& input : inputs_) journal({run_, tick_, input});
  if (options_.speed > 0 && now - pace_due() > kMaxLag) begin_pace(now);  // too slow for it: no sprint to catch up

  for (const Bytes& frame : encode_messages(run_, tick_, mail_)) to_all(FrameType::kMessages, frame);
  const bool many = said_later_.size() > kFewEdits || std::any_of(said_later_.begin(), said_later_.end(),
                                                                  [](const Edit& e) { return size_of(e) > kMaxChunk; });
  if (many) say_edits();
  tell_elements();
  const Open message{take_edits(), digest_, std::exchange(inputs_, {}), static_cast<std::uint32_t>(mail_.size()),
                     elements};
  to_all(FrameType::kOpen, save(message));
  opened_ = {run_, tick_};
  controllers_.opened(now, guests_);
  for (const Message& message : mail_) take_said(world_, message);
  mail_.clear();
  if (std::exchange(settle_, false)) world_.settle();
  inside_next_ = inside_;
  find_sources();
  for (auto& [owner, host] : hosts_) host.done = false, host.lagging_since = kNever;
  phase_ = Phase::kTick;
  tick_begun_ = now;
}

Status Conductor::states(Owner from, const Payload& payload) {
  StatesHeader header;
  const auto it = sources_.find(from);
  if (phase_ != Phase::kTick || it == sources_.end() || it->second.done || !peek_states(payload, header) ||
      header.run != run_ || header.tick != tick_ + 1 || header.owner != from)
    return fail(ErrorCode::kInvalid, "States for another boundary than the next");
  Source& source = it->second;
  const std::uint32_t before = source.records;
  const Status ok = decode_states(payload, world_, source.slots, instant(header.tick * nanos(setup_.tick)),
                                  inside_next_, source.records);
  if (!ok) return ok;
  ++source.frames;
  source.hash = chain(source.hash, payload.hash);
  updates_in_ += source.records - before;
  hosts_.at(from).states_bytes += payload.bytes.size();
  const Payload out = hosts_.size() + guests_.size() > 2 ? payload.shared() : payload;  // one copy for all
  for (const auto& [owner, host] : hosts_) {
    if (!host.present || owner == from) continue;
    send_(owner, FrameType::kStates, out);  // as it came: no second encoding
    updates_out_ += source.records - before;
  }
  for (Owner guest : guests_) send_(guest, FrameType::kStates, out);
  return {};
}

Status Conductor::messages(Owner from, ByteView payload) {
  Messages more;
  const auto it = sources_.find(from);
  if (phase_ != Phase::kTick || it == sources_.end() || it->second.done || !load(payload, more) || more.run != run_ ||
      more.tick != tick_ + 1)
    return fail(ErrorCode::kInvalid, "Messages for another boundary than the next");
  for (Message& message : more.messages) {
    const Slot slot = world_.slot_of(message.from);
    if (slot == kNoSlot || world_.entity(slot).owner != from)
      return fail(ErrorCode::kDenied, "a message in another agent's name");
    if (message.payload.size() > kMaxMessageBytes) return fail(ErrorCode::kInvalid, "a message is too large");
    ++it->second.messages;
    mail_.push_back(std::move(message));
  }
  return {};
}

Status Conductor::done(Owner from, ByteView payload, Moment now) {
  Done message;
  const auto it = sources_.find(from);
  if (!load(payload, message)) return fail(ErrorCode::kInvalid, "a Done frame is malformed");
  if (phase_ != Phase::kTick || it == sources_.end() || it->second.done || message.run != run_ ||
      message.tick != tick_ + 1)
    return fail(ErrorCode::kInvalid, "Done for another boundary than the next");
  Source& source = it->second;
  if (message.frames != source.frames || message.hash != source.hash || source.records != source.slots.size() ||
      message.messages != source.messages)
    return fail(ErrorCode::kInternal, "Done does not fit what came before: " + std::to_string(source.records) + " of " +
                                          std::to_string(source.slots.size()) + " states");
  source.done = true;
  HostStatus& host = hosts_.at(from);
  host.done = true;
  host.busy_ns += message.busy_ns;
  host.foreign_contacts += message.foreign_contacts;
  last_now_ = now;
  return {};
}

void Conductor::hold(WorldNumber number) {
  const Slot slot = world_.slot_of(number);
  if (slot == kNoSlot) return;
  world_.next().state(slot) = world_.snapshot().state(slot);
  std::copy(world_.snapshot().tail(slot).begin(), world_.snapshot().tail(slot).end(), world_.next().tail(slot).begin());
  inside_next_[slot] = inside_[slot];
}

void Conductor::complete(Moment) {
  if (!lost_.empty()) {
    std::sort(lost_.begin(), lost_.end());
    for (WorldNumber number : lost_) hold(number);
    std::erase_if(mail_, [&](const Message& m) { return std::binary_search(lost_.begin(), lost_.end(), m.from); });
    if (options_.journal_losses) journal({run_, tick_ + 1, Lost{lost_}});
    held_ = std::exchange(lost_, {});
    settle_ = true;
  }
  if (options_.sort_messages)
    std::sort(mail_.begin(), mail_.end(), [](const Message& a, const Message& b) {
      return std::pair(a.from, a.index) < std::pair(b.from, b.index);
    });
  for (const auto& [owner, source] : sources_)
    if (source.frames > 0 || source.done) manifest_.push_back({owner, source.frames, source.hash});
  world_.turn();
  std::swap(inside_, inside_next_);
  ++tick_;
  ++ticks_done_;
  note_endings();
  phase_ = Phase::kBoundary;
  tell_completed();
  if (steps_left_ > 0 && --steps_left_ == 0) {
    paused_ = true;
    if (auto said = std::exchange(steps_done_, nullptr)) said(tick_);
  }
}

void Conductor::end_run() {
  digest_ = next_digest(digest_, tick_, world_, inside_);
  for (RunWatcher* watcher : watchers_) watcher->chained(run_, tick_, digest_, world_, inside_);
  say_edits();
  to_all(FrameType::kFinish, {});
  phase_ = Phase::kOver;
  for (Pending& p : pending_)
    if (p.done) p.done(fail(ErrorCode::kState, "the run is over"));
  pending_.clear();
  if (auto said = std::exchange(steps_done_, nullptr)) said(tick_);
}

void Conductor::proceed(Moment now) {
  last_now_ = now;
  while (true) {
    if (phase_ == Phase::kTick) {
      const bool all = std::all_of(sources_.begin(), sources_.end(), [](const auto& s) { return s.second.done; });
      if (!all) {
        for (auto& [owner, host] : hosts_)
          if (host.present && !host.done && host.lagging_since == kNever) host.lagging_since = tick_begun_;
        return;
      }
      complete(now);
    }
    if (phase_ != Phase::kBoundary) return;
    const bool fed = ask_feed();
    apply_pending();
    if (transfer_) return;
    if (fed) continue;  // a reset leads to a boundary that the feed knows, too
    if (stop_asked_ || (options_.end > 0 && tick_ >= options_.end)) return end_run();
    if ((paused_ && steps_left_ == 0) || held_back()) return say_edits();
    if (now < deadline()) return;
    if (options_.end == 0 && nobody_here()) return say_edits();  // an endless run waits for somebody to come
    controllers_.give_up();                                      // on those who are not done by their deadline
    open(now);
  }
}

Moment Conductor::deadline() const {
  if (phase_ != Phase::kBoundary || transfer_ || (paused_ && steps_left_ == 0) || held_back()) return kNever;
  if (options_.end == 0 && nobody_here()) return kNever;
  return std::max(pace_due(), controllers_.until());
}

Moment Conductor::pace_due() const {
  if (options_.speed <= 0 || !horizons_.empty()) return Moment{};
  const double wall = seconds(Duration((tick_ - pace_tick_) * nanos(setup_.tick))) / options_.speed;
  return pace_origin_ + Duration(static_cast<std::int64_t>(wall * 1e9));
}

void Conductor::resume(Moment now) {
  paused_ = false;
  steps_left_ = 0;
  if (auto said = std::exchange(steps_done_, nullptr)) said(tick_);
  begin_pace(now);
  controllers_.begin_again(now);
}

Status Conductor::step(std::uint64_t ticks, std::function<void(Tick)> done) {
  if (!paused_) return fail(ErrorCode::kState, "not paused: step needs a paused run");
  if (steps_left_ > 0) return fail(ErrorCode::kState, "a step is in progress");
  if (ticks == 0) return fail(ErrorCode::kInvalid, "a step has at least one tick");
  steps_left_ = ticks;
  steps_done_ = std::move(done);
  begin_pace(last_now_);
  controllers_.begin_again(last_now_);
  return {};
}

Status Conductor::set_speed(double factor, Moment now) {
  options_.speed = factor;
  begin_pace(now);
  return {};
}

bool Conductor::nobody_here() const {
  return std::none_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h.second.present; });
}

bool Conductor::all_reported() const {
  return std::all_of(hosts_.begin(), hosts_.end(),
                     [](const auto& h) { return !h.second.present || h.second.reported; });
}

bool Conductor::on_frame(Owner from, FrameType type, const Payload& payload, Moment now) {
  Status ok;
  const auto it = hosts_.find(from);
  if (type == FrameType::kTickDone && guests_.count(from)) {
    if (ok = tick_done(from, payload); !ok && !trouble_) trouble_ = {from, ok.error()};
    return true;
  }
  if (it == hosts_.end() || !it->second.present) return false;
  switch (type) {
    case FrameType::kStates: ok = states(from, payload); break;
    case FrameType::kMessages: ok = messages(from, payload); break;
    case FrameType::kInputs: ok = own_inputs(from, payload); break;
    case FrameType::kDone: ok = done(from, payload, now); break;
    case FrameType::kAllow: ok = allow(from, payload, now); break;
    case FrameType::kCheckpoint:
    case FrameType::kSurrendered: ok = inner(from, type, payload); break;
    case FrameType::kAnswer: ok = questions_.answered(from, payload); break;
    case FrameType::kReport: ok = it->second.take_report(payload); break;
    default: return false;
  }
  if (!ok && !trouble_) trouble_ = {from, ok.error()};
  return true;
}

std::optional<std::pair<Owner, Error>> Conductor::take_trouble() { return std::exchange(trouble_, std::nullopt); }

const char* Conductor::phase_name() const {
  switch (phase_) {
    case Phase::kGather: return "gathering";
    case Phase::kBoundary: return "boundary";
    case Phase::kTick: return "running";
    case Phase::kOver: return "over";
  }
  return "";
}

std::string Conductor::digest_text() const { return hex16(digest_); }

}  // namespace convoy
