#include "sensing/balancer.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

std::uint64_t SensorBalancer::load_of_main(Owner main) const {
  const auto known = mains_.find(main);
  return kLoadOfMain + (known == mains_.end() ? 0 : known->second);
}

SensorBalancer::Host* SensorBalancer::find(Owner host) {
  const auto at = std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& h) { return h.owner == host; });
  return at == hosts_.end() ? nullptr : &*at;
}

void SensorBalancer::place(Robot& robot, std::vector<Placed*> sensors) {
  std::stable_sort(sensors.begin(), sensors.end(),
                   [](const Placed* a, const Placed* b) { return a->wish.distribution > b->wish.distribution; });
  for (Placed* one : sensors) {
    one->host = kNobody, one->counted = !hosts_.empty(), one->moved = false;
    one->here = load_of_main(robot.main), one->other = 0;
    if (hosts_.empty()) continue;
    const auto least =
        std::min_element(hosts_.begin(), hosts_.end(), [](const Host& a, const Host& b) { return a.load < b.load; });
    one->other = least->load;
    const bool on_main = one->wish.distribution == Distribution::kMainOrClient && one->here < least->load;
    if (on_main) {
      mains_[robot.main] += one->wish.load;
      continue;
    }
    one->host = least->owner;
    std::swap(one->here, one->other);
    least->load += one->wish.load;
  }
}

void SensorBalancer::release(const Robot& robot, const Placed& placed) {
  if (!placed.counted) return;
  if (placed.host == kNobody) mains_[robot.main] -= placed.wish.load;
  else if (Host* host = find(placed.host)) host->load -= placed.wish.load;
}

void SensorBalancer::add(WorldNumber number, Owner main, std::span<const Wish> wishes) {
  EXPECTS(!robots_.contains(number));
  Robot& robot = robots_[number];
  robot.main = main;
  robot.sensors.reserve(wishes.size());
  std::vector<Placed*> sensors;
  for (const Wish& wish : wishes)
    if (wish.distribution != Distribution::kMainOnly)
      sensors.push_back(&robot.sensors.emplace_back(Placed{.wish = wish}));
  place(robot, std::move(sensors));
}

void SensorBalancer::remove(WorldNumber number) {
  const auto at = robots_.find(number);
  if (at == robots_.end()) return;
  for (const Placed& placed : at->second.sensors) release(at->second, placed);
  robots_.erase(at);
}

void SensorBalancer::give(WorldNumber number, Owner main) {
  const auto at = robots_.find(number);
  if (at == robots_.end() || at->second.main == main) return;
  Robot& robot = at->second;
  for (const Placed& placed : robot.sensors) {
    if (placed.host != kNobody || !placed.counted) continue;
    mains_[robot.main] -= placed.wish.load;
    mains_[main] += placed.wish.load;
  }
  robot.main = main;
}

std::vector<WorldNumber> SensorBalancer::host_left(Owner host) {
  std::erase_if(hosts_, [&](const Host& h) { return h.owner == host; });
  std::vector<WorldNumber> out;
  for (auto& [number, robot] : robots_) {
    std::vector<Placed*> its;
    for (Placed& placed : robot.sensors)
      if (placed.host == host) its.push_back(&placed);
    if (its.empty()) continue;
    place(robot, std::move(its));
    out.push_back(number);
  }
  return out;
}

void SensorBalancer::move(WorldNumber number, std::uint32_t sensor, Owner host, std::uint64_t there,
                          std::uint64_t here) {
  const auto at = robots_.find(number);
  if (at == robots_.end()) return;
  for (Placed& placed : at->second.sensors) {
    if (placed.wish.sensor != sensor) continue;
    release(at->second, placed);
    placed.host = host, placed.counted = true, placed.moved = true, placed.here = here, placed.other = there;
    if (host == kNobody) mains_[at->second.main] += placed.wish.load;
    else if (Host* its = find(host)) its->load += placed.wish.load;
  }
}

void SensorBalancer::clear() {
  robots_.clear(), mains_.clear();
  for (Host& host : hosts_) host.load = 0;
}

}  // namespace convoy
