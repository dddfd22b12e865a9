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
  if (hosts_.empty()) return out;
  const std::vector<const SetSensor*> changes = changes_in(inputs);
  const Instant now = instant(k * nanos(setup_.tick));
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
    agent->equipment().sensors->order(at, gravity_of(agent->physics(), world_.environment()),
                                      agent->equipment().nodes.get(), but, orders);
  }
  if (!orders.empty()) past_.keep(k, world_);
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

bool FleetOrders::fill(Tick ordered_at, const SampleName& name, SampleData data) {
  const auto at = open_.find({ordered_at, name});
  if (at == open_.end()) return false;
  open_.erase(at);
  tidy();
  Agent* agent = find(name.robot);
  return agent && agent->equipment().sensors->queue().fill(name.sensor, name.index, std::move(data));
}

std::size_t FleetOrders::make_up(Owner host, SampleMaker& maker) {
  std::map<Tick, std::vector<SampleOrder>> orders;
  for (const auto& [name, open] : open_)
    if (open.host == host) orders[name.first].push_back(open.order);
  return compute(orders, maker);
}

std::size_t FleetOrders::make_up(WorldNumber robot, SampleMaker& maker) {
  std::map<Tick, std::vector<SampleOrder>> orders;
  for (const auto& [name, open] : open_)
    if (name.second.robot == robot) orders[name.first].push_back(open.order);
  return compute(orders, maker);
}

std::size_t FleetOrders::compute(const std::map<Tick, std::vector<SampleOrder>>& orders, SampleMaker& maker) {
  std::size_t made = 0;
  for (const auto& [tick, some] : orders) {
    const auto world = past_.at(tick, world_);
    EXPECTS(world.has_value());
    auto data = maker.make(some, *world, setup_, instant(tick * nanos(setup_.tick)));
    for (std::size_t i = 0; i < some.size(); ++i)
      fill(tick, name_of(some[i]), data[i] ? std::move(*data[i]) : NoReading{data[i].error().message()});
    made += some.size();
  }
  return made;
}

void FleetOrders::tidy() {
  if (open_.empty()) past_.clear();
  else past_.forget_before(open_.begin()->first.first);
}

}  // namespace convoy
