#include "replication/live_server.h"

#include <algorithm>

#include "agent/software.h"
#include "session/world_image.h"

namespace convoy {

namespace {

constexpr Duration kLastWords = std::chrono::seconds(2);  // for hosts to reach the end

// Have all hosts reported that they have reached the tick?
bool all_reached(const Peers& peers, const Books& books, Tick tick) {
  return convoy::all_reached(peers, books.run, instant(tick * nanos(books.setup.tick)));
}

void show(std::span<LiveWatcher* const> watchers, const Books& books, const LivePace& pace, const Mirror& mirror) {
  for (LiveWatcher* watcher : watchers) watcher->shown(books.run, pace.tick(), pace.now(), books.world, mirror);
}

void enter(std::span<LiveWatcher* const> watchers, const JournalEntry& entry) {
  for (LiveWatcher* watcher : watchers) watcher->entered(entry);
}

}  // namespace

LiveServer::LiveServer(World world, const Setup& setup, LiveOptions options, SendFrame send,
                       const SendDatagram& send_datagram)
    : books_{.world = std::move(world), .setup = setup, .send = std::move(send), .elements = ElementEffects(setup)},
      options_(std::move(options)),
      pace_({.end = options_.end,
             .speed = options_.speed,
             .paused = options_.paused,
             .lead = options_.lead,
             .tick_length = setup.tick},
            [this](const Pace& pace) { to_all(FrameType::kPace, save(pace)); }),
      mirror_(options_.rules),
      rounds_(books_, pace_, mirror_, peers_, {.period = options_.period, .budget = options_.budget}, send_datagram),
      edits_(
          books_, pace_, rounds_, peers_,
          [this](const WaitingEdit& edit) { enter(options_.watchers, journalled(books_, pace_.tick(), edit)); },
          [this] { restart(); }),
      intake_(books_, pace_, mirror_, peers_, options_.rules.most_ahead, send_datagram) {
  books_.time = &pace_, books_.places = &samples_.places();
  forget_scene(books_.setup);
  rounds_.follow_world();
}

void LiveServer::to_all(FrameType type, const Payload& payload) {
  for (const auto& [owner, peer] : peers_) books_.send(owner, type, payload);
}

// ------------------------------------------------------------------------------------------------- membership

void LiveServer::join(Owner owner, std::string name) {
  books_.roll.join(owner, std::move(name));
  let_in(owner);
  return_robots(books_, owner);
  edits_.apply_waiting();
}

void LiveServer::attend(Owner owner, const std::string& name, Sees sees) {
  if (sees == Sees::kWhatIsOrdered) samples_.places().host_came(owner, name);
  let_in(owner);
}

void LiveServer::let_in(Owner owner) {
  if (pace_.started()) admit(owner, image());
  else at_the_door_.insert(owner);
}

std::vector<Payload> LiveServer::image() {
  rounds_.place_all();
  return image_pieces(books_.world, books_.run, pace_.tick(), options_.image_chunk);
}

// The world as it is, then the pace; what changes from here on follows in order.
void LiveServer::admit(Owner owner, const std::vector<Payload>& image) {
  for (const Payload& piece : image) books_.send(owner, FrameType::kImage, piece);
  Peer& peer = peers_[owner];
  peer.reached = pace_.now();
  peer.reached_run = books_.run;
  if (books_.roll.find(owner)) {
    peer.host = true;
    books_.roll.admit(owner, pace_.tick());
  }
  for (const Pace& pace : pace_.paces()) books_.send(owner, FrameType::kPace, save(pace));
  if (!peer.host) return;
  for (const Bytes& frame : encode_messages(books_.run, pace_.tick(), books_.elements.all()))
    books_.send(owner, FrameType::kMessages, frame);
}

void LiveServer::element(const ElementChanged& change) {
  enter(options_.watchers, {books_.run, pace_.tick(), change});
  if (pace_.started() && !end_.over) edits_.follow(change);
}

void LiveServer::leave(Owner owner) {
  books_.questions.left(owner);
  books_.seen.forget(owner);
  samples_.places().host_left(owner);
  at_the_door_.erase(owner);
  peers_.erase(owner);
  const bool took_part = books_.roll.leave(owner);
  if (!took_part || end_.over) return;
  const std::vector<WorldNumber> agents = agents_of(books_.world, owner);
  if (options_.leave != LeavePolicy::kRemove) books_.roll.leaves_behind(owner, agents);
  for (WorldNumber number : agents) {
    if (options_.leave == LeavePolicy::kRemove) edits_.carry_out({Delete{number}, nullptr, {}});
    else edits_.carry_out({Freeze{number}, nullptr, {}});
  }
  edits_.apply_waiting();
}

void LiveServer::start(Moment now, std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  share_out(
      books_.world, books_.roll.names(), [](const Entity& e) { return !e.frozen; }, unknown);
  for (const std::string& name : unknown)
    warnings.push_back("no host is named '" + name +
                       (is_for_one(name) ? "': its robot has no agent" : "': its robots are placed round-robin"));
  rounds_.follow_world();  // who owns what
  pace_.start(now);
  rounds_.start(now);
  const std::vector<Payload> same = image();  // for all that have waited
  for (Owner owner : std::exchange(at_the_door_, {})) admit(owner, same);
  samples_.places().begin(warnings);
  show(options_.watchers, books_, pace_, mirror_);
}

// ------------------------------------------------------------------------------------------------------- time

// A host farther behind than max_drift is named, or waited for.
void LiveServer::watch_drift() {
  const Instant now = pace_.now();
  bool any_late = false;
  for (auto& [owner, host] : books_.roll.all()) {
    if (!host.present) continue;
    const Peer& peer = peers_.at(owner);
    const bool late =
        peer.reached_run == books_.run && now - peer.reached > options_.max_drift + options_.period + options_.lead;
    if (!late) host.lagging_since = kNever;
    else if (host.lagging_since == kNever) host.lagging_since = pace_.last_now();
    any_late = any_late || late;
  }
  if (options_.drift != DriftPolicy::kSlow || pace_.paused()) return;
  const std::optional<Tick> held_at = pace_.held_at();
  if (any_late && !held_at) pace_.hold();
  else if (held_at && all_reached(peers_, books_, *held_at)) pace_.release();
}

void LiveServer::end_if_due() {
  if (!pace_.end_due()) return;
  if (end_.due_since == kNever) end_.due_since = pace_.last_now();
  if (!all_reached(peers_, books_, pace_.end()) && pace_.last_now() - end_.due_since < kLastWords) return;
  rounds_.round();
  show(options_.watchers, books_, pace_, mirror_);
  to_all(FrameType::kFinish, {});
  end_.over = true;
  pace_.end_step(pace_.tick());
}

void LiveServer::proceed(Moment now) {
  pace_.observe(now);
  if (!pace_.started() || end_.over) return;
  samples_.places().settle(edits_.take_moved());
  pace_.forget_past();
  if (const auto end = pace_.step_ends(); end && pace_.tick() >= *end && all_reached(peers_, books_, *end))
    pace_.end_step(*end);
  if (rounds_.proceed(now)) {
    show(options_.watchers, books_, pace_, mirror_);
    watch_drift();
  }
  end_if_due();
}

RunPosition LiveServer::position() const {
  RunPosition at;
  at.phase = end_.over ? "over" : pace_.started() ? "running" : "gathering";
  at.gathering = !pace_.started();
  at.over = end_.over;
  at.run = books_.run;
  at.now = pace_.now();
  at.tick = pace_.tick();
  at.next_tick = at.tick + 1;
  at.ticks_done = ticks_before_ + static_cast<std::uint64_t>(at.tick);
  return at;
}

// ------------------------------------------------------------------------------------------------------ edits

void LiveServer::submit(Edit edit, EditDone done) {
  books_.edits.add(std::move(edit), std::move(done));
  edits_.apply_waiting();
}

void LiveServer::restart() {
  ticks_before_ += static_cast<std::uint64_t>(pace_.tick());
  World& world = books_.world;
  world.apply(Reset{}, instant(0));
  ++books_.run;
  books_.endings.forget_faults();
  std::vector<std::string> unknown;
  const std::vector<Move> moves = share_out(
      world, books_.roll.names(), [](const Entity& e) { return !e.frozen; }, unknown);
  world.settle();
  mirror_.clear();
  books_.elements.clear();
  rounds_.follow_world();
  for (auto& [owner, peer] : peers_) {
    peer.sender.clear();
    peer.reached = instant(0);
    peer.reached_run = books_.run;
  }
  pace_.restart(books_.run);
  for (const Move& move : moves) edits_.send(move);
  show(options_.watchers, books_, pace_, mirror_);
}

Status LiveServer::submit(Input input) {
  const Slot slot = books_.world.slot_of(recipient(input));
  const Owner owner = slot == kNoSlot ? kNobody : books_.world.entity(slot).owner;
  if (peers_.count(owner) == 0) return fail(ErrorCode::kUnavailable, "nobody runs this robot");
  ++books_.counts.inputs;
  enter(options_.watchers, {books_.run, pace_.tick(), input});
  books_.send(owner, FrameType::kInputs, save(Inputs{books_.run, {std::move(input)}}));
  return {};
}

// ------------------------------------------------------------------------------------------------ what comes in

Status LiveServer::messages(Owner from, const Payload& payload) {
  Messages more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "a Messages frame is malformed");
  if (more.run != books_.run) return {};  // sent before it knew of the reset
  for (const Message& message : more.messages)
    if (message.payload.size() > kMaxMessageBytes) return fail(ErrorCode::kInvalid, "a message is too large");
  // Of an agent that has moved to another host while the message was on its way, or is gone: no agent gets it.
  const std::size_t others = std::erase_if(more.messages, [&](const Message& message) {
    const Slot slot = books_.world.slot_of(message.from);
    return slot == kNoSlot || books_.world.entity(slot).owner != from;
  });
  const std::size_t dropped = others + edits_.answer_requests(from, more.messages);
  for (const Message& message : more.messages) {
    apply_announcement(books_.world, message);
    if (books_.endings.note(message, books_.world, pace_.tick())) finish();
  }
  const Bytes rest = dropped > 0 ? save(more) : Bytes{};
  for (const auto& [owner, peer] : peers_) {
    if (!peer.host || owner == from || more.messages.empty()) continue;
    if (dropped > 0) books_.send(owner, FrameType::kMessages, rest);
    else books_.send(owner, FrameType::kMessages, payload);
  }
  return {};
}

bool LiveServer::on_frame(Owner from, FrameType type, const Payload& payload, Moment now) {
  pace_.observe(now);
  if (type == FrameType::kInterest) return rounds_.set_region(from, payload);
  if (samples_.on_frame(from, type, payload)) return true;
  if (!books_.roll.present(from)) return false;
  bool mine = true;
  if (const Status ok = take(from, type, payload, mine); !ok && !books_.trouble) books_.trouble = {from, ok.error()};
  return mine;
}

// Of a host.
Status LiveServer::take(Owner from, FrameType type, const Payload& payload, bool& mine) {
  switch (type) {
    case FrameType::kMessages: return messages(from, payload);
    case FrameType::kAnswer: return books_.questions.answered(from, payload);
    case FrameType::kReport: return books_.roll.at(from).take_report(payload);
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
    case FrameType::kDone:
    case FrameType::kCheckpoint:
    case FrameType::kEdits:
    case FrameType::kFinish:
    case FrameType::kPace:
    case FrameType::kInputs:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAsk:
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

bool LiveServer::on_datagram(Owner from, const Datagram& datagram, Moment now, Drops& drops) {
  pace_.observe(now);
  return intake_.take(from, datagram, now, drops);
}

void LiveServer::acked(Owner from, std::uint32_t datagram) {
  if (const auto it = peers_.find(from); it != peers_.end()) it->second.sender.acked(datagram);
}

}  // namespace convoy
