#include "adapters/ros2/door.h"

#include <algorithm>
#include <rosgraph_msgs/msg/clock.hpp>

#include "adapters/ros2/client_services.h"
#include "messages/geometry.h"
#include "messages/map.h"

namespace convoy::ros2 {

namespace {

constexpr Duration kBeat = std::chrono::milliseconds(20);     // between looks at what is always to be done
constexpr Duration kFrozen = std::chrono::milliseconds(100);  // the clock again, while no tick comes
constexpr const char* kClientNode = "simulation";

}  // namespace

// Callbacks reach the fleet while a call from the host is under way, and not beyond.
class Door::Visit {
 public:
  Visit(Door& door, const Fleet* fleet) : here_(door.here_), before_(door.here_.fleet) { here_.fleet = fleet; }
  ~Visit() { here_.fleet = before_; }
  Visit(const Visit&) = delete;

 private:
  DoorHere& here_;
  const Fleet* before_;
};

Door::Door(std::shared_ptr<Domain> domain, Party party, Settings settings, std::uint64_t nonce, Log& log,
           std::unique_ptr<RobotImporter> importer)
    : domain_(std::move(domain)),
      settings_(std::move(settings)),
      control_({"", nonce, ControlSource::kRos2}),
      here_{*domain_, party, control_, settings_, counts_, log},
      offers_{std::move(importer), {}, nullptr, nullptr} {
  here_.importer = offers_.importer.get();
}

Door::~Door() = default;

// ------------------------------------------------------------------------------------------------------ robots

void Door::keep_up(const Fleet& fleet) {
  control_.follow(fleet, here_.now);
  start_ = clock_start(fleet);
  if (!node_) open_client(fleet);
  if (control_.roster().version() != version_) {
    version_ = control_.roster().version();
    std::erase_if(robots_, [&](const auto& one) { return control_.roster().find(one.first) == nullptr; });
    for (const control::RobotEntry& robot : control_.roster().all())
      if (auto& one = robots_[robot.number]; !one) one = std::make_unique<RobotDoor>(here_, robot);
  }
  if (settings_.nodes) keep_up_nodes(fleet);
}

// Of node graphs in domain 0, where a scenario does not say another, and in the domain that this is.
void Door::keep_up_nodes(const Fleet& fleet) {
  const World& world = fleet.world();
  std::erase_if(nodes_, [&](const auto& one) { return fleet.agent(one.first) == nullptr; });
  for (const std::unique_ptr<Agent>& agent : fleet.all()) {
    const WorldNumber number = agent->number();
    const auto& nodes = agent->equipment().nodes;
    const std::uint32_t domain = world.entity(world.slot_of(number)).kind->domain;
    const std::shared_ptr<NodesOutlet> outlet =
        nodes && (domain == 0 || domain == settings_.domain) ? nodes->outlet() : nullptr;
    if (!outlet || !outlet->graph()) {
      nodes_.erase(number);
      continue;
    }
    auto& one = nodes_[number];
    const auto robot = robots_.find(number);
    if (!one || !one->is_of(outlet.get()))
      one = std::make_unique<NodesDoor>(here_, number, outlet, [this, number](const Guid& sender) {
        const auto at = robots_.find(number);
        return at == robots_.end() ? std::string() : at->second->claim().holder_of(sender);
      });
    static const NodesDoor::Names kNone;
    one->keep_up(robot == robots_.end() ? kNone : robot->second->names());
  }
}

// In its own namespace, and at the root if it speaks for the whole run.
void Door::open_client(const Fleet& fleet) {
  node_ = std::make_unique<Node>(*domain_, settings_.ns, kClientNode, here_.party);
  const StaticMap& map = fleet.world().map();
  for (const std::string& ns : places_of(settings_)) {
    if (auto made = node_->publisher(ns + "clock", ros::TypeSupport::of<rosgraph_msgs::msg::Clock>(), kLatched))
      clocks_.push_back(std::move(*made));
    if (map.empty()) continue;
    auto made = node_->publisher(ns + "map", ros::TypeSupport::of<nav_msgs::msg::OccupancyGrid>(), kLatched);
    if (!made) continue;
    maps_.push_back(std::move(*made));
    ros2::publish(*maps_.back(), ros::occupancy_grid_of(map.data(), Instant{} + start_));
  }
  offers_.ue = ue_services(here_, *node_), offers_.simulation = std::make_unique<Simulation>(here_, *node_);
  offers_.parameters = std::make_unique<SimulationParameters>(here_, *node_);
}

void Door::spin(const Fleet* fleet) {
  const Visit visit(*this, fleet);
  domain_->spin(here_.now, here_.party);
}

// -------------------------------------------------------------------------------------------------------- time

void Door::before_tick(const Fleet& fleet, Tick, std::vector<Input>& inputs) { before_step(fleet, inputs); }

void Door::before_step(const Fleet& fleet, std::vector<Input>& inputs) {
  const Visit visit(*this, &fleet);
  keep_up(fleet);
  spin(&fleet);
  std::size_t room = kMaxGatewayInputs;
  control_.before_tick(fleet, room, inputs);
  std::size_t bytes = kMaxIncomingPerTick;
  for (auto& [number, nodes] : nodes_) nodes->give(room, bytes, inputs);
  for (auto& [number, robot] : robots_) robot->look_who_listens();
}

void Door::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  const Visit visit(*this, &fleet);
  control_.after_tick(fleet, reached, states);
  ticked_ = here_.now;
  const Instant at = instant(reached * nanos(fleet.tick()));
  publish_clock(fleet, reached);
  for (auto& [number, robot] : robots_) robot->publish(fleet, states, at, at + start_, again_);
  for (auto& [number, nodes] : nodes_) nodes->publish();
  again_ = false;
}

void Door::after_step(const Fleet&, const Snapshot& states) { control_.after_step(states); }

void Door::publish_clock(const Fleet& fleet, Tick reached) {
  rosgraph_msgs::msg::Clock message;
  message.clock = ros::stamp_of(instant(reached * nanos(fleet.tick())) + start_);
  for (const auto& clock : clocks_) ros2::publish(*clock, message);
}

void Door::on_time(const Fleet* fleet, Moment now) {
  const Visit visit(*this, fleet);
  here_.now = now;
  control_.on_time(fleet, now);
  spin(fleet);
  if (now < beat_) return;
  beat_ = now + kBeat;
  if (!fleet) return;
  keep_up(*fleet);
  offers_.simulation->proceed();
  offers_.parameters->proceed(*fleet);
  for (auto& [number, robot] : robots_) robot->claim().keep(now);
  if (now - ticked_ < kFrozen) return;
  ticked_ = now;
  publish_clock(*fleet, control_.position().tick);
}

Moment Door::deadline() const { return std::min(beat_, domain_->deadline(here_.party)); }

void Door::at_boundary(const Fleet& fleet, const HostPosition& position) {
  const Visit visit(*this, &fleet);
  if (std::exchange(run_, position.run) != position.run) again_ = true;
  control_.at_boundary(fleet, position);
}

void Door::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  const Visit visit(*this, fleet);
  control_.held_at(fleet, run, tick);
}

void Door::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  const Visit visit(*this, fleet);
  control_.answered(fleet, answer);
}

// ----------------------------------------------------------------------------------------------------- samples

bool Door::takes(WorldNumber robot, const SensorSpec& sensor, const DueSample&) const {
  const auto at = robots_.find(robot);
  return at != robots_.end() && at->second->takes(sensor.name);
}

void Door::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant) {
  const auto at = robots_.find(robot);
  if (at != robots_.end()) at->second->took(sensor.name, sample, start_);
}

std::vector<GatewayCount> Door::counts() const {
  const DomainCounts& wire = domain_->counts();
  return {{"ros2_received", wire.received},
          {"ros2_malformed", wire.malformed, true},
          {"ros2_late_replies", wire.late_replies, true},
          {"ros2_crowded", wire.crowded, true},
          {"ros2_not_finite", counts_.not_finite, true},
          {"ros2_leased", counts_.leased, true},
          {"ros2_unknown_joint", counts_.unknown_joint, true},
          {"ros2_too_large", counts_.too_large, true},
          {"ros2_wrong_length", counts_.wrong_length, true},
          {"ros2_own", counts_.own, true}};
}

}  // namespace convoy::ros2
