#include "sensing/sample_costs.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr double kWorth = 0.9;  // what is left of a load, at most, after a move that is worth it

void blend(std::map<Owner, double>& values, Owner key, double value) {
  const auto [at, fresh] = values.emplace(key, value);
  if (!fresh) at->second = (at->second + value) / 2;
}

}  // namespace

void SampleCosts::note(Owner machine, Duration simulated, std::uint64_t busy_ns, std::span<const SampleSpent> samples) {
  if (simulated <= Duration(0)) return;
  const double per_second = 1 / seconds(simulated);
  std::uint64_t sampling = 0;
  for (const SampleSpent& one : samples) {
    sampling += one.ns;
    const double cost = static_cast<double>(one.ns) * per_second;
    const auto [at, fresh] = costs_.emplace(std::pair(one.robot, one.sensor), cost);
    if (!fresh) at->second = (at->second + cost) / 2;
  }
  blend(own_, machine, static_cast<double>(busy_ns > sampling ? busy_ns - sampling : 0) * per_second);
}

std::optional<double> SampleCosts::of(WorldNumber robot, std::uint32_t sensor) const {
  const auto known = costs_.find({robot, sensor});
  return known == costs_.end() ? std::nullopt : std::optional(known->second);
}

double SampleCosts::cost(WorldNumber robot, const SensorBalancer::Placed& placed) const {
  return of(robot, placed.wish.sensor).value_or(1e9 * placed.wish.load / kWholeLoad);
}

std::map<Owner, double> SampleCosts::loads(const SensorBalancer& placed) const {
  std::map<Owner, double> out;
  const auto own = [&](Owner machine) {
    const auto known = own_.find(machine);
    out.emplace(machine, known == own_.end() ? 0 : known->second);
  };
  for (const SensorBalancer::Host& host : placed.hosts()) own(host.owner);
  for (const auto& [number, robot] : placed.robots()) {
    own(robot.main);
    for (const SensorBalancer::Placed& one : robot.sensors)
      out[one.host == kNobody ? robot.main : one.host] += cost(number, one);
  }
  return out;
}

std::vector<SampleCosts::Move> SampleCosts::moves(const SensorBalancer& placed) const {
  std::vector<Move> out;
  if (placed.hosts().empty()) return out;
  struct Seat {
    WorldNumber robot;
    const SensorBalancer::Placed* placed;
    Owner main, at;
  };
  std::vector<Seat> seats;
  for (const auto& [number, robot] : placed.robots())
    for (const SensorBalancer::Placed& one : robot.sensors)
      seats.push_back({number, &one, robot.main, one.host == kNobody ? robot.main : one.host});
  std::map<Owner, double> load = loads(placed);

  const auto least_for = [&](const Seat& seat) {
    Owner best = kNobody;
    const auto better = [&](Owner other) { return other != seat.at && (best == kNobody || load[other] < load[best]); };
    for (const SensorBalancer::Host& host : placed.hosts())
      if (better(host.owner)) best = host.owner;
    if (seat.placed->wish.distribution == Distribution::kMainOrClient && better(seat.main)) best = seat.main;
    return best;
  };
  const auto from = [&](Owner machine) -> bool {
    Seat* best = nullptr;
    Owner to = kNobody;
    double lowest = load[machine] * kWorth;
    for (Seat& seat : seats) {
      const double cost = this->cost(seat.robot, *seat.placed);
      const Owner other = seat.at == machine && cost > 0 ? least_for(seat) : kNobody;
      if (other == kNobody) continue;
      const double after = std::max(load[machine] - cost, load[other] + cost);
      if (after < lowest) best = &seat, to = other, lowest = after;
    }
    if (!best) return false;
    const double cost = this->cost(best->robot, *best->placed);
    out.push_back({best->robot, best->placed->wish.sensor, to == best->main ? kNobody : to, load[machine], load[to]});
    load[machine] -= cost, load[to] += cost;
    best->at = to;
    return true;
  };
  const std::size_t most = std::max<std::size_t>(1, seats.size() / 8);
  for (bool moved = true; moved && out.size() < most;) {
    std::vector<std::pair<double, Owner>> machines;
    for (const auto& [machine, its] : load) machines.emplace_back(-its, machine);
    std::sort(machines.begin(), machines.end());
    moved = std::any_of(machines.begin(), machines.end(), [&](const auto& one) { return from(one.second); });
  }
  return out;
}

}  // namespace convoy
