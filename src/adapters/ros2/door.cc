#include "adapters/ros2/door.h"

#include <algorithm>

namespace convoy::ros2 {

namespace {

constexpr Duration kBeat = std::chrono::milliseconds(20);     // between looks at what is always to be done
constexpr Duration kFrozen = std::chrono::milliseconds(100);  // the clock again, while no tick comes

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
           std::unique_ptr<RobotImporter> importer, UsersSensors* sensors)
    : domain_(std::move(domain)),
      settings_(std::move(settings)),
      control_({"", nonce, ControlSource::kRos2}),
      here_{*domain_, party, control_, settings_, counts_, log},
      importer_(std::move(importer)),
      client_(here_),
      robots_(here_),
      nodes_(here_, robots_) {
  here_.importer = importer_.get(), here_.sensors = SensorBook(sensors);
}

Door::~Door() = default;

void Door::keep_up(const Fleet& fleet) {
  control_.follow(fleet, here_.now);
  start_ = clock_start(fleet);
  client_.follow();
  robots_.follow();
  nodes_.follow();
}

void Door::left() {
  nodes_.clear(), robots_.clear(), client_.leave();
  domain_->spin(here_.now, here_.party);  // others are told
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
  for (RobotDoor* robot : robots_.acting()) robot->command();
  std::size_t room = kMaxGatewayInputs;
  control_.before_tick(fleet, room, inputs);
  nodes_.give(room, inputs);
  audience_.of(robots_.all(), here_);  // before samples are due
}

void Door::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  const Visit visit(*this, &fleet);
  control_.after_tick(fleet, reached, states);
  ticked_ = here_.now;
  const Instant stamp = clock_at(fleet, reached);
  client_.tell(stamp);
  if (std::exchange(again_, false))
    for (const auto& [number, robot] : robots_.all()) robot->begin_anew(stamp - start_);
  for (RobotDoor* robot : audience_.of(robots_.all(), here_)) robot->publish(fleet, states, stamp - start_, stamp);
  nodes_.publish();
}

void Door::after_step(const Fleet&, const Snapshot& states) { control_.after_step(states); }

void Door::on_time(const Fleet* fleet, Moment now) {
  const Visit visit(*this, fleet);
  if (const Moment before = std::exchange(here_.now, now); fleet && before != Moment{})
    client_.stood_still(now - before);
  control_.on_time(fleet, now);
  spin(fleet);
  if (now < beat_) return;
  beat_ = now + kBeat;
  if (!fleet) return;
  keep_up(*fleet);
  client_.proceed();
  for (const auto& [number, robot] : robots_.all()) robot->keep(now);
  if (now - ticked_ < kFrozen) return;
  ticked_ = now;
  client_.repeat(clock_at(*fleet, control_.position().tick));
}

Moment Door::deadline() const { return std::min(beat_, domain_->deadline(here_.party)); }

void Door::at_boundary(const Fleet& fleet, const HostPosition& position) {
  const Visit visit(*this, &fleet);
  client_.enter(position.tick == 0 && position.run == 0);
  control_.at_boundary(fleet, position);
  if (std::exchange(run_, position.run) == position.run) return;
  again_ = true;
  client_.begin_anew();
  for (const auto& [number, robot] : robots_.all()) robot->restart();
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
  if (audience_.none()) return false;
  const RobotDoor* at = robots_.find(robot);
  return at && at->takes(sensor.name);
}

void Door::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant) {
  if (RobotDoor* at = robots_.find(robot)) at->took(sensor.name, sample, start_);
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
