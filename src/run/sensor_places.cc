#include "run/sensor_places.h"

#include <algorithm>

#include "sensing/share.h"

namespace convoy {

const std::vector<SensorBalancer::Wish>& SensorPlaces::wishes_of(const std::shared_ptr<const EntityKind>& kind) {
  const auto known = wishes_.find(kind);
  if (known != wishes_.end()) return known->second;
  std::vector<SensorBalancer::Wish> out;
  for (std::uint32_t i = 0; i < kind->sensors.size(); ++i) {
    const Share share = share_of(kind->sensors[i], books_.setup.sensors);
    if (share.may_leave()) out.push_back({i, share.distribution, share.load});
  }
  return wishes_.emplace(kind, std::move(out)).first->second;
}

void SensorPlaces::begin(std::vector<std::string>& warnings) {
  begun_ = true;
  std::size_t alone = 0;
  for (const Entity& entity : books_.world.entities())
    if (!entity.kind->sensors.empty())
      for (const SensorBalancer::Wish& wish : wishes_of(entity.kind))
        alone += wish.distribution == Distribution::kClientOnly ? 1 : 0;
  if (alone > 0 && names_.empty())
    warnings.push_back(std::to_string(alone) + (alone == 1 ? " sensor is" : " sensors are") +
                       " client_only, and there is no sensor host: " +
                       (alone == 1 ? "it samples where its robot runs" : "they sample where their robots run"));
}

void SensorPlaces::host_came(Owner host, std::string name) {
  if (begun_) follow();  // what is there stays where it is
  names_[host] = std::move(name);
  balancer_.host_came(host);
  stale_ = true;
}

void SensorPlaces::host_left(Owner host) {
  absent_.erase(host);
  place_anew(host, "is gone");
}

void SensorPlaces::give_up(std::span<const Owner> hosts, const std::string& who) {
  for (Owner host : hosts) {
    if (!has(host)) continue;
    place_anew(host, "is given up by " + who + ", which got no samples from it");
    absent_[host] = kNever;
  }
}

void SensorPlaces::count(const Counts& more) {
  counts_.samples += more.samples, counts_.late += more.late, counts_.skipped += more.skipped;
}

void SensorPlaces::place_anew(Owner host, const std::string& why) {
  const auto known = names_.find(host);
  if (known == names_.end()) return;
  ++lost_;
  std::size_t moved = 0;
  for (const auto& [sensor, told] : told_) moved += told.host == host ? 1 : 0;
  news_.push_back("the sensor host " + known->second + " " + why + ": its " + std::to_string(moved) +
                  " sensors sample elsewhere from now on");
  names_.erase(known);
  costs_.forget(host);
  balancer_.host_left(host);
  tell({host});
}

// What has moved is measured before more does.
Status SensorPlaces::costs(Owner from, ByteView payload, Moment now) {
  Costs news;
  if (!load(payload, news)) return fail(ErrorCode::kInvalid, "a Costs frame is malformed");
  if (!begun_ || books_.setup.sensors.policy != PlacementPolicy::kMeasured) return {};
  std::erase_if(news.samples, [&](const SampleSpent& one) {  // of what is not placed nothing is kept
    const auto robot = balancer_.robots().find(one.robot);
    return robot == balancer_.robots().end() ||
           std::none_of(robot->second.sensors.begin(), robot->second.sensors.end(),
                        [&](const SensorBalancer::Placed& placed) { return placed.wish.sensor == one.sensor; });
  });
  costs_.note(from, news.simulated, news.busy_ns, news.samples);
  if (now < next_move_) return {};
  next_move_ = now + 3 * CostMeter::kPeriod;
  const auto in_us = [](double ns) { return static_cast<std::uint64_t>(ns / 1000); };
  const std::vector<SampleCosts::Move> moves = costs_.moves(balancer_);
  for (const SampleCosts::Move& move : moves)
    balancer_.move(move.robot, move.sensor, move.to, in_us(move.there), in_us(move.here));
  if (!moves.empty()) tell({});
  return {};
}

std::vector<std::string> SensorPlaces::names() const {
  std::vector<std::string> out;
  for (const auto& [host, name] : names_) out.push_back(name);
  return out;
}

const std::string& SensorPlaces::name_of(Owner host) const {
  static const std::string none;
  const auto known = names_.find(host);
  return known == names_.end() ? none : known->second;
}

Owner SensorPlaces::host_of(WorldNumber robot, std::uint32_t sensor) const {
  const auto told = told_.find({robot, sensor});
  return told == told_.end() ? kNobody : told->second.host;
}

// Robots are in the order of their numbers, so that what is new comes last.
void SensorPlaces::follow() {
  if (std::exchange(run_, books_.run) != books_.run) balancer_.clear();
  const World& world = books_.world;
  std::vector<WorldNumber> gone;
  for (const auto& [number, robot] : balancer_.robots()) {
    const Slot slot = world.slot_of(number);
    if (slot == kNoSlot || world.entity(slot).owner == kNobody) gone.push_back(number);
  }
  for (WorldNumber number : gone) balancer_.remove(number), costs_.forget(number);
  for (const Entity& entity : world.entities()) {
    if (entity.owner == kNobody || entity.kind->sensors.empty()) continue;
    const auto known = balancer_.robots().find(entity.number);
    if (known != balancer_.robots().end()) balancer_.give(entity.number, entity.owner);
    else if (const auto& wishes = wishes_of(entity.kind); !wishes.empty())
      balancer_.add(entity.number, entity.owner, wishes);
  }
  if (wishes_.size() > 1000) wishes_.clear();  // kinds that nobody has any more
}

// Who runs what is not part of the world's structure; hosts that leave freeze their robots, which is.
void SensorPlaces::settle(bool moved) {
  if (moved || structure_ != books_.world.structure_hash() || run_ != books_.run) stale_ = true;
  if (!begun_ || !stale_ || (names_.empty() && told_.empty())) return;
  stale_ = false, structure_ = books_.world.structure_hash();
  follow();
  tell({});
}

void SensorPlaces::link_lost(Owner host, Moment until) {
  if (has(host)) absent_[host] = until;
}

void SensorPlaces::link_back(Owner host, const std::string& name) {
  const auto absent = absent_.find(host);
  if (absent == absent_.end()) return;
  const bool given_up = absent->second == kNever;
  absent_.erase(absent);
  if (given_up) host_came(host, name);
}

void SensorPlaces::on_time(Moment now) {
  std::vector<Owner> over;
  for (const auto& [host, until] : absent_)
    if (until <= now) over.push_back(host);
  for (Owner host : over) {
    host_left(host);
    absent_[host] = kNever;
  }
}

Moment SensorPlaces::deadline() const {
  Moment next = kNever;
  for (const auto& [host, until] : absent_) next = std::min(next, until);
  return next;
}

void SensorPlaces::tell(const std::vector<Owner>& gone) {
  std::map<Owner, Places> news;
  std::map<std::pair<WorldNumber, std::uint32_t>, Told> now;
  for (const auto& [number, robot] : balancer_.robots())
    for (const SensorBalancer::Placed& placed : robot.sensors)
      if (placed.host != kNobody) now[{number, placed.wish.sensor}] = {robot.main, placed.host};
  for (const auto& [sensor, before] : told_)
    if (const auto at = now.find(sensor); at == now.end() || at->second.main != before.main)
      news[before.main].places.push_back({sensor.first, sensor.second, kNobody});
  for (const auto& [sensor, after] : now)
    if (const auto at = told_.find(sensor); at == told_.end() || at->second != after)
      news[after.main].places.push_back({sensor.first, sensor.second, after.host});
  told_ = std::move(now);
  if (!gone.empty())
    for (Owner main : books_.roll.present_owners()) news[main].gone = gone;
  for (const auto& [main, places] : news)
    for (const Bytes& frame : encode_places(places)) books_.send(main, FrameType::kPlaces, frame);
}

}  // namespace convoy
