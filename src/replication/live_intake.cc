#include "replication/live_intake.h"

#include <cmath>

#include "world/dead_reckoning.h"

namespace convoy {

namespace {

constexpr std::uint64_t kCompareEvery = 16;  // states, and at most one of a batch; divergence is a sample

}  // namespace

bool LiveIntake::take(Owner from, const Datagram& datagram, Moment now, Drops& drops) {
  switch (datagram.type) {
    case DatagramType::kClock: answer_probe(from, datagram, now, drops); return true;
    case DatagramType::kStates: return states(from, datagram, drops);
    case DatagramType::kGoodbye:
    case DatagramType::kElement:
    case DatagramType::kElements:
    case DatagramType::kRegister:
    case DatagramType::kAnswer:
    case DatagramType::kRegistered: break;
  }
  drops.count(Drop::kUnexpected);
  return true;
}

void LiveIntake::answer_probe(Owner from, const Datagram& datagram, Moment now, Drops& drops) {
  ClockProbe probe;
  if (!read_probe(datagram.payload, probe)) return drops.count(Drop::kMalformed);
  probe.time = now.time_since_epoch().count();
  send_(from, DatagramType::kClock, short_run(books_.run), write_probe(probe));
}

bool LiveIntake::states(Owner from, const Datagram& datagram, Drops& drops) {
  const auto it = peers_.find(from);
  if (it == peers_.end()) return drops.count(Drop::kUnexpected), false;
  if (datagram.run != short_run(books_.run)) return drops.count(Drop::kOldRun), false;
  Peer& peer = it->second;
  if (!read_batches(datagram.payload, batches_)) return drops.count(Drop::kMalformed), true;
  const Instant now = pace_.farthest();
  HostStatus* host = peer.host ? &books_.roll.at(from) : nullptr;
  bool compared = false;  // it costs as much as taking ten states
  bool whole = true;
  for (const Batch& batch : batches_) {
    const auto each = [&](Slot slot, const std::uint8_t* record) {
      if (compared || !host || !mirror_.received(slot) || ++peer.compared % kCompareEvery != 0) return;
      compared = true;
      compare(peer, *host, slot, mirror_.state_of(slot, record, batch.origin, batch.stamp));
    };
    const Mirror::Taken taken = mirror_.take(batch, now, from, kNobody, drops, each);
    books_.counts.updates_in += taken.states;
    whole = whole && taken.whole;
    if (batch.stamp <= now + most_ahead_) peer.reached = std::max(peer.reached, batch.stamp);
  }
  if (host) host->states_bytes += datagram.payload.size();
  return whole;
}

// How far the states that owners send are from those that were expected.
void LiveIntake::compare(const Peer& peer, HostStatus& host, Slot slot, const State& after) const {
  const World& world = books_.world;
  const State expected = dead_reckoned(mirror_.known(slot), after.stamp, world.map(), world.radii()[slot.index()]);
  const Vec3 d = expected.pose.p - after.pose.p;
  const double distance = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  host.divergence = std::max(host.divergence, distance);
  host.mean_divergence += (distance - host.mean_divergence) / static_cast<double>(peer.compared / kCompareEvery);
}

}  // namespace convoy
