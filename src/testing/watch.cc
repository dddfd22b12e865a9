#include "testing/watch.h"

#include <algorithm>
#include <cmath>

namespace convoy::testing {

double separation(const World& world, Slot a, Slot b) {
  const auto corners = [&](Slot slot) {
    const Pose& pose = world.snapshot().state(slot).pose;
    const double yaw = std::atan2(2 * pose.q.w * pose.q.z, 1 - 2 * pose.q.z * pose.q.z);
    std::vector<Vec2> out;
    for (Vec2 c : world.model_of(slot).footprint)
      out.push_back(
          {pose.p.x + c.x * std::cos(yaw) - c.y * std::sin(yaw), pose.p.y + c.x * std::sin(yaw) + c.y * std::cos(yaw)});
    return out;
  };
  const std::vector<Vec2> p[2] = {corners(a), corners(b)};
  double best = -1e9;
  for (int side : {0, 1}) {
    for (std::size_t i = 0; i < p[side].size(); ++i) {
      const Vec2 u = p[side][i], v = p[side][(i + 1) % p[side].size()];
      const double length = std::hypot(v.x - u.x, v.y - u.y), nx = (v.y - u.y) / length, ny = -(v.x - u.x) / length;
      double nearest = 1e9;
      for (Vec2 w : p[1 - side]) nearest = std::min(nearest, (w.x - u.x) * nx + (w.y - u.y) * ny);
      best = std::max(best, nearest);
    }
  }
  return best;
}

double closest(const World& world) {
  double least = 1e9;
  for (Slot a : SlotRange(world.entities().size()))
    for (Slot b : SlotRange(a.index())) least = std::min(least, separation(world, a, b));
  return least;
}

void Watch::completed(std::uint32_t, Tick tick, const World& world, std::span<const AgentHash> inside,
                      std::span<const Message>) {
  const Snapshot& s = world.snapshot();
  for (Slot slot : SlotRange(s.size())) {
    agents[tick][s.number(slot)] = agent_hash(s.state(slot), s.tail(slot), inside[slot.index()]);
    const Vec3 at = s.state(slot).pose.p;
    Vec3& last = last_.try_emplace(s.number(slot), at).first->second;
    way[s.number(slot)] += std::hypot(at.x - last.x, at.y - last.y);
    last = at;
  }
  least_gap = std::min(least_gap, closest(world));
}

}  // namespace convoy::testing
