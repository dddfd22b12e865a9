#include "control/roster.h"

#include <algorithm>
#include <utility>

#include "sensing/camera_spec.h"

namespace convoy::control {

namespace {

// A robot without an engine has its base as a free joint, then its model's joints.
Panel plain_panel(const Model& model, Duration tick) {
  Panel out;
  using Type = Panel::Joint::Type;
  if (model.drive != Drive::kNone) out.bases.push_back({"base", static_cast<std::int32_t>(model.joints.size())});
  if (model.drive != Drive::kNone || model.joints.empty())
    out.all_joints.push_back({"base", 0, Type::kFree, 0, 0, 0, 0, false}), out.nq = 7, out.nv = 6;
  for (const std::string& name : model.joints) {
    out.joints.push_back({name, static_cast<std::int32_t>(out.joints.size())});
    out.all_joints.push_back(
        {name, static_cast<std::int32_t>(out.all_joints.size()), Type::kHinge, out.nq++, out.nv++, 0, 0, false});
  }
  for (const std::string& name : model.actuators) out.actuators.push_back({name});
  out.step = tick;
  return out;
}

RobotEntry entry_of(const Fleet& fleet, const Agent& agent) {
  RobotEntry out;
  const World& world = fleet.world();
  const Panel* panel = agent.physics().panel();
  out.number = agent.number();
  const Entity& entity = world.entity(world.slot_of(out.number));
  out.name = entity.name;
  for (const SensorSpec& sensor : entity.kind->sensors)
    if (const auto camera = camera_of(sensor)) out.cameras.push_back({sensor.name, *camera});
  out.model = agent.model().name;
  out.has_drive = agent.model().drive != Drive::kNone;
  out.from_engine = panel != nullptr;
  out.panel = panel ? *panel : plain_panel(agent.model(), fleet.tick());
  return out;
}

}  // namespace

void Roster::follow(const Fleet& fleet) {
  if (std::exchange(roll_, fleet.roll()) == fleet.roll()) return;
  const auto& agents = fleet.all();
  const auto same = [](const auto& agent, const RobotEntry& robot) { return agent->number() == robot.number; };
  if (std::equal(agents.begin(), agents.end(), robots_.begin(), robots_.end(), same)) return;
  ++version_;
  std::vector<RobotEntry> before = std::move(robots_);
  robots_.clear(), by_name_.clear();
  for (const auto& agent : agents) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const RobotEntry& r) { return r.number == agent->number(); });
    robots_.push_back(known != before.end() ? std::move(*known) : entry_of(fleet, *agent));
    by_name_[robots_.back().name] = robots_.size() - 1;
  }
}

const RobotEntry* Roster::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &robots_[it->second];
}

const RobotEntry* Roster::find(WorldNumber number) const {
  const auto it = std::lower_bound(robots_.begin(), robots_.end(), number,
                                   [](const RobotEntry& robot, WorldNumber n) { return robot.number < n; });
  return it != robots_.end() && it->number == number ? &*it : nullptr;
}

}  // namespace convoy::control
