#include "sensing/touch.h"

#include <algorithm>
#include <cmath>

#include "core/pose.h"

namespace convoy {

namespace {

constexpr double kLargestArea = 1e4, kMostForce = 1e9;  // m; N
constexpr std::uint32_t kMostTouches = 1000;

using Occupants = std::vector<OverlapModel::Occupant>;

// From a point to a box of those half edges about the origin, m; 0 inside.
double distance(const Vec3& p, const Vec3& half) {
  const auto beyond = [](double at, double edge) { return std::max(0.0, std::fabs(at) - edge); };
  return norm({beyond(p.x, half.x), beyond(p.y, half.y), beyond(p.z, half.z)});
}

// The names of those of `all` that are not in `others`.
std::vector<std::string> beside(const Occupants& all, const Occupants& others) {
  std::vector<std::string> out;
  for (const OverlapModel::Occupant& one : all)
    if (std::none_of(others.begin(), others.end(), [&](const auto& other) { return other.number == one.number; }))
      out.push_back(one.name);
  return out;
}

}  // namespace

std::string problem_of(const ContactModel& model) {
  if (!(model.min_force >= 0 && model.min_force <= kMostForce)) return "min_force is 0 to 1e9 N";
  if (model.most < 1 || model.most > kMostTouches) return "most is 1 to 1000 touches";
  return {};
}

std::string problem_of(const OverlapModel& model) {
  for (const double edge : {model.size.x, model.size.y, model.size.z})
    if (!(edge > 0 && edge <= kLargestArea)) return "the edges of size are above 0, and 1e4 m at most";
  return {};
}

Touches touches_of(const ContactModel& model, const SensorView& view) {
  Touches out;
  const Pose X_SW = view.X_WS.inverse();
  for (ContactReading& one : view.inside->contacts()) {
    if (out.touches.size() >= model.most) break;
    if (!model.part.empty() && one.body != model.part) continue;
    if (norm(one.force) < model.min_force) continue;
    const Slot other = one.other == kNoEntity ? kNoSlot : view.world->slot_of(one.other);
    out.touches.push_back({std::move(one.body), other == kNoSlot ? "" : view.world->entity(other).name,
                           std::move(one.other_body), X_SW.p + rotate(X_SW.q, one.position), rotate(X_SW.q, one.normal),
                           rotate(X_SW.q, one.force), one.depth});
  }
  return out;
}

Overlaps overlaps_of(const OverlapModel& model, const SensorView& view, OverlapModel::Memory& memory) {
  const Vec3 half = 0.5 * model.size;
  const Pose X_SW = view.X_WS.inverse();
  const World& world = *view.world;
  Occupants now;
  for (const Slot slot : view.inside->around(view.X_WS.p, norm(half))) {
    const double radius = std::max(0.0, world.radii()[slot.index()]);
    const Vec3 p_S = X_SW.p + rotate(X_SW.q, world.snapshot().state(slot).pose.p);
    if (distance(p_S, half) <= radius) now.push_back({world.entity(slot).number, world.entity(slot).name});
  }
  Overlaps out{beside(now, {}), beside(now, memory.inside), beside(memory.inside, now)};
  memory.inside = std::move(now);
  return out;
}

}  // namespace convoy
