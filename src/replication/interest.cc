#include "replication/interest.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace convoy {

namespace {

constexpr std::size_t kSmallWorld = 1000;  // entities: all of them go to every host, the far ones last
constexpr std::size_t kTrickle = 32;       // of a larger world, what is out of view comes round by so many at a time
constexpr float kFar = 100;                // m; urgency of what is out of view

}  // namespace

void Interest::follow(const World& world) {
  const std::size_t n = world.entities().size();
  owners_.resize(n);
  slots_of_.clear();
  for (Slot slot : SlotRange(n)) {
    owners_[slot] = world.entity(slot).owner;
    slots_of_[owners_[slot]].push_back(slot);
  }
  marked_.assign(n, 0);
  mark_ = 0;
}

void Interest::rebuild(const World& world, double view_radius, Duration lasts) {
  radius_ = view_radius + kInterestMargin;
  radii_ = world.radii();
  reaches_.resize(radii_.size());
  const double seconds = static_cast<double>(lasts.count()) * 1e-9;
  for (Slot slot : SlotRange(reaches_.size())) {
    const Vec3& v = world.snapshot().state(slot).twist.v;
    const double way = std::sqrt(v.x * v.x + v.y * v.y) * seconds, radius = radii_[slot.index()];
    reaches_[slot] = radius < 0 ? radius : radius + std::clamp(way - kInterestMargin / 2, 0.0, view_radius);
  }
  grid_.rebuild(world.snapshot(), reaches_, std::max(1.0, view_radius / 2));
}

// Nearness is the same from both sides: the smaller set queries.
void Interest::see(Owner owner, std::span<const Slot> own, const Snapshot& snapshot) {
  const auto consider = [&](Slot slot) {
    near_.clear();
    const Vec3& p = snapshot.state(slot).pose.p;
    grid_.query(snapshot, p.x, p.y, radius_ + lead(slot), slot, near_);
  };
  const auto add = [&](Slot slot) {
    if (owners_[slot] != owner && std::exchange(marked_[slot], mark_) != mark_) seen_.push_back(slot);
  };
  if (own.size() <= owners_.size() - own.size()) {
    for (Slot slot : own) {
      consider(slot);
      for (Slot other : near_) add(other);
    }
  } else {
    for (Slot slot : SlotRange(owners_.size())) {
      if (owners_[slot] == owner) continue;
      consider(slot);
      if (std::any_of(near_.begin(), near_.end(), [&](Slot other) { return owners_[other] == owner; })) add(slot);
    }
  }
  if (!std::is_sorted(seen_.begin(), seen_.end())) std::sort(seen_.begin(), seen_.end());
}

void Interest::within(double x, double y, double radius, const World& world, std::vector<StateSender::Wanted>& out) {
  near_.clear(), out.clear();
  grid_.query(world.snapshot(), x, y, radius, kNoSlot, near_);
  for (Slot slot : near_) {
    const Vec3& p = world.snapshot().state(slot).pose.p;
    out.push_back({slot, static_cast<float>(std::sqrt((p.x - x) * (p.x - x) + (p.y - y) * (p.y - y))), false});
  }
}

void Interest::of(Owner owner, const World& world, Slot& trickle, std::vector<StateSender::Wanted>& out) {
  out.clear(), seen_.clear(), far_.clear();
  const std::size_t n = owners_.size();
  const auto found = slots_of_.find(owner);
  const std::span<const Slot> own = found == slots_of_.end() ? std::span<const Slot>() : found->second;
  if (own.size() == n) return;
  if (++mark_ == 0) std::fill(marked_.begin(), marked_.end(), 0), mark_ = 1;
  see(owner, own, world.snapshot());
  for (std::size_t extra = n <= kSmallWorld ? n : kTrickle; extra > 0; --extra) {
    trickle = Slot((trickle.value() + 1) % static_cast<std::uint32_t>(n));
    if (marked_[trickle] != mark_ && owners_[trickle] != owner) far_.push_back(trickle);
  }
  if (!std::is_sorted(far_.begin(), far_.end())) std::sort(far_.begin(), far_.end());
  const bool passing = n > kSmallWorld;
  auto far = far_.begin();
  for (Slot slot : seen_) {
    for (; far != far_.end() && *far < slot; ++far) out.push_back({*far, kFar, passing});
    out.push_back({slot, 0, false});
  }
  for (; far != far_.end(); ++far) out.push_back({*far, kFar, passing});
}

}  // namespace convoy
