#include "testing/sim_net.h"

#include <algorithm>

#include "core/check.h"
#include "core/hash.h"

namespace convoy::testing {

namespace {

constexpr std::uint64_t kMostTurnsAtOnce = 100'000;  // more in one instant: some role's deadline never passes
constexpr Duration kClosesTogether = std::chrono::milliseconds(2);  // pieces this near may run together

Duration draw_latency(const PathProfile& path, Random& random) {
  if (path.jitter.count() <= 0) return path.latency;
  return path.latency +
         Duration(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(path.jitter.count()))));
}

}  // namespace

const char* name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::kSplit: return "split";
    case Trouble::kCoalesced: return "coalesced";
    case Trouble::kStall: return "stall";
    case Trouble::kCut: return "cut";
    case Trouble::kCutLostBytes: return "cut_lost_bytes";
    case Trouble::kRefused: return "refused";
    case Trouble::kHalfOpenServer: return "half_open_server";
    case Trouble::kHalfOpenClient: return "half_open_client";
    case Trouble::kBlackHole: return "black_hole";
    case Trouble::kVanished: return "vanished";
    case Trouble::kSlowLink: return "slow_link";
    case Trouble::kKill: return "kill";
    case Trouble::kServerStopped: return "server_stopped";
    case Trouble::kClientStopped: return "client_stopped";
    case Trouble::kClockJump: return "clock_jump";
    case Trouble::kDatagramLost: return "datagram_lost";
    case Trouble::kDatagramTwice: return "datagram_twice";
    case Trouble::kDatagramReordered: return "datagram_reordered";
    case Trouble::kDatagramDamaged: return "datagram_damaged";
    case Trouble::kCount: break;
  }
  return "unknown";
}

class SimNet::Side final : public Network {
 public:
  Side(SimNet& net, std::size_t index) : net_(net), index_(index) {}
  void send(LinkId link, ByteView bytes) override { net_.send(index_, link, bytes); }
  void close(LinkId link) override { net_.close(index_, link); }
  void send_datagram(const Endpoint& to, ByteView bytes) override { net_.send_datagram(index_, to, bytes); }
  LinkId connect() override { return net_.connect(index_); }
  std::size_t backlog(LinkId link) const override { return net_.backlog(index_, link); }

 private:
  SimNet& net_;
  std::size_t index_;
};

SimNet::SimNet(std::uint64_t seed) : random_{stream_key(seed, 0, "network"), 0} {
  seats_.emplace_back();
  seats_[0].network = std::make_unique<Side>(*this, 0);
  seats_[0].port = 1;
}
SimNet::~SimNet() = default;

Network& SimNet::server_network() { return *seats_[0].network; }

Network& SimNet::add_client(const PathProfile& path) {
  Seat& seat = seats_.emplace_back();
  seat.network = std::make_unique<Side>(*this, seats_.size() - 1);
  seat.path = path;
  seat.port = next_port_++;
  return *seat.network;
}

void SimNet::set_server(Role& server) { seats_[0].role = &server; }

void SimNet::set_client(std::size_t client, Role& role, Moment start) {
  seats_[client + 1].role = &role;
  seats_[client + 1].start = start;
}

bool SimNet::awake(std::size_t side) const {
  const Seat& seat = seats_[side];
  return seat.role && !seat.dead && seat.start <= now_ && !seat.role->finished();
}

void SimNet::push(Event event) {
  event.order = next_order_++;
  events_.push(std::move(event));
}

void SimNet::at(Moment when, std::function<void()> work) {
  Event event;
  event.due = std::max(when, now_);
  event.kind = Event::Kind::kWork;
  event.work = std::move(work);
  push(std::move(event));
}

// ------------------------------------------------------------------------------------------------------ links

// Behind what is on its way already: a lane keeps its order whatever the latencies are.
void SimNet::put(LinkId id, bool up, Item item) {
  Link& link = links_.at(id);
  Lane& lane = up ? link.up : link.down;
  const PathProfile& path = seats_[link.client].path;
  Moment sent = now_;
  if (path.bytes_per_second > 0 && !item.bytes.empty()) {
    if (lane.narrow_until > now_) count(Trouble::kSlowLink);
    lane.narrow_until =
        std::max(lane.narrow_until, now_) +
        Duration(static_cast<std::int64_t>(1e9 * static_cast<double>(item.bytes.size()) / path.bytes_per_second));
    sent = lane.narrow_until;
  }
  item.due = lane.last_due =
      std::max(lane.last_due, sent + draw_latency(path, random_) + (up ? path.slower_up : Duration{0}));
  lane.queued += item.bytes.size();
  Event event;
  event.due = item.due;
  event.link = id;
  event.up = up;
  lane.items.push_back(std::move(item));
  push(std::move(event));
}

void SimNet::put_bytes(LinkId id, bool up, ByteView bytes) {
  const PathProfile& path = seats_[links_.at(id).client].path;
  std::size_t pieces = 0;
  while (!bytes.empty()) {
    std::size_t n = bytes.size();
    if (n > 1 && pieces < 8 && random_.uniform() < path.split) n = 1 + random_.below(n);
    put(id, up, {Item::Kind::kBytes, {}, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n))});
    bytes = bytes.subspan(n);
    ++pieces;
  }
  if (pieces > 1) count(Trouble::kSplit);
}

LinkId SimNet::connect(std::size_t side) {
  const LinkId id = next_link_++;
  Link& link = links_[id];
  link.client = side;
  if (seats_[side].refused_until > now_) {
    count(Trouble::kRefused);
    link.down.open = true;
    put(id, false, {Item::Kind::kClosed, {}, {}});
    return id;
  }
  link.up.open = link.down.open = true;
  put(id, true, {Item::Kind::kOpened, {}, {}});
  return id;
}

void SimNet::send(std::size_t side, LinkId id, ByteView bytes) {
  const auto it = links_.find(id);
  if (it == links_.end() || bytes.empty()) return;
  const bool up = side != 0;
  if (!(up ? it->second.down : it->second.up).open) return;  // the sender has seen its end
  if ((up ? it->second.up : it->second.down).hole) return count(Trouble::kVanished);
  put_bytes(id, up, bytes);
}

void SimNet::close(std::size_t side, LinkId id) {
  const auto it = links_.find(id);
  if (it == links_.end()) return;
  const bool up = side != 0;
  Lane& mine = up ? it->second.down : it->second.up;  // what comes to the closer: no role receives it any more
  Lane& theirs = up ? it->second.up : it->second.down;
  if (!mine.open) return;
  mine.open = false;
  mine.items.clear();
  mine.queued = 0;
  if (theirs.open && !theirs.hole) put(id, up, {Item::Kind::kClosed, {}, {}});
  forget_if_over(id);
}

std::size_t SimNet::backlog(std::size_t side, LinkId id) const {
  const auto it = links_.find(id);
  return it == links_.end() ? 0 : (side != 0 ? it->second.up : it->second.down).queued;
}

void SimNet::forget_if_over(LinkId id) {
  const auto it = links_.find(id);
  if (it != links_.end() && !it->second.up.open && !it->second.down.open) links_.erase(it);
}

void SimNet::deliver_lane(LinkId id, bool up) {
  const auto it = links_.find(id);
  if (it == links_.end()) return;
  Lane& lane = up ? it->second.up : it->second.down;
  if (lane.items.empty() || lane.items.front().due > now_) return;  // went with another event
  if (lane.stalled_until > now_) {
    count(Trouble::kStall);
    Event event;
    event.due = lane.stalled_until;
    event.link = id;
    event.up = up;
    lane.items.front().due = lane.stalled_until;
    for (Item& item : lane.items) item.due = std::max(item.due, lane.stalled_until);
    lane.last_due = std::max(lane.last_due, lane.stalled_until);
    return push(std::move(event));
  }
  if (const Moment wakes = seats_[up ? 0 : it->second.client].stopped_until; wakes > now_) {
    if (up && lane.items.front().kind == Item::Kind::kOpened && !std::exchange(lane.items.front().opened, true))
      put(id, false, {Item::Kind::kOpened, {}, {}});
    for (Item& item : lane.items) item.due = std::max(item.due, wakes);
    lane.last_due = std::max(lane.last_due, wakes);
    Event event;
    event.due = wakes;
    event.link = id;
    event.up = up;
    return push(std::move(event));
  }
  const double coalesce = seats_[it->second.client].path.coalesce;
  Item item = std::move(lane.items.front());
  lane.items.pop_front();
  while (item.kind == Item::Kind::kBytes && !lane.items.empty() && lane.items.front().kind == Item::Kind::kBytes &&
         lane.items.front().due <= now_ + kClosesTogether && item.bytes.size() < 64 * 1024 &&
         (seats_[up ? 0 : it->second.client].stopped_until == now_ || random_.uniform() < coalesce)) {
    // The later one comes early: within the latency's own uncertainty. Who stood still reads all that has waited.
    const Bytes& more = lane.items.front().bytes;
    item.bytes.insert(item.bytes.end(), more.begin(), more.end());
    lane.items.pop_front();
    count(Trouble::kCoalesced);
  }
  lane.queued -= std::min(lane.queued, item.bytes.size());
  if (!lane.items.empty() && lane.items.front().due <= now_) {  // more is due: each event brings one delivery
    Event event;
    event.due = now_;
    event.link = id;
    event.up = up;
    push(std::move(event));
  }
  deliver(id, up, item);
}

void SimNet::deliver(LinkId id, bool up, const Item& item) {
  Link& link = links_.at(id);
  Lane& lane = up ? link.up : link.down;
  if (!lane.open) return;
  const std::size_t to = up ? 0 : link.client;
  if (!awake(to)) {
    if (to != 0 || !seats_[0].role) return;
    if (item.kind == Item::Kind::kOpened) {  // no server listens on the port
      count(Trouble::kRefused);
      lane.open = false;
      put(id, false, {Item::Kind::kClosed, {}, {}});
    }
    return;
  }
  note(static_cast<std::uint64_t>(item.kind), to, id, item.bytes);
  Role& role = *seats_[to].role;
  const Moment now = now_ + seats_[to].clock;
  switch (item.kind) {
    case Item::Kind::kOpened:  // the answer to the client comes before anything else
      if (up && !item.opened) put(id, false, {Item::Kind::kOpened, {}, {}});
      role.on_opened(id, now);
      break;
    case Item::Kind::kBytes: role.on_bytes(id, item.bytes, now); break;
    case Item::Kind::kClosed:
      lane.open = false;
      forget_if_over(id);
      role.on_closed(id, now);
      break;
  }
  role.on_time(now);
}

// -------------------------------------------------------------------------------------------------- datagrams

void SimNet::send_datagram(std::size_t side, const Endpoint& to, ByteView bytes) {
  std::size_t target = seats_.size();
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (Endpoint{0, 0, seats_[i].port} == to) target = i;
  if (target == seats_.size()) return count(Trouble::kDatagramLost);
  const PathProfile& path = seats_[side == 0 ? target : side].path;
  if (random_.uniform() < path.datagram_loss) return count(Trouble::kDatagramLost);
  const int copies = random_.uniform() < path.datagram_twice ? 2 : 1;
  if (copies == 2) count(Trouble::kDatagramTwice);
  for (int i = 0; i < copies; ++i) {
    Event event;
    event.kind = Event::Kind::kDatagram;
    event.due = now_ + draw_latency(path, random_) + (side != 0 ? path.slower_up : Duration{0});
    if (random_.uniform() < path.datagram_late) {
      event.due += 20 * path.latency;
      count(Trouble::kDatagramReordered);
    }
    event.to = target;
    event.from = {0, 0, seats_[side].port};
    event.bytes = Bytes(bytes.begin(), bytes.end());
    if (!event.bytes.empty() && random_.uniform() < path.datagram_damage) {
      event.bytes[random_.below(event.bytes.size())] ^= static_cast<std::uint8_t>(1u << random_.below(8));
      count(Trouble::kDatagramDamaged);
    }
    push(std::move(event));
  }
}

void SimNet::deliver_datagram(const Event& event) {
  if (!awake(event.to)) return;
  const Seat& seat = seats_[event.to];
  if (seat.stopped_until > now_) {
    Event later = event;
    later.due = seat.stopped_until;
    return push(std::move(later));
  }
  note(9, event.to, event.from.port, event.bytes);
  seat.role->on_datagram(event.from, event.bytes, now_ + seat.clock);
  seat.role->on_time(now_ + seat.clock);
}

// ---------------------------------------------------------------------------------------------------- troubles

std::vector<LinkId> SimNet::links_of(std::size_t client) const {
  std::vector<LinkId> ids;
  for (const auto& [id, link] : links_)
    if (link.client == client + 1 && link.up.open && link.down.open) ids.push_back(id);
  return ids;
}

bool SimNet::linked(std::size_t client) const { return !links_of(client).empty(); }

void SimNet::cut(std::size_t client) {
  for (LinkId id : links_of(client)) {
    count(Trouble::kCut);
    for (const bool up : {true, false}) {
      Lane& lane = up ? links_.at(id).up : links_.at(id).down;
      const std::size_t keep = lane.items.empty() ? 0 : random_.below(lane.items.size() + 1);
      for (std::size_t i = keep; i < lane.items.size(); ++i)
        if (lane.items[i].kind == Item::Kind::kBytes) count(Trouble::kCutLostBytes, lane.items[i].bytes.size());
      lane.items.resize(keep);
      lane.queued = 0;
      lane.hole = true;
      put(id, up, {Item::Kind::kClosed, {}, {}});
    }
  }
}

void SimNet::stall(std::size_t client, Duration how_long) {
  for (LinkId id : links_of(client)) {
    const bool both = random_.below(2) == 0;
    const bool up = random_.below(2) == 0;
    if (both || up) links_.at(id).up.stalled_until = now_ + how_long;
    if (both || !up) links_.at(id).down.stalled_until = now_ + how_long;
  }
}

void SimNet::half_open(std::size_t client, HalfOpen kind) {
  for (LinkId id : links_of(client)) {
    Link& link = links_.at(id);
    for (Lane* lane : {&link.up, &link.down}) lane->items.clear(), lane->hole = true, lane->queued = 0;
    switch (kind) {
      case HalfOpen::kBothBelieve: count(Trouble::kBlackHole); break;
      case HalfOpen::kServerBelieves:
        count(Trouble::kHalfOpenServer);
        put(id, false, {Item::Kind::kClosed, {}, {}});
        break;
      case HalfOpen::kClientBelieves:
        count(Trouble::kHalfOpenClient);
        put(id, true, {Item::Kind::kClosed, {}, {}});
        break;
    }
  }
}

void SimNet::refuse(std::size_t client, Duration how_long) { seats_[client + 1].refused_until = now_ + how_long; }

void SimNet::kill(std::size_t client) {
  if (seats_[client + 1].dead) return;
  count(Trouble::kKill);
  seats_[client + 1].dead = true;
  for (LinkId id : links_of(client)) links_.at(id).up.hole = links_.at(id).down.hole = true;
}

void SimNet::stop(std::size_t client, Duration how_long) {
  if (!awake(client + 1)) return;
  count(client == kServer ? Trouble::kServerStopped : Trouble::kClientStopped);
  seats_[client + 1].stopped_until = std::max(seats_[client + 1].stopped_until, now_ + how_long);
}

void SimNet::jump_clock(std::size_t client, Duration by) {
  if (!awake(client + 1)) return;
  count(Trouble::kClockJump);
  seats_[client + 1].clock += by;
}

void SimNet::rebind(std::size_t client) { seats_[client + 1].port = next_port_++; }

// --------------------------------------------------------------------------------------------------------- time

void SimNet::note(std::uint64_t what, std::uint64_t to, std::uint64_t link, ByteView bytes) {
  trace_ =
      chain(chain(trace_, static_cast<std::uint64_t>(nanos(now_.time_since_epoch()))), what << 56 | to << 48 | link);
  trace_ = chain(trace_, hash64(bytes));
}

void SimNet::run(Moment limit, const std::function<bool()>& until) {
  EXPECTS(seats_[0].role != nullptr);
  while (!until()) {
    Moment next = events_.empty() ? kNever : events_.top().due;
    std::size_t timer = seats_.size();
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      Seat& seat = seats_[i];
      if (!seat.role || seat.dead || seat.role->finished()) continue;
      const Moment wants = seat.role->deadline();
      const Moment due = std::max({wants == kNever ? wants : wants - seat.clock, seat.start, seat.stopped_until});
      if (due < next) next = due, timer = i;
    }
    if (next == kNever || next > limit) {
      now_ = std::max(now_, std::min(next, limit));
      return;
    }
    turns_at_once_ = next > now_ ? 0 : turns_at_once_ + 1;
    if (turns_at_once_ > kMostTurnsAtOnce) return;
    now_ = std::max(now_, next);
    if (timer < seats_.size()) {
      note(10, timer, 0, {});
      seats_[timer].role->on_time(now_ + seats_[timer].clock);
      continue;
    }
    Event event = std::move(const_cast<Event&>(events_.top()));
    events_.pop();
    switch (event.kind) {
      case Event::Kind::kLane: deliver_lane(event.link, event.up); break;
      case Event::Kind::kDatagram: deliver_datagram(event); break;
      case Event::Kind::kWork: event.work(); break;
    }
  }
}

}  // namespace convoy::testing
