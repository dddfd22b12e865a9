#include "replication/element_exchange.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"
#include "wire/lockstep.h"

namespace convoy {

namespace {

constexpr std::size_t kAckAfter = 16;  // datagrams: an acknowledgement covers 33

Drop drop_of(PacketTrouble trouble) { return trouble == PacketTrouble::kTooLarge ? Drop::kTooLarge : Drop::kMalformed; }

Drop drop_of(ElementTrouble trouble) {
  switch (trouble) {
    case ElementTrouble::kUnknownType: return Drop::kUnknownElementType;
    case ElementTrouble::kTooLarge: return Drop::kTooLarge;
    case ElementTrouble::kNotFinite: return Drop::kNotFinite;
    default: return Drop::kMalformed;
  }
}

constexpr std::array<std::pair<ElementDrop, Drop>, 8> kRefusals{{
    {ElementDrop::kForeign, Drop::kForeignElement},
    {ElementDrop::kOtherType, Drop::kWrongElementType},
    {ElementDrop::kOldStamp, Drop::kStaleStamp},
    {ElementDrop::kFuture, Drop::kFutureStamp},
    {ElementDrop::kTooMany, Drop::kTooManyElements},
    {ElementDrop::kGone, Drop::kElementGone},
    {ElementDrop::kOldList, Drop::kOldList},
    {ElementDrop::kBadList, Drop::kBadList},
}};

}  // namespace

Result<std::unique_ptr<ElementExchange>> ElementExchange::make(ElementExchangeOptions options, Send send,
                                                               SendDatagram send_datagram, Keep keep) {
  auto types = ElementTypes::make(options.types);
  if (!types) return tl::unexpected(types.error());
  return std::unique_ptr<ElementExchange>(new ElementExchange(std::move(*types), std::move(options), std::move(send),
                                                              std::move(send_datagram), std::move(keep)));
}

ElementExchange::ElementExchange(ElementTypes types, ElementExchangeOptions options, Send send,
                                 SendDatagram send_datagram, Keep keep)
    : types_(std::move(types)),
      options_(std::move(options)),
      send_(std::move(send)),
      send_datagram_(std::move(send_datagram)),
      keep_(std::move(keep)),
      store_(options_.store) {
  if (!options_.handlers) return;
  EXPECTS(keep_ != nullptr);
  intake_ = std::make_unique<ElementIntake>(types_, *options_.handlers, options_.waiting);
}

void ElementExchange::attend(Owner owner) {
  ElementSender& sender = peers_[owner].sender;
  peers_[owner].attends = true;
  for (const auto& [key, stored] : store_.elements())
    if (recipients_.reaches(key, owner)) sender.changed(key);
  sender.gone();  // that there are none is news, too
}

void ElementExchange::leave(Owner owner) {
  peers_.erase(owner);
  store_.remove(owner);
  if (options_.by_tick && names_.count(owner) > 0) left_.push_back(owner);
  note_changes();
  if (!options_.by_tick) names_.erase(owner);
}

ElementSender::Access ElementExchange::source(Owner to) {
  return {[this](const ElementKey& key) { return store_.find(key); },
          [this, to] {
            std::vector<ElementKey> keys;
            for (const auto& [key, stored] : store_.elements())
              if (recipients_.reaches(key, to)) keys.push_back(key);
            return keys;
          },
          [this, to](DatagramType type, std::uint8_t flags, ByteView payload) {
            if (const auto it = peers_.find(to); it != peers_.end()) it->second.unacknowledged = 0;
            return send_datagram_(to, type, flags, static_cast<std::uint16_t>(run_), payload);
          },
          [this, to](const Bytes& payload) { send_(to, FrameType::kElements, payload); }};
}

void ElementExchange::note_changes() {
  if (options_.by_tick) return;  // take() asks
  for (const ElementChange& change : store_.changes()) {
    ElementChanged told = journalled(static_cast<ElementChanged::Kind>(change.kind), change.key, change.type);
    recipients_.note(told);
    if (changed_) changed_(recipients_.checked(std::move(told)));
    for (auto& [owner, peer] : peers_) {
      if (!peer.attends || owner == change.key.connection) continue;
      if (change.kind == ElementChange::Kind::kGone || !recipients_.reaches(change.key, owner)) peer.sender.gone();
      else peer.sender.changed(change.key);
    }
  }
}

void ElementExchange::apply(Owner from, ParsedPayload parsed, Instant now, std::uint32_t seq, Drops& drops) {
  if (parsed.trouble != PacketTrouble::kNone) return drops.count(drop_of(parsed.trouble));
  for (std::size_t i = 0; i < parsed.refused.size(); ++i)
    drops.count(drop_of(static_cast<ElementTrouble>(i)), parsed.refused[i]);
  apply(drops, [&] { store_.apply(from, std::move(parsed), now, seq); });
}

void ElementExchange::apply(Drops& drops, const std::function<void()>& apply) {
  std::array<std::uint64_t, kRefusals.size()> before{};
  for (std::size_t i = 0; i < kRefusals.size(); ++i) before[i] = store_.count(kRefusals[i].first);
  apply();
  for (std::size_t i = 0; i < kRefusals.size(); ++i)
    drops.count(kRefusals[i].second, store_.count(kRefusals[i].first) - before[i]);
  note_changes();
}

// What it sends goes again until it is acknowledged: at the next round, or before an answer could not reach back.
void ElementExchange::receive(Owner from, const Datagram& datagram) {
  Peer& peer = peers_[from];
  if (!ElementSender::is_beat(datagram) && ++peer.unacknowledged >= kAckAfter) peer.sender.beat(source(from));
}

ElementIntake::Each ElementExchange::hand_over(Drops& drops) {
  return [this, &drops](ArrivedElements& arrived) {
    if (!keep_(arrived.from, arrived.seq)) return drops.count(Drop::kUnknownConnection);
    const bool frame = arrived.seq == 0;
    if (!frame)
      receive(arrived.from, {arrived.type, arrived.flags, 0, arrived.from, arrived.seq, 0, 0, arrived.payload});
    if (arrived.run != run_) return drops.count(Drop::kOldRun);
    apply(arrived.from, std::move(arrived.parsed), arrived.now, arrived.seq, drops);
  };
}

void ElementExchange::push(Owner from, ByteView payload, Instant now, Drops& drops) {
  Push push;
  if (!load(payload, push)) return drops.count(Drop::kMalformed);
  if (push.run != run_) return drops.count(Drop::kOldRun);
  for (ElementId id : push.gone) store_.retract({from, id});
  for (const Push::Set& set : push.set) {
    auto element = types_.parse(set.type, set.bytes);
    if (!element) drops.count(drop_of(element.error()));
    else apply(drops, [&] { store_.apply(from, std::move(*element), now); });
  }
}

void ElementExchange::on_frame(Owner from, FrameType type, ByteView payload, Instant now, Drops& drops) {
  if (type == FrameType::kPush)
    return options_.by_tick ? push(from, payload, now, drops) : drops.count(Drop::kUnexpected);
  constexpr DatagramType kType = DatagramType::kElement;
  if (!intake_) return apply(from, parse_payload(types_, {kType, 0, payload}), now, 0, drops);
  intake_->put({from, kType, 0, 0, run_, now, Bytes(payload.begin(), payload.end()), {}}, drops, hand_over(drops));
}

bool ElementExchange::on_datagram(Owner from, const Datagram& datagram, Instant now, Drops& drops) {
  if (datagram.run != static_cast<std::uint16_t>(run_)) return drops.count(Drop::kOldRun), true;
  if (!intake_) {
    receive(from, datagram);
    apply(from, parse_payload(types_, {datagram.type, datagram.flags, datagram.payload}), now, datagram.seq, drops);
    return true;
  }
  Bytes payload(datagram.payload.begin(), datagram.payload.end());
  intake_->put({from, datagram.type, datagram.flags, datagram.seq, run_, now, std::move(payload), {}}, drops,
               hand_over(drops));
  return false;
}

void ElementExchange::collect(Drops& drops) {
  if (intake_ && !intake_->empty()) intake_->turn(hand_over(drops));
}

void ElementExchange::catch_up(Drops& drops) {
  if (intake_ && !intake_->empty()) intake_->catch_up(hand_over(drops));
}

void ElementExchange::acked(Owner peer, std::uint32_t datagram) {
  if (const auto it = peers_.find(peer); it != peers_.end()) it->second.sender.acked(datagram);
}

// A reset: all elements are gone. In lockstep no entry is needed for that: the reset is in the journal.
void ElementExchange::follow(std::uint32_t run) {
  if (run == run_) return;
  run_ = run;
  std::vector<Owner> owners;
  for (const auto& [key, stored] : store_.elements())
    if (owners.empty() || owners.back() != key.connection) owners.push_back(key.connection);
  for (Owner owner : owners) store_.remove(owner);
  note_changes();
  if (options_.by_tick) store_.changes();
}

ElementChanged ElementExchange::journalled(ElementChanged::Kind kind, const ElementKey& key, ElementTypeId type) const {
  ElementChanged out{names_.at(key.connection), key.connection, key.id, kind, types_.find(type)->name, 0, {}, {}};
  if (kind == ElementChanged::Kind::kGone) return out;
  const Element& element = *store_.find(key);
  out.stamp = element.stamp;
  out.bytes = types_.without_connection(type, element.bytes);
  out.reach = types_.reach(element);
  return out;
}

namespace {

// Names, because connection numbers depend on the order in which programs came. What an older member of the name left
// behind comes first: its number is smaller.
void put_in_order(std::vector<ElementChanged>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return std::tie(a.owner, a.id) < std::tie(b.owner, b.id); });
}

}  // namespace

std::vector<ElementChanged> ElementExchange::take(std::uint32_t run) {
  follow(run);
  std::vector<ElementChanged> out;
  for (const ElementChange& change : store_.changes())
    out.push_back(
        recipients_.checked(journalled(static_cast<ElementChanged::Kind>(change.kind), change.key, change.type)));
  put_in_order(out);
  for (Owner owner : std::exchange(left_, {})) names_.erase(owner);
  return out;
}

std::vector<ElementChanged> ElementExchange::all() const {
  std::vector<ElementChanged> out;
  for (const auto& [key, stored] : store_.elements())
    out.push_back(journalled(ElementChanged::Kind::kAppeared, key, stored.element.type));
  put_in_order(out);
  return out;
}

void ElementExchange::proceed(std::uint32_t run, Moment now) {
  follow(run);
  if (now < next_round_) return;
  bool any = false;
  for (auto& [owner, peer] : peers_) {
    if (peer.unacknowledged == 0 && peer.sender.due() > now) continue;
    any = true;
    peer.sender.write(source(owner), now, options_.budget);
    if (peer.unacknowledged > 0) peer.sender.beat(source(owner));
  }
  if (any) next_round_ = now + options_.period;
}

Moment ElementExchange::deadline() const {
  Moment next = kNever;
  for (const auto& [owner, peer] : peers_)
    next = std::min(next, peer.unacknowledged > 0 ? next_round_ : std::max(next_round_, peer.sender.due()));
  return next;
}

}  // namespace convoy
