#include "agent/fleet.h"

#include <algorithm>

#include "agent/network_model.h"
#include "core/math.h"

namespace convoy {

Fleet::Fleet(World world, const Setup& setup, Owner me, Executor& executor, const PhysicsFactory& factory)
    : world_(std::move(world)), setup_(setup), me_(me), executor_(executor), factory_(factory) {
  setup_.map.cells = {};
  setup_.entities = {};
}

Fleet::Agents::const_iterator Fleet::place_of(WorldNumber number) const {
  return std::lower_bound(agents_.begin(), agents_.end(), number,
                          [](const auto& agent, WorldNumber n) { return agent->number() < n; });
}

const Agent* Fleet::agent(WorldNumber number) const {
  const auto it = place_of(number);
  return it != agents_.end() && (*it)->number() == number ? it->get() : nullptr;
}

Agent* Fleet::mine(WorldNumber number) { return const_cast<Agent*>(agent(number)); }

void Fleet::make(Slot slot) {
  const Entity& entity = world_.entity(slot);
  agents_.insert(place_of(entity.number),
                 std::make_unique<Agent>(entity, world_.models()[entity.model], factory_, setup_.seed,
                                         world_.snapshot().state(slot)));
}

void Fleet::take_up() {
  for (Slot slot : world_.slots_of(me_))
    if (!agent(world_.entity(slot).number)) make(slot);
  settle();
}

void Fleet::drop(WorldNumber number) {
  const auto it = place_of(number);
  if (it != agents_.end() && (*it)->number() == number) agents_.erase(it);
}

bool Fleet::apply(const Edit& edit, Instant now) {
  std::vector<WorldNumber> orphans;
  if (const auto* e = std::get_if<Delete>(&edit)) orphans = world_.children_of(e->entity);
  const WorldNumber made = world_.apply(edit, now);
  const auto reread = [&](WorldNumber number) {
    if (Agent* agent = mine(number)) agent->reread(world_.snapshot().state(world_.slot_of(number)));
  };
  if (made != kNoEntity && world_.entity(world_.slot_of(made)).owner == me_) make(world_.slot_of(made));
  if (const auto* e = std::get_if<Delete>(&edit)) {
    drop(e->entity);
    for (WorldNumber orphan : orphans) reread(orphan);
  } else if (const auto* e = std::get_if<Freeze>(&edit)) {
    drop(e->entity);
  } else if (const auto* e = std::get_if<SetState>(&edit)) {
    for (WorldNumber number : world_.with_descendants(e->entity)) reread(number);
  } else if (const auto* e = std::get_if<Detach>(&edit)) {
    reread(e->child);
  } else if (const auto* e = std::get_if<Move>(&edit)) {
    if (e->owner != me_) {
      drop(e->entity);
    } else {
      if (!agent(e->entity)) make(world_.slot_of(e->entity));
      if (!e->inner.empty()) return restore(e->entity, e->inner);
    }
  } else if (const auto* e = std::get_if<Reset>(&edit)) {
    if (e->entities.empty()) agents_.clear();
    for (WorldNumber number : e->entities) {
      if (!agent(number)) continue;
      drop(number);
      make(world_.slot_of(number));
    }
    if (e->entities.empty()) take_up();
  }
  return true;
}

void Fleet::refresh_carried() {
  bool any = false;
  for (const Entity& entity : world_.entities()) any = any || entity.parent != kNoEntity;
  for (auto& agent : agents_) {
    if (!any && agent->carried().empty()) continue;
    std::vector<Carried> carried;
    for (WorldNumber number : world_.with_descendants(agent->number())) {
      if (number == agent->number()) continue;
      Pose X_BC;
      for (WorldNumber up = number; up != agent->number(); up = world_.entity(world_.slot_of(up)).parent)
        X_BC = world_.entity(world_.slot_of(up)).X_PC * X_BC;
      carried.push_back({number, X_BC, &world_.model_of(world_.slot_of(number))});
    }
    agent->set_carried(std::move(carried));
  }
}

void Fleet::settle() {
  world_.settle();
  refresh_carried();
}

void Fleet::open(std::span<const Message> messages) {
  double largest = 0;
  for (double radius : world_.radii()) largest = std::max(largest, radius);
  grid_.rebuild(world_.snapshot(), world_.radii(), std::max(0.5, 2 * largest));
  const Snapshot& snapshot = world_.snapshot();
  std::vector<Slot> near;
  for (const Message& message : messages) {
    const auto deliver = [&](Agent* agent) {
      if (!agent || agent->number() == message.from || !agent->listens_to(message.topic)) return;
      if (const auto at = due(setup_.network, setup_.seed, setup_.tick, message, agent->number()))
        agent->expect(message, *at);
    };
    if (message.to != kNoEntity) {
      deliver(mine(message.to));
      continue;
    }
    const Slot sender = snapshot.slot_of(message.from);
    if (sender == kNoSlot) continue;  // it was deleted at this very boundary: nobody hears it
    const Vec3 from = snapshot.state(sender).pose.p;
    near.clear();
    grid_.query(snapshot, from.x, from.y, setup_.network.range, sender, near);
    for (Slot slot : near) {
      if (world_.entity(slot).owner != me_) continue;
      const Vec3 d = snapshot.state(slot).pose.p - from;
      if (d.x * d.x + d.y * d.y <= setup_.network.range * setup_.network.range) deliver(mine(snapshot.number(slot)));
    }
  }
}

const Advance& Fleet::advance(Tick k, std::span<const Input> inputs) {
  const Instant begin = instant(k * nanos(setup_.tick));
  // Inputs by agent, in journal order.
  std::vector<std::pair<WorldNumber, Input>> sorted;
  for (const Input& input : inputs) sorted.emplace_back(recipient(input), input);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Input> by_agent;
  for (const auto& [number, input] : sorted) by_agent.push_back(input);

  outputs_.resize(agents_.size());
  Snapshot& next = world_.next();
  executor_.parallel(agents_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Agent& agent = *agents_[i];
      outputs_[i].clear();
      const Slot slot = world_.slot_of(agent.number());
      if (world_.entity(slot).parent != kNoEntity) {
        outputs_[i].hash = agent.hash();  // it is carried: the root writes its state
        continue;
      }
      const auto [low, high] = std::equal_range(
          sorted.begin(), sorted.end(), std::pair<WorldNumber, Input>(agent.number(), {}),
          [](const auto& a, const auto& b) { return a.first < b.first; });
      const AgentTick tick{begin, setup_.tick, &world_, &grid_, setup_.view_radius,
                           std::span(by_agent).subspan(static_cast<std::size_t>(low - sorted.begin()),
                                                       static_cast<std::size_t>(high - low))};
      State& state = next.state(slot);
      agent.advance(tick, slot, state, next.tail(slot), outputs_[i]);
      for (const Carried& carried : agent.carried()) {
        const Slot child = world_.slot_of(carried.number);
        State& child_state = next.state(child);
        child_state = world_.snapshot().state(child);
        child_state.stamp = state.stamp;
        child_state.pose = state.pose * carried.X_BC;
        child_state.twist.w = state.twist.w;
        child_state.twist.v = state.twist.v + cross(state.twist.w, child_state.pose.p - state.pose.p);
        make_canonical(child_state);
      }
    }
  });

  advance_ = {};
  advance_.slots.reserve(agents_.size());
  advance_.hashes.reserve(agents_.size());
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    advance_.slots.push_back(world_.slot_of(agents_[i]->number()));
    advance_.hashes.push_back(outputs_[i].hash);
    for (Message& message : outputs_[i].sent) advance_.sent.push_back(std::move(message));
    for (WorldNumber other : outputs_[i].touched) {
      const Slot slot = world_.slot_of(other);
      if (slot != kNoSlot && world_.entity(slot).owner != me_) ++advance_.foreign_contacts;
    }
  }
  agent_ticks_ += agents_.size();
  return advance_;
}

Bytes Fleet::inner(WorldNumber number) const {
  Bytes out;
  if (const Agent* a = agent(number)) a->save(out);
  return out;
}

bool Fleet::restore(WorldNumber number, ByteView inner) {
  Agent* agent = mine(number);
  return agent && agent->load(inner);
}

}  // namespace convoy
