#include "control/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace convoy::control {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::size_t inputs_of(const GainPatch& patch) {
  return std::size_t{patch.kp.has_value()} + patch.kv.has_value() + patch.torque_limit.has_value();
}

}  // namespace

// The inputs of one robot on their way into the tick.
class Commands::Out {
 public:
  Out(WorldNumber robot, ControlSource source, const std::string& holder, std::size_t& room, std::vector<Input>& inputs)
      : robot_(robot), source_(source), holder_(holder), room_(room), inputs_(inputs) {}

  std::size_t room() const { return room_; }
  void reserve(std::size_t n) { room_ -= n; }

  void drive(const Twist& v_B) { inputs_.emplace_back(DriveCommand{robot_, v_B, {}, source_, holder_}); }
  void control(std::vector<Control> controls) {
    inputs_.emplace_back(SetControls{robot_, std::move(controls), source_, holder_});
  }
  // A command to the robot's controller.
  void command(std::string name, std::string value) { set(std::move(name), std::move(value), source_); }
  // A setting of it, which counts under any ruler.
  void setting(std::string name, std::string value) { set(std::move(name), std::move(value), ControlSource::kAny); }
  void gains(const GainPatch& patch) {
    const auto one = [&](const char* name, const std::optional<double>& value) {
      if (value) command(patch.actuator + name, fmt::format("{}", *value));
    };
    one(".kp", patch.kp), one(".kv", patch.kv), one(".torque_limit", patch.torque_limit);
  }

 private:
  void set(std::string name, std::string value, ControlSource source) {
    auto& set = std::get<SetParameter>(inputs_.emplace_back(std::in_place_type<SetParameter>));
    set.entity = robot_, set.node = kControllerNode, set.name = std::move(name), set.value = std::move(value);
    set.source = source, set.holder = holder_;
  }

  WorldNumber robot_;
  ControlSource source_;
  const std::string& holder_;
  std::size_t& room_;
  std::vector<Input>& inputs_;
};

Commands::Waiting& Commands::waiting_of(WorldNumber robot) {
  Waiting& waiting = waiting_[robot];
  const auto held = holders_.find(robot);
  waiting.holder = held == holders_.end() ? std::string() : held->second;
  return waiting;
}

void Commands::follow(const Roster& roster, const Leases& leases) {
  if (holders_ != leases.all()) {
    holders_ = leases.all();
    std::erase_if(waiting_, [&](const auto& one) { return one.second.holder != leases.holder(one.first); });
  }
  if (roster.version() == version_) return;
  version_ = roster.version();
  std::erase_if(waiting_, [&](const auto& one) { return roster.find(one.first) == nullptr; });
}

void Commands::set_controls(WorldNumber robot, std::span<const Control> controls) {
  Waiting& waiting = waiting_of(robot);
  for (const Control& control : controls) {
    if (std::isnan(control.value)) continue;
    if (control.actuator >= waiting.controls.size()) waiting.controls.resize(control.actuator + 1, kNone);
    waiting.controls[control.actuator] = control.value;
    waiting.any_control = true;
  }
}

void Commands::patch_gains(WorldNumber robot, std::vector<GainPatch> patches) {
  std::vector<GainPatch>& waiting = waiting_of(robot).gains;
  for (GainPatch& patch : patches) lay_over(waiting, std::move(patch));
}

void Commands::replace_gains(WorldNumber robot, std::vector<GainPatch> patches) {
  Waiting& waiting = waiting_of(robot);
  waiting.gains = std::move(patches), waiting.defaults_first = true;
}

void Commands::forget_motion() {
  for (auto& [robot, waiting] : waiting_) {
    waiting.controls.clear();
    waiting.any_control = waiting.defaults_first = false;
    waiting.twist.reset();
    waiting.gains.clear();
  }
}

bool Commands::give_gains(Waiting& waiting, Out& out) {
  if (waiting.defaults_first) {
    const std::size_t needed = 2 + 3 * waiting.gains.size();
    if (needed > out.room()) return false;
    out.reserve(needed);
    out.command("mode", "pd");
    out.command("gains", "default");
    for (const GainPatch& patch : waiting.gains) out.gains(patch);
    waiting.gains.clear(), waiting.defaults_first = false;
    return true;
  }
  if (waiting.gains.empty()) return true;
  if (out.room() == 0) return false;
  out.reserve(1);
  out.command("mode", "pd");
  auto patch = waiting.gains.begin();
  for (; patch != waiting.gains.end() && inputs_of(*patch) <= out.room(); ++patch) {
    out.reserve(inputs_of(*patch));
    out.gains(*patch);
  }
  waiting.gains.erase(waiting.gains.begin(), patch);
  return waiting.gains.empty();
}

bool Commands::give_controls(Waiting& waiting, Out& out) {
  for (std::size_t i = 0; waiting.any_control && out.room() > 0;) {
    std::vector<Control> controls;
    for (; i < waiting.controls.size() && controls.size() < kMaxControls; ++i)
      if (const double value = std::exchange(waiting.controls[i], kNone); !std::isnan(value))
        controls.push_back({static_cast<std::uint32_t>(i), value});
    if (!controls.empty()) out.reserve(1), out.control(std::move(controls));
    waiting.any_control = i < waiting.controls.size();
  }
  return !waiting.any_control;
}

std::size_t Commands::give(std::size_t& room, std::vector<Input>& inputs) {
  std::size_t left = 0;
  const auto give = [&](Out& out, auto& command, const auto& how) {
    if (!command) return;
    if (room == 0) return void(++left);
    out.reserve(1);
    how(*command);
    command.reset();
  };
  for (auto& [robot, waiting] : waiting_) {
    Out out(robot, source_, waiting.holder, room, inputs);
    for (SetSensor& change : waiting.sensors) change.holder = waiting.holder;
    give(out, waiting.ruler, [&](ControlSource s) { out.setting("source", std::string(name_of(s))); });
    left += !give_gains(waiting, out);
    give(out, waiting.actions, [&](std::uint32_t keys) { out.command("actions", std::to_string(keys)); });
    give(out, waiting.twist, [&](const Twist& v_B) { out.drive(v_B); });
    left += !give_controls(waiting, out);
    const std::size_t count = std::min(room, waiting.sensors.size());
    std::move(waiting.sensors.begin(), waiting.sensors.begin() + static_cast<std::ptrdiff_t>(count),
              std::back_inserter(inputs));
    waiting.sensors.erase(waiting.sensors.begin(), waiting.sensors.begin() + static_cast<std::ptrdiff_t>(count));
    room -= count, left += waiting.sensors.size();
  }
  return left;
}

}  // namespace convoy::control
