#include "agent/fleet_orders.h"

#include <algorithm>

#include "agent/agent_inside.h"
#include "agent/sensed_at.h"

namespace convoy {

namespace {

// Sensors that change at this boundary, of all robots.
std::vector<const SetSensor*> changes_in(std::span<const Input> inputs) {
  std::vector<const SetSensor*> out;
  for (const Input& input : inputs)
    if (const auto* change = std::get_if<SetSensor>(&input)) out.push_back(change);
  return out;
}

}  // namespace

Agent* FleetOrders::find(WorldNumber number) const {
  const auto at = std::lower_bound(agents_.begin(), agents_.end(), number,
                                   [](const auto& agent, WorldNumber n) { return agent->number() < n; });
  return at == agents_.end() || (*at)->number() != number || !(*at)->equipment().sensors ? nullptr : at->get();
}

void FleetOrders::give(WorldNumber robot, std::uint32_t sensor, Owner host) {
  if (host == kNobody) hosts_.erase({robot, sensor});
  else hosts_[{robot, sensor}] = host;
  if (Agent* agent = find(robot)) agent->equipment().sensors->give(sensor, host);
}

void FleetOrders::came(Agent& agent) const {
  if (!agent.equipment().sensors) return;
  for (auto at = hosts_.lower_bound({agent.number(), 0}); at != hosts_.end() && at->first.first == agent.number(); ++at)
    agent.equipment().sensors->give(at->first.second, at->second);
}

void FleetOrders::forget(WorldNumber robot) {
  std::erase_if(open_, [&](const auto& one) { return one.first.second.robot == robot; });
  tidy();
}

std::map<Owner, std::vector<SampleOrder>> FleetOrders::take(Tick k, std::span<const Input> inputs) {
  std::map<Owner, std::vector<SampleOrder>> out;
  const Instant now = instant(k * nanos(setup_.tick));
  if (!waits_) put_off(now);
  if (hosts_.empty()) return out;
  const std::vector<const SetSensor*> changes = changes_in(inputs);
  std::vector<AgentSensors::Ordered> orders;
  WorldNumber last = kNoEntity;
  for (const auto& [sensor, host] : hosts_) {
    const WorldNumber robot = sensor.first;
    Agent* agent = robot == last ? nullptr : find(robot);
    last = robot;
    if (!agent) continue;
    std::vector<std::string> but;
    for (const SetSensor* change : changes)
      if (change->entity == robot) but.push_back(change->sensor);
    SensedWorld at = sensed_at(world_, world_.slot_of(robot), now, setup_.tick);
    at.taker = taker_;
    missed_.left_out += agent->equipment().sensors->order(at, gravity_of(agent->physics(), world_.environment()),
                                                          agent->equipment().nodes.get(), but, orders);
  }
  if (waits_ && !orders.empty()) past_.keep(k, world_);
  for (auto& [host, due, order] : orders) {
    open_[{k, name_of(order)}] = {host, due, order};
    out[host].push_back(std::move(order));
  }
  return out;
}

std::vector<Owner> FleetOrders::late(Instant now) const {
  std::vector<Owner> out;
  for (const auto& [name, open] : open_)
    if (open.due <= now && std::find(out.begin(), out.end(), open.host) == out.end()) out.push_back(open.host);
  return out;
}

std::optional<Tick> FleetOrders::oldest_late() const {
  const auto at = std::find_if(open_.begin(), open_.end(), [](const auto& one) { return one.second.late; });
  return at == open_.end() ? std::nullopt : std::optional(at->first.first);
}

std::vector<Owner> FleetOrders::oldest_late_of() const {
  std::vector<Owner> out;
  const std::optional<Tick> tick = oldest_late();
  for (const auto& [name, open] : open_)
    if (open.late && name.first == tick && std::find(out.begin(), out.end(), open.host) == out.end())
      out.push_back(open.host);
  return out;
}

SampleQueue* FleetOrders::queue_of(WorldNumber robot) const {
  Agent* agent = find(robot);
  return agent ? &agent->equipment().sensors->queue() : nullptr;
}

// What is due at that boundary and has not come is due at the next one.
void FleetOrders::put_off(Instant now) {
  for (auto& [name, open] : open_) {
    if (open.due > now) continue;
    if (!std::exchange(open.late, true)) ++missed_.late;
    if (SampleQueue* queue = queue_of(name.second.robot))
      queue->put_off(name.second.sensor, name.second.index, now + setup_.tick);
  }
}

bool FleetOrders::fill(Tick ordered_at, const SampleName& name, SampleData data) {
  const auto at = open_.find({ordered_at, name});
  if (at == open_.end()) return false;
  open_.erase(at);
  tidy();
  SampleQueue* queue = queue_of(name.robot);
  return queue && queue->fill(name.sensor, name.index, std::move(data));
}

std::size_t FleetOrders::make_up(Owner host, SampleMaker& maker) {
  std::vector<Name> owed;
  for (const auto& [name, open] : open_)
    if (open.host == host) owed.push_back(name);
  return compute(owed, maker);
}

std::size_t FleetOrders::make_up(WorldNumber robot, SampleMaker& maker) {
  std::vector<Name> owed;
  for (const auto& [name, open] : open_)
    if (name.second.robot == robot) owed.push_back(name);
  return compute(owed, maker);
}

std::size_t FleetOrders::compute(const std::vector<Name>& owed, SampleMaker& maker) {
  if (!waits_) return drop(owed), 0;
  std::map<Tick, std::vector<SampleOrder>> orders;
  for (const Name& name : owed) orders[name.first].push_back(open_.at(name).order);
  for (const auto& [tick, some] : orders) {
    const auto world = past_.at(tick, world_);
    EXPECTS(world.has_value());
    auto data = maker.make(some, *world, setup_, instant(tick * nanos(setup_.tick)));
    for (std::size_t i = 0; i < some.size(); ++i)
      fill(tick, name_of(some[i]), data[i] ? std::move(*data[i]) : NoReading{data[i].error().message()});
  }
  return owed.size();
}

void FleetOrders::drop(const std::vector<Name>& owed) {
  for (const Name& name : owed) {
    if (SampleQueue* queue = queue_of(name.second.robot)) queue->drop(name.second.sensor, name.second.index);
    open_.erase(name);
  }
  missed_.dropped += owed.size();
}

void FleetOrders::tidy() {
  if (open_.empty()) past_.clear();
  else past_.forget_before(open_.begin()->first.first);
}

}  // namespace convoy
