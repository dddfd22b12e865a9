#include "adapters/zmq/command_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace convoy::zmq {

void CommandStream::receive_commands(const control::Roster& roster, const control::Leases& leases) {
  commands_.follow(roster);
  for (int i = 0; i < kMaxMessagesAtOnce && socket_.receive(parts_); ++i) {
    ++counters_.received;
    if (parts_.empty()) ++counters_.strangers;
    else if (!open_) ++counters_.denied;
    else if (parts_.size() < 2) ++counters_.malformed;
    else take(parts_[0], parts_[1], roster, leases);
  }
  if (counters_.dropped() == 0 || warned_) return;
  warned_ = true;  // once; the sums come at the end
  log_.line(LogLevel::kWarn,
            fmt::format("ZeroMQ, port {}: messages to control make no sense: {}", port_, counters_.text()));
}

void CommandStream::take(ByteView topic_bytes, ByteView payload, const control::Roster& roster,
                         const control::Leases& leases) {
  const auto topic = read_topic(as_text(topic_bytes));
  if (!topic) return void(++counters_.unknown_topic);
  const control::RobotEntry* robot = roster.find(topic->robot);
  if (!robot) return void(++counters_.unknown_robot);
  if (leases.leased(robot->number)) return void(++counters_.leased);
  if (topic->kind == CommandTopic::Kind::kSetGains) take_gains(*robot, payload);
  else take_controls(*robot, payload);
}

// As URLab has it: the controller goes on, and what the message does not name has its defaults again.
void CommandStream::take_gains(const control::RobotEntry& robot, ByteView payload) {
  auto gains = read_gains(as_text(payload));
  if (!gains) return void(++counters_.malformed);
  const auto known = [&](std::string_view name) {
    const auto& all = robot.panel.actuators;
    return std::any_of(all.begin(), all.end(), [&](const Panel::Actuator& a) { return a.name == name; });
  };
  std::vector<control::GainPatch> patches;
  for (control::GainPatch& patch : *gains) {
    const bool full = patch.actuator.starts_with(robot.name + "_");
    if (!known(patch.actuator) && full) patch.actuator = patch.actuator.substr(robot.name.size() + 1);
    if (known(patch.actuator)) patches.push_back(std::move(patch));
    else ++counters_.unknown_actuator;
  }
  commands_.replace_gains(robot.number, std::move(patches));
}

void CommandStream::take_controls(const control::RobotEntry& robot, ByteView payload) {
  pairs_.clear(), controls_.clear();
  if (!read_controls(payload, pairs_)) return void(++counters_.malformed);
  for (const ControlPair& pair : pairs_) {
    if (pair.actuator < 0 || static_cast<std::size_t>(pair.actuator) >= robot.panel.actuators.size())
      ++counters_.unknown_actuator;
    else if (!std::isfinite(pair.value)) ++counters_.not_finite;
    else controls_.push_back({static_cast<std::uint32_t>(pair.actuator), pair.value});
  }
  commands_.set_controls(robot.number, controls_);
}

}  // namespace convoy::zmq
