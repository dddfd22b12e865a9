#include "lockstep/conductor.h"

#include <algorithm>

namespace convoy {

namespace {

Status checkpointed(RunWatchers& watchers, ByteView payload) {
  InnerBytes more;
  if (!load(payload, more)) return fail(ErrorCode::kInvalid, "agents' inner bytes are malformed");
  watchers.checkpointed(more);
  return {};
}

// Has one of them given a robot to another host?
bool gives_away(const Edits& news) {
  return std::any_of(news.edits.begin(), news.edits.end(),
                     [](const Edit& edit) { return std::holds_alternative<Move>(edit); });
}

}  // namespace

Conductor::Conductor(World world, const Setup& setup, ConductorOptions options, SendFrame send)
    : books_{.world = std::move(world), .setup = setup, .send = std::move(send), .elements = ElementEffects(setup)},
      options_(std::move(options)),
      audience_(books_),
      barrier_(books_, audience_, watchers_, options_.barrier, digest_seed(setup)),
      controllers_(options_.wait_for, options_.deadline),
      pace_({.speed = options_.speed, .paused = options_.paused, .tick_length = setup.tick}, barrier_.place(),
            controllers_),
      elements_(books_.elements),
      playback_(books_, barrier_, elements_),
      edits_(books_, barrier_, audience_, watchers_, playback_, options_.image_chunk, [this] { restart(); }) {
  forget_scene(books_.setup);
  books_.time = &pace_, books_.places = &audience_.samples().places();
}

// ------------------------------------------------------------------------------------------------- membership

void Conductor::attend(Owner owner, const std::string& name, Sees sees) {
  if (sees == Sees::kWhatItAsksFor) return audience_.viewers().attend(owner);
  if (sees == Sees::kWhatIsOrdered) return audience_.samples().attend(owner, name);
  audience_.attend(owner);
  controllers_.join(owner, name);
}

void Conductor::leave(Owner owner) {
  books_.questions.left(owner);
  books_.seen.forget(owner);
  audience_.leave(owner);
  pace_.let_go(owner);
  controllers_.leave(owner);
  const bool took_part = books_.roll.leave(owner);
  if (!took_part || phase_ == Phase::kOver) return;
  const std::vector<WorldNumber> agents = agents_of(books_.world, owner);
  barrier_.lose(owner, agents);
  if (options_.leave != LeavePolicy::kRemove) books_.roll.leaves_behind(owner, agents);
  for (WorldNumber number : agents) {
    if (options_.leave == LeavePolicy::kRemove) books_.edits.add_first(Delete{number});
    else books_.edits.add_first(Freeze{number});
  }
}

void Conductor::start(Moment now, std::vector<std::string>& warnings) {
  EXPECTS(phase_ == Phase::kGather);
  std::vector<std::string> unknown;
  edits_.place_unowned(unknown);
  edits_.forget_news();  // the image contains who owns what
  for (const std::string& name : unknown)
    warnings.push_back("no host is named '" + name +
                       (is_for_one(name) ? "': its robot has no agent" : "': its robots are placed round-robin"));
  playback_.started();
  audience_.samples().places().begin(warnings);
  phase_ = Phase::kBoundary;
  pace_.begin(now);
  barrier_.report_completed();
}

// ------------------------------------------------------------------------------------------------------ edits

void Conductor::submit(Edit edit, EditDone done) {
  books_.edits.add(std::move(edit), std::move(done));
  if (phase_ == Phase::kBoundary && !watchers_.busy()) edits_.apply_waiting();
}

void Conductor::restart() {
  edits_.send_news();  // the reset itself is the last that is sent in the old run
  barrier_.reset();
  books_.endings.clear();
  elements_.restart();
  playback_.run_reset();
  std::vector<std::string> unknown;  // was named at the start
  edits_.place_unowned(unknown);
  pace_.run_reset();
  barrier_.report_completed();
}

void Conductor::send_edits() {
  if (phase_ == Phase::kBoundary) edits_.send_news();
}

// ------------------------------------------------------------------------------------------------------- ticks

void Conductor::open(Moment now) {
  const LockstepPlace place = barrier_.place();
  for (Absent& absent : controllers_.take_absent()) watchers_.entered({place.run, place.tick, std::move(absent)});
  const std::uint64_t elements = elements_.take(place.run, place.tick, watchers_);
  std::uint32_t index = 0;
  const auto move_body = [&](Edit edit) { edits_.carry_out_derived(std::move(edit), index++); };
  elements_.act(books_.world, move_body, edits_.take_hosts_came(), barrier_.messages());
  barrier_.chain_digest(elements);
  std::vector<Input> inputs = barrier_.opening_inputs().take(place, watchers_);
  pace_.tick_begins(now, audience_.guests());

  for (const Bytes& frame : encode_messages(place.run, place.tick, barrier_.messages()))
    audience_.to_hosts(FrameType::kMessages, frame);
  Edits news = edits_.take_news();
  audience_.samples().places().settle(gives_away(news));
  elements_.send(place.run, place.tick, audience_, books_.send);
  const Open message{std::move(news), barrier_.digest(), std::move(inputs),
                     static_cast<std::uint32_t>(barrier_.messages().size()), elements};
  audience_.open(message);
  audience_.viewers().show(place.tick, options_.image_chunk);
  barrier_.open();
  for (auto& [owner, host] : books_.roll.all()) host.done = false, host.lagging_since = kNever;
  phase_ = Phase::kTick;
}

void Conductor::complete() {
  books_.seen.deliver(books_.world, books_.setup.tick);
  edits_.completed(barrier_.complete());
  const std::size_t ended = books_.endings.software().size();
  for (const Message& message : barrier_.messages())
    if (books_.endings.note(message, books_.world, barrier_.place().tick)) stop_asked_ = true;
  if (options_.end_with_software && books_.endings.software().size() > ended &&
      books_.endings.all_software_ended(books_.world))
    stop_asked_ = true;
  phase_ = Phase::kBoundary;
  barrier_.report_completed();
  pace_.tick_done();
}

void Conductor::end_run() {
  barrier_.chain_digest(0);
  edits_.send_news();
  audience_.finish();
  phase_ = Phase::kOver;
  books_.edits.refuse_all(fail(ErrorCode::kState, "the run is over").value());
  pace_.run_over();
}

void Conductor::proceed(Moment now) {
  pace_.observe(now);
  while (true) {
    if (phase_ == Phase::kTick) {
      if (!barrier_.all_done()) {
        for (auto& [owner, host] : books_.roll.all())
          if (host.present && !host.done && host.lagging_since == kNever) host.lagging_since = pace_.tick_begun();
        return;
      }
      complete();
    }
    if (phase_ != Phase::kBoundary) return;
    const Playback::Asked asked = playback_.enter_boundary();
    if (asked == Playback::Asked::kLast) finish();
    edits_.apply_waiting();
    if (asked != Playback::Asked::kNothing) continue;  // a reset leads to a boundary that the feed knows, too
    if (stop_asked_ || (options_.end > 0 && barrier_.place().tick >= options_.end)) return end_run();
    if (pace_.at_rest()) return edits_.rest();
    if (now < deadline()) return;
    // An endless run waits for a host to join.
    if (options_.end == 0 && books_.roll.nobody_present()) return edits_.rest();
    controllers_.give_up();  // on those that are not done by their deadline
    open(now);
  }
}

Moment Conductor::deadline() const {
  if (phase_ != Phase::kBoundary || pace_.at_rest()) return kNever;
  if (options_.end == 0 && books_.roll.nobody_present()) return kNever;
  return pace_.due();
}

std::vector<std::string> Conductor::awaited() const {
  if (phase_ != Phase::kBoundary || deadline() == kNever) return {};
  return pace_.awaited();
}

// ------------------------------------------------------------------------------------------------ what comes in

bool Conductor::on_frame(Owner from, FrameType type, const Payload& payload, Moment now) {
  bool mine = true;
  Status ok;
  if (type == FrameType::kLook && audience_.viewers().has(from)) {
    audience_.viewers().asks(from);  // within a tick the world is still that of its beginning
    if (phase_ == Phase::kTick) audience_.viewers().show(barrier_.place().tick, options_.image_chunk);
    return true;
  }
  if (type == FrameType::kAnswer && books_.places->has(from)) ok = books_.questions.answered(from, payload);
  else if (type == FrameType::kSamples || type == FrameType::kOrders)
    ok = audience_.samples().on_frame(from, type, payload, barrier_.place(), options_.image_chunk);
  else if (type == FrameType::kTickDone && audience_.is_guest(from)) ok = pace_.program_done(from, payload);
  else if (books_.roll.present(from)) ok = host_frame(from, type, payload, now, mine);
  else return false;
  if (!ok && !books_.trouble) books_.trouble = {from, ok.error()};
  return mine;
}

Status Conductor::host_frame(Owner from, FrameType type, const Payload& payload, Moment now, bool& mine) {
  switch (type) {
    case FrameType::kStates: return barrier_.states(from, payload);
    case FrameType::kMessages: return barrier_.messages(from, payload);
    case FrameType::kInputs: return barrier_.inputs(from, payload);
    case FrameType::kDone: pace_.observe(now); return barrier_.done(from, payload);
    case FrameType::kAllow: {
      pace_.observe(now);
      const auto answer = pace_.allow(from, payload);
      if (!answer) return tl::unexpected(answer.error());
      if (*answer) books_.send(from, FrameType::kAllow, save(**answer));
      return {};
    }
    case FrameType::kCheckpoint: return checkpointed(watchers_, payload);
    case FrameType::kAnswer: return books_.questions.answered(from, payload);
    case FrameType::kReport: return books_.roll.at(from).take_report(payload);
    case FrameType::kLate: return audience_.samples().late(from, payload);
    case FrameType::kView:
    case FrameType::kWanted:
    case FrameType::kCosts:
    case FrameType::kPlaces:
    case FrameType::kOrders:
    case FrameType::kSamples:
    case FrameType::kIntroduce:
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
    case FrameType::kImage:
    case FrameType::kOpen:
    case FrameType::kEdits:
    case FrameType::kFinish:
    case FrameType::kPace:
    case FrameType::kElements:
    case FrameType::kPush:
    case FrameType::kTaken:
    case FrameType::kRequest:
    case FrameType::kReply:
    case FrameType::kTickDone:
    case FrameType::kInterest:
    case FrameType::kAsk: break;
  }
  mine = false;
  return {};
}

RunPosition Conductor::position() const {
  const LockstepPlace& place = barrier_.place();
  RunPosition at;
  switch (phase_) {
    case Phase::kGather: at.phase = "gathering"; break;
    case Phase::kBoundary: at.phase = "boundary"; break;
    case Phase::kTick: at.phase = "running"; break;
    case Phase::kOver: at.phase = "over"; break;
  }
  at.gathering = phase_ == Phase::kGather;
  at.over = phase_ == Phase::kOver;
  at.run = place.run;
  at.tick = place.tick;
  at.next_tick = place.next_tick();
  at.ticks_done = barrier_.ticks_done();
  at.now = instant(place.tick * nanos(books_.setup.tick));
  at.digest = barrier_.digest();
  return at;
}

}  // namespace convoy
