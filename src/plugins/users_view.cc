#include "plugins/users_view.h"

#include <algorithm>

#include "core/pose.h"
#include "sensing/limits.h"

namespace convoy {
namespace {

double finite_or(double value, double otherwise) { return std::isfinite(value) ? value : otherwise; }

}  // namespace

UsersView::UsersView(const SensorView& view, const SensorTraits& traits, Bytes& memory)
    : view_(view),
      traits_(traits),
      memory_(memory),
      noise_(view.key.seed, view.key.robot, view.key.sensor, view.key.index) {}

std::int64_t UsersView::now_ns() const {
  const Slot slot = view_.world->slot_of(view_.key.robot);
  return slot == kNoSlot ? 0 : nanos(view_.world->snapshot().state(slot).stamp);
}

sensor::Entity UsersView::entity_at(Slot slot) const {
  const World& world = *view_.world;
  const Entity& entity = world.entity(slot);
  const State& state = world.snapshot().state(slot);
  return {entity.number, entity.name, world.model_of(slot).name,
          state.pose,    state.twist, std::max(0.0, world.radii()[slot.index()])};
}

sensor::Entity UsersView::robot() const {
  const Slot slot = view_.world->slot_of(view_.key.robot);
  return slot == kNoSlot ? sensor::Entity{} : entity_at(slot);
}

std::span<const sensor::Entity> UsersView::around(const Vec3& p_W, double radius) {
  entities_.clear();
  if (!(radius >= 0) || !view_.grid) return {};
  std::vector<Slot> near;
  const Slot self = view_.world->slot_of(view_.key.robot);
  view_.grid->query(view_.world->snapshot(), p_W.x, p_W.y, std::min(radius, kMaxRange), self, near);
  for (const Slot slot : near) entities_.push_back(entity_at(slot));
  return entities_;
}

void UsersView::cast(std::span<const sensor::Ray> rays, std::span<sensor::Hit> hits) {
  const std::size_t count = std::min(rays.size(), hits.size());
  std::fill(hits.begin(), hits.end(), sensor::Hit{});
  if (!traits_.rays || !view_.field) return;
  beams_.clear();
  for (const sensor::Ray& ray : rays.first(count))
    beams_.push_back({ray.origin, ray.direction, std::max(0.0, finite_or(ray.near, 0)),
                      std::min(finite_or(ray.far, kMaxRange), kMaxRange)});
  met_.assign(count, {});
  view_.field->cast(beams_, view_.see_self ? kNoEntity : view_.key.robot, met_);
  for (std::size_t i = 0; i < count; ++i) {
    const Hit& met = met_[i];
    if (!met.any()) continue;
    hits[i] = {met.range, view_.field->normal(beams_[i], met), met.number == kNoEntity ? sensor::kScene : met.number,
               met.shape, view_.field->brightness(met)};
  }
}

std::span<const sensor::Shape> UsersView::shapes(WorldNumber number) {
  shapes_.clear();
  if (!traits_.rays || !view_.looks) return {};
  RayWorld::Seen seen = view_.looks->scene();
  if (number != sensor::kScene) {
    const Slot slot = view_.world->slot_of(number);
    seen = slot == kNoSlot ? RayWorld::Seen{} : view_.looks->seen(slot);
  }
  if (!seen.shapes) return {};
  for (const Shape& shape : seen.shapes->shapes) {
    const Link& link = seen.shapes->links[shape.link];
    sensor::Shape& out = shapes_.emplace_back();
    out.kind = static_cast<sensor::Shape::Kind>(shape.kind), out.size = shape.size;
    out.pose = seen.X_WL[shape.link] * shape.X_LS;
    out.name = shape.name, out.link = link.name, out.category = seen.shapes->category;
    std::copy(shape.color.begin(), shape.color.end(), out.color);
    out.visible = shape.visible, out.material = shape.material;
  }
  return shapes_;
}

std::span<const sensor::Joint> UsersView::joints() {
  joints_.clear();
  if (!traits_.inside || !view_.inside) return {};
  read_ = view_.inside->joints();
  for (std::size_t i = 0; i < read_.positions.size(); ++i)
    joints_.push_back({read_.names[i], read_.positions[i], read_.velocities[i]});
  return joints_;
}

std::span<const sensor::Contact> UsersView::contacts() {
  contacts_.clear();
  if (!traits_.inside || !view_.inside) return {};
  touches_ = view_.inside->contacts();
  for (const ContactReading& one : touches_) {
    const Slot other = one.other == kNoEntity ? kNoSlot : view_.world->slot_of(one.other);
    contacts_.push_back({one.body, other == kNoSlot ? std::string_view() : view_.world->entity(other).name,
                         one.position, one.normal, one.force, one.depth});
  }
  return contacts_;
}

Twist UsersView::command() const { return traits_.inside && view_.inside ? view_.inside->told() : Twist{}; }

double UsersView::distance() const { return traits_.inside && view_.inside ? view_.inside->distance() : 0; }

std::span<std::byte> UsersView::memory() { return std::as_writable_bytes(std::span(memory_)); }

}  // namespace convoy
