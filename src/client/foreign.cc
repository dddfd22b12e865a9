#include "client/foreign.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr std::size_t kAckAfter = 16;  // datagrams: an acknowledgement covers 33

SessionOptions as_guest(SessionOptions options, PeerRole role) {
  options.role = role;
  options.datagrams = options.load_setup = true;
  return options;
}

// The server has checked the stamps already, against a clock that is a little ahead of ours.
ElementOptions as_mirror() {
  ElementOptions options;
  options.mirror = true;
  options.future = std::chrono::hours(24 * 365);
  return options;
}

}  // namespace

ForeignRole::ForeignRole(ForeignOptions options, ElementTypes types, Network& network)
    : options_(std::move(options)),
      types_(std::move(types)),
      session_(as_guest(options_.session, options_.role), network, *this),
      others_(as_mirror()) {}

void ForeignRole::end_with(Error error) {
  if (!failure_) failure_ = std::move(error);
  session_.leave();
}

std::optional<Error> ForeignRole::end() const {
  if (failure_) return failure_;
  if (guest_ && guest_->finished()) return Error{ErrorCode::kState, "the run is over", {}};
  return session_.ended();
}

void ForeignRole::setup_loaded(ByteView bytes, Moment) {
  Setup setup;
  if (!load(bytes, setup))
    return end_with({ErrorCode::kInvalid, "the scenario that the server sent cannot be read", {}});
  guest_ = Guest::make(
      setup, session_.free_mode(),
      [this](DatagramType type, std::uint16_t run, ByteView payload) {
        return session_.send_datagram(type, 0, run, payload);
      },
      options_.role == PeerRole::kViewer ? Guest::Look([this] { session_.send(FrameType::kLook, Bytes{}); })
                                         : Guest::Look());
  if (guest_->trouble()) return end_with(*guest_->trouble());
  if (options_.loaded) options_.loaded(setup, guest_->world());
}

void ForeignRole::frame(FrameType type, ByteView payload, Moment now) {
  if (type == FrameType::kUserData) {
    user_data_.emplace_back(payload.begin(), payload.end());
    if (user_data_.size() > kMaxUserData) user_data_.pop_front();
    return;
  }
  if (type == FrameType::kReply) {
    proto::Reply reply;
    if (!reply.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return session_.drops().count(Drop::kMalformed);
    const auto open = open_calls_.find(reply.id());
    if (open == open_calls_.end()) return session_.drops().count(Drop::kUnexpected);  // no call waits for it any more
    open->second = std::move(reply);
    return;
  }
  if (type == FrameType::kElements) return take({DatagramType::kElement, 0, payload}, 0, now);
  if (type == FrameType::kSamples && options_.samples && running()) return options_.samples(payload);
  if (!guest_ || !guest_->on_frame(type, {payload, session_.payload_hash()}))
    return session_.drops().count(Drop::kUnexpected);
  if (guest_->trouble()) return end_with(*guest_->trouble());
  follow_run();
}

void ForeignRole::reckon(Moment now) {
  guest_->reckon(now);
  if (!in_ticks()) return;
  if (std::exchange(shown_run_, run_) != run_) forget_others();
  take_elements(now);
}

// What took effect at boundaries, mine left out. The server has checked it all; here only the types may be unknown.
void ForeignRole::take_elements(Moment now) {
  for (ElementChanged& change : guest_->take_elements()) {
    if (change.connection == session_.number()) continue;
    const ElementTypeId type = element_type_id(change.type);
    if (!types_.find(type)) {
      session_.drops().count(Drop::kUnknownElementType);
      continue;
    }
    const ElementKey key{change.connection, change.id};
    // One that went and came again within a tick has only changed, and may have an older stamp.
    const Element* known = others_.find(key);
    if (change.kind == ElementChanged::Kind::kGone || (known && known->stamp >= change.stamp)) others_.retract(key);
    const bool for_me = change.reach.to.empty() || is_addressed_to(change.reach, session_.name());
    if (!for_me) others_.retract(key);
    if (!for_me || change.kind == ElementChanged::Kind::kGone) continue;
    auto element = types_.parse(type, types_.with_connection(type, change.connection, change.bytes));
    if (element) others_.apply(kNobody, std::move(*element), sim_now(now));
    else session_.drops().count(Drop::kMalformed);
  }
}

// A reset of the world: elements of both sides are gone, their stamps were of another time.
void ForeignRole::follow_run() {
  if (guest_->run() == run_) return;
  run_ = guest_->run();
  mine_.clear();
  dirty_.clear(), sent_.clear(), gone_.clear();
  sender_.clear();
  if (!in_ticks()) forget_others();
}

void ForeignRole::forget_others() {
  std::vector<Owner> owners;
  for (const auto& [key, stored] : others_.elements())
    if (owners.empty() || owners.back() != key.connection) owners.push_back(key.connection);
  for (Owner owner : owners) others_.remove(owner);
}

void ForeignRole::take(const RawPayload& raw, std::uint32_t seq, Moment now) {
  ParsedPayload parsed = parse_payload(types_, raw);
  if (parsed.trouble != PacketTrouble::kNone) return session_.drops().count(Drop::kMalformed);
  session_.drops().count(Drop::kUnknownElementType, parsed.refused_for(ElementTrouble::kUnknownType));
  others_.apply(kNobody, std::move(parsed), running() ? sim_now(now) : instant(0), seq);
}

bool ForeignRole::datagram(const Datagram& datagram, Moment now) {
  if (!guest_) return session_.drops().count(Drop::kUnexpected), true;
  bool of_use = true;
  if (datagram.type != DatagramType::kElement && datagram.type != DatagramType::kElements) {
    if (datagram.type == DatagramType::kStates) ++unacknowledged_;
    of_use = guest_->on_datagram(datagram, now, session_.drops());
  } else if (datagram.run != static_cast<std::uint16_t>(run_)) {
    session_.drops().count(Drop::kOldRun);
    of_use = false;  // perhaps of a run whose beginning is still on its way
  } else {
    if (!ElementSender::is_beat(datagram)) ++unacknowledged_;
    take({datagram.type, datagram.flags, datagram.payload}, datagram.seq, now);
  }
  if (unacknowledged_ >= kAckAfter) sender_.beat(source());
  return of_use;
}

ElementSender::Access ForeignRole::source() {
  return {[this](const ElementKey& key) {
            const auto it = mine_.find(key);
            return it == mine_.end() ? nullptr : &it->second;
          },
          [this] {
            std::vector<ElementKey> keys;
            for (const auto& [key, element] : mine_) keys.push_back(key);
            return keys;
          },
          [this](DatagramType type, std::uint8_t flags, ByteView payload) {
            unacknowledged_ = 0;
            return session_.send_datagram(type, flags, static_cast<std::uint16_t>(run_), payload);
          },
          [this](const Bytes& payload) { session_.send(FrameType::kElements, payload); }};
}

void ForeignRole::on_time(Moment now) {
  if (!started_) {
    started_ = true;
    session_.start(now);
  }
  session_.on_time(now);
  if (session_.ended() || !guest_) return;
  if (session_.registered()) guest_->on_time(now);
  if (running() && in_ticks() && !only_when_done_) send_pushes();
  if (running() && !in_ticks() && sender_.due() <= now) sender_.write(source(), now, options_.budget);
  if (now >= next_send_ && unacknowledged_ > 0) {
    sender_.beat(source());
    next_send_ = now + options_.period;
  }
  session_.flush();
}

Moment ForeignRole::deadline() const {
  if (!started_) return Moment{};
  Moment next = session_.deadline();
  if (session_.ended() || !guest_) return next;
  if (session_.registered()) next = std::min(next, guest_->deadline());
  if (running() && !in_ticks()) next = std::min(next, sender_.due());
  if (running() && in_ticks() && !only_when_done_ && dirty_.size() + gone_.size() > 0) return Moment{};
  return unacknowledged_ > 0 ? std::min(next, next_send_) : next;
}

Status ForeignRole::push(Element element) {
  const ElementKey key = element.key();
  if (mine_.size() >= kMaxOwnElements && !mine_.count(key))
    return fail(ErrorCode::kUnavailable, "at most " + std::to_string(kMaxOwnElements) + " elements of one client");
  mine_.insert_or_assign(key, std::move(element));
  if (in_ticks()) dirty_.insert(key.id);
  else sender_.changed(key);
  return {};
}

void ForeignRole::retract(ElementId id) {
  if (mine_.erase({session_.number(), id}) == 0) return;
  if (!in_ticks()) return sender_.gone();
  dirty_.erase(id);
  if (sent_.erase(id) > 0) gone_.insert(id);
}

void ForeignRole::send_pushes() {
  if (dirty_.empty() && gone_.empty()) return;
  std::vector<Push::Set> set;
  for (ElementId id : dirty_) {
    const auto it = mine_.find({session_.number(), id});
    if (it != mine_.end()) set.push_back({it->second.type, it->second.bytes});
  }
  for (const Bytes& frame : encode_push(run_, {gone_.begin(), gone_.end()}, std::move(set)))
    session_.send(FrameType::kPush, frame);
  sent_.merge(dirty_);
  dirty_.clear(), gone_.clear();
}

std::optional<RunTick> ForeignRole::begun() const {
  if (!guest_ || !guest_->begun()) return std::nullopt;
  return RunTick{guest_->run(), *guest_->begun()};
}

void ForeignRole::tick_done(const RunTick& tick) {
  only_when_done_ = true;
  if (done_ == tick) return;
  done_ = tick;
  send_pushes();
  session_.send(FrameType::kTickDone, save(TickDone{tick.first, tick.second}));
}

void ForeignRole::set_interest(const InterestRegion& region) { session_.send(FrameType::kInterest, save(region)); }

std::uint64_t ForeignRole::ask(proto::Request request) {
  request.set_id(++calls_);
  open_calls_[calls_];
  const std::string text = request.SerializeAsString();
  session_.send(FrameType::kRequest, as_bytes(text));
  return calls_;
}

std::optional<proto::Reply> ForeignRole::take_reply(std::uint64_t id) {
  const auto open = open_calls_.find(id);
  if (open == open_calls_.end() || !open->second) return std::nullopt;
  std::optional<proto::Reply> reply = std::move(open->second);
  open_calls_.erase(open);
  return reply;
}

}  // namespace convoy
