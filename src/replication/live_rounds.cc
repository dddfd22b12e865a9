#include "replication/live_rounds.h"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

constexpr Duration kLap = std::chrono::milliseconds(200);
constexpr std::size_t kPlacedAtLeast = 2048;  // in a round: smaller worlds are whole in each
constexpr std::int64_t kLapsBehind = 3;  // from the oldest place in the grid to the last use of a list made with it

}  // namespace

void LiveRounds::follow_world() {
  mirror_.follow(books_.world);
  interest_.follow(books_.world);
  to_place_ = 0;
  grid_stale_ = true;
  for (auto& [owner, peer] : peers_) peer.listed = false;
}

bool LiveRounds::set_region(Owner from, ByteView payload) {
  const auto peer = peers_.find(from);
  InterestRegion region;
  if (peer == peers_.end() || peer->second.host || !load(payload, region) || !region.sensible()) return false;
  peer->second.region = region;
  peer->second.listed = false;
  return true;
}

std::size_t LiveRounds::rounds_of_lap() const {
  const std::size_t all = (books_.world.entities().size() + kPlacedAtLeast - 1) / kPlacedAtLeast;
  return std::clamp<std::size_t>(all, 1, std::max<std::size_t>(1, static_cast<std::size_t>(kLap / options_.period)));
}

void LiveRounds::place_some(Instant now) {
  World& world = books_.world;
  const std::size_t n = world.entities().size(), rounds = rounds_of_lap();
  const std::size_t end = std::min(n, to_place_ + (n + rounds - 1) / rounds);
  for (; to_place_ < end; ++to_place_)
    if (const Slot slot(static_cast<std::uint32_t>(to_place_)); interest_.owner(slot) != kNobody)
      mirror_.reckon(world, slot, now);
  const bool whole = to_place_ == n;
  if (whole) {
    to_place_ = 0;
    world.put_attached();
  }
  if (!whole && !grid_stale_) return;
  grid_stale_ = false;
  const Duration lasts = rounds > 1 ? options_.period * kLapsBehind * static_cast<std::int64_t>(rounds) : Duration{0};
  interest_.rebuild(world, books_.setup.view_radius, lasts);
}

void LiveRounds::place_all() {
  World& world = books_.world;
  for (Slot slot : SlotRange(world.entities().size())) mirror_.reckon(world, slot, pace_.now());
  world.put_attached();
}

const State& LiveRounds::state(Slot slot) {
  World& world = books_.world;
  Slot root = slot;
  while (world.entity(root).parent != kNoEntity) root = world.slot_of(world.entity(root).parent);
  if (pace_.started() && mirror_.reckon(world, root, pace_.now())) world.put_attached();
  return world.snapshot().state(slot);
}

// What a peer is sent: for a host what is about its agents, and slowly the rest; for others everything, or their
// region.
void LiveRounds::list(Owner owner, Peer& peer) {
  const World& world = books_.world;
  InterestRegion& region = peer.region;
  if (peer.host) {
    interest_.of(owner, world, peer.trickle, wanted_);
  } else if (region.radius > 0) {
    if (const Slot slot = world.slot_of(region.around); slot != kNoSlot) {  // else where it was last
      const Vec3 p = state(slot).pose.p;
      region.x = p.x;
      region.y = p.y;
    }
    interest_.within(region.x, region.y, region.radius, world, wanted_);
  } else {
    wanted_.clear();
    for (Slot slot : SlotRange(world.entities().size())) wanted_.push_back({slot, 0, false});
  }
  peer.sender.want(mirror_.shown().states, wanted_);
  peer.listed = true;
}

bool LiveRounds::proceed(Moment now) {
  if (now < next_) return false;
  next_ = std::max(next_ + options_.period, now);
  round();
  return true;
}

void LiveRounds::round() {
  const Instant now = pace_.now();
  place_some(now);
  const std::uint64_t rounds = rounds_of_lap(), turn = rounds_++ % rounds;
  // MuJoCo robots meet each other's links, wherever they run; kinematic ones see no joints of others.
  const auto& models = books_.world.models();
  const bool joints =
      std::any_of(models.begin(), models.end(), [](const auto& model) { return !model->files.empty(); });
  for (auto& [owner, peer] : peers_) {
    if (owner.value() % rounds == turn || !peer.listed) list(owner, peer);
    const Owner to = owner;
    const auto send = [&](ByteView payload) {
      return send_(to, DatagramType::kStates, short_run(books_.run), payload);
    };
    books_.counts.updates_out += peer.sender.write(mirror_.shown(), {now, options_.budget, joints || !peer.host}, send);
  }
}

}  // namespace convoy
