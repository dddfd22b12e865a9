// What goes out: a round tells every peer what matters to it.
//
// Of a large world a round carries on only a share to the server's now, so that all have had their turn once a lap. The
// lists of who matters to whom are made from that, each peer's once a lap, and reach as much farther as anybody can have
// come meanwhile. What peers are told never waits for it: those are the owners' own 25 bytes.
#include <algorithm>
#include <utility>

#include "replication/live_server.h"
#include "world/edits/edits.h"

namespace convoy {

namespace {

constexpr Duration kLap = std::chrono::milliseconds(200);
constexpr std::size_t kPlacedAtLeast = 2048;  // in a round: smaller worlds are whole in each
constexpr std::int64_t kLapsBehind = 3;  // from the oldest place in the grid to the last use of a list made with it

}  // namespace

std::size_t LiveServer::rounds_of_lap() const {
  const std::size_t all = (world_.entities().size() + kPlacedAtLeast - 1) / kPlacedAtLeast;
  return std::clamp<std::size_t>(all, 1, std::max<std::size_t>(1, static_cast<std::size_t>(kLap / options_.period)));
}

void LiveServer::place_some(Instant now) {
  const std::size_t n = world_.entities().size(), rounds = rounds_of_lap();
  const Slot end = static_cast<Slot>(std::min(n, to_place_ + (n + rounds - 1) / rounds));
  for (; to_place_ < end; ++to_place_)
    if (interest_.owner(to_place_) != kNobody) mirror_.reckon(world_, to_place_, now);
  const bool whole = to_place_ == n;
  if (whole) {
    to_place_ = 0;
    world_.put_attached();
  }
  if (!whole && !grid_stale_) return;
  grid_stale_ = false;
  interest_.rebuild(world_, setup_.view_radius,
                    rounds > 1 ? options_.period * kLapsBehind * static_cast<std::int64_t>(rounds) : Duration{0});
}

const State& LiveServer::state(Slot slot) {
  Slot root = slot;
  while (world_.entity(root).parent != kNoEntity) root = world_.slot_of(world_.entity(root).parent);
  if (timeline_ && mirror_.reckon(world_, root, now())) world_.put_attached();
  return world_.snapshot().state(slot);
}

// Edits leave states as they are, or put them beside others': as of now.
void LiveServer::carry_on(const Edit& edit) {
  for (WorldNumber number : entities_of(edit))
    if (const Slot slot = world_.slot_of(number); slot != kNoSlot) state(slot);
}

// What a peer is told of: for a host what is about its agents, and slowly the rest; for others everything.
void LiveServer::wanted_by(Owner owner, Peer& peer, std::vector<Telling::Wanted>& out) {
  if (peer.host) return interest_.of(owner, world_, peer.trickle, out);
  out.clear();
  InterestRegion& region = peer.region;
  if (region.radius > 0) {
    if (const Slot slot = world_.slot_of(region.around); slot != kNoSlot)  // else where it was last
      region.x = state(slot).pose.p.x, region.y = state(slot).pose.p.y;
    return interest_.within(region.x, region.y, region.radius, world_, out);
  }
  for (Slot slot = 0; slot < world_.entities().size(); ++slot) out.push_back({slot, 0, false});
}

void LiveServer::round() {
  const Instant now = this->now();
  place_some(now);
  const std::uint64_t rounds = rounds_of_lap(), turn = rounds_++ % rounds;
  // MuJoCo robots meet each other's links, wherever they run; kinematic ones look at nobody's joints.
  const auto& models = world_.models();
  const bool joints =
      std::any_of(models.begin(), models.end(), [](const auto& model) { return !model->files.empty(); });
  for (auto& [owner, peer] : peers_) {
    if (owner % rounds == turn || !peer.listed) {
      peer.listed = true;
      wanted_by(owner, peer, wanted_);
      peer.telling.want(mirror_.shown().states, wanted_);
    }
    const Owner to = owner;
    updates_out_ += peer.telling.write(
        mirror_.shown(), {now, options_.budget, joints || !peer.host},
        [&](ByteView payload) { return send_datagram_(to, DatagramType::kStates, short_run(run_), payload); });
  }
}

}  // namespace convoy
