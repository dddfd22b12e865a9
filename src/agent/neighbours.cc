#include "agent/neighbours.h"

#include <algorithm>

#include "agent/agent.h"

namespace convoy {

namespace {

constexpr double kSkin = 0.5;  // m beyond its reach in which an agent without neighbours searches for the next one
constexpr double kSkinSlack = 1e-6;  // m, against rounding

Neighbour neighbour_at(const AgentTick& tick, Slot slot) {
  const Snapshot& snapshot = tick.world->snapshot();
  const Entity& entity = tick.world->entity(slot);
  const auto load = tick.loads->empty() ? tick.loads->end() : tick.loads->find(entity.number);
  return {.number = entity.number,
          .state = &snapshot.state(slot),
          .model = &tick.world->model_of(slot),
          .tail = snapshot.tail(slot),
          .held = entity.frozen,
          .attached = entity.parent != kNoEntity,
          .carried = load == tick.loads->end() ? std::span<const Carried>{} : std::span(load->second),
          .origin = entity.pose};
}

// A carried entity collides as part of its carrier, which may itself be farther away.
void add_carriers(const AgentTick& tick, std::vector<Neighbour>& out) {
  const World& world = *tick.world;
  const auto by_number = [](const Neighbour& a, WorldNumber number) { return a.number < number; };
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].attached) continue;
    Slot root = world.slot_of(out[i].number);
    while (world.entity(root).parent != kNoEntity) root = world.slot_of(world.entity(root).parent);
    const WorldNumber who = world.entity(root).number;
    const auto at = std::lower_bound(out.begin(), out.end(), who, by_number);
    if (at != out.end() && at->number == who) continue;
    if (static_cast<std::size_t>(at - out.begin()) <= i) ++i;
    out.insert(at, neighbour_at(tick, root));
  }
}

}  // namespace

bool collect_neighbours(const AgentTick& tick, Slot slot, const Vec3& at, double reach,
                        std::span<const Carried> carried, std::vector<Neighbour>& out) {
  static thread_local std::vector<Slot> near;
  near.clear();
  const Snapshot& snapshot = tick.world->snapshot();
  tick.grid->query(snapshot, at.x, at.y, reach, slot, near);
  for (Slot other : near) {
    const WorldNumber who = snapshot.number(other);
    if (std::any_of(carried.begin(), carried.end(), [&](const Carried& c) { return c.number == who; })) continue;
    out.push_back(neighbour_at(tick, other));
  }
  if (!tick.loads->empty() && !tick.world->model_of(slot).files.empty()) add_carriers(tick, out);
  return !near.empty();
}

void Neighbours::find(const AgentTick& tick, Slot slot, const Vec3& at, const Physics& physics, const Model& model,
                      std::span<const Carried> carried, std::vector<Neighbour>& out) {
  out.clear();
  if (!tick.robots_touch) return;
  if (reach_for_ != tick.length) {
    reach_for_ = tick.length;
    reach_ = physics.neighbourhood(model, tick.length, carried);
    alone_in_ = 0;
  }
  const Grid& grid = *tick.grid;
  if (alone_in_ == grid.generation() && grid.drift() < alone_until_) return;
  if (collect_neighbours(tick, slot, at, reach_, carried, out)) return;
  alone_in_ = grid.generation();
  alone_until_ = grid.drift() + 0.5 * grid.gap(at.x, at.y, reach_, kSkin, slot) - kSkinSlack;
}

}  // namespace convoy
