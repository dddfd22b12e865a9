#include "agent/element_view.h"

#include "core/hash.h"
#include "world/element_place.h"

namespace convoy {

namespace {

bool within(double radius, double x, double y, const Vec3& p) {
  const double dx = p.x - x, dy = p.y - y;
  return dx * dx + dy * dy <= radius * radius;
}

bool reaches(const ElementReach& reach, const std::optional<Pose>& place, const std::string& name, const Vec3& at,
             double view_radius) {
  if (!reach.to.empty()) return is_addressed_to(reach, name);
  if (reach.region) return within(reach.region->radius, reach.region->x, reach.region->y, at);
  return place && within(reach.radius > 0 ? reach.radius : view_radius, place->p.x, place->p.y, at);
}

}  // namespace

bool ElementView::take(ByteView bytes) {
  ElementNews news;
  if (!load(bytes, news)) return false;
  const std::pair key{news.element.owner, news.element.id};
  if (news.gone) return all_.erase(key), true;
  Kept& kept = all_[key];
  kept.element = std::move(news.element);
  kept.hash = hash64(save(kept.element));
  return true;
}

std::vector<SeenElement> ElementView::seen_by(Slot agent, const World& world, double view_radius) const {
  std::vector<SeenElement> out;
  const std::string& name = world.entity(agent).name;
  const Vec3& at = world.snapshot().state(agent).pose.p;
  const auto pose_of = [&](Slot slot) { return world.snapshot().state(slot).pose; };
  for (const auto& [key, kept] : all_) {
    const std::optional<Pose> place = place_of(kept.element.reach, world, pose_of);
    if (!reaches(kept.element.reach, place, name, at, view_radius)) continue;
    const std::uint64_t where = place ? hash64(save(*place)) : 0;
    out.push_back({&kept.element, place, chain(kept.hash, where)});
  }
  return out;
}

}  // namespace convoy
