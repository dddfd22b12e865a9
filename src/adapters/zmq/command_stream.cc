#include "adapters/zmq/command_stream.h"

#include <fmt/format.h>

#include <cmath>

namespace convoy::zmq {

void CommandStream::receive_commands(const control::Roster& roster, const control::Leases& leases) {
  commands_.follow(roster, leases);
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

// As URLab has it: the controller goes on, and what the message does not name has its defaults again. A message that is
// for another robot, by its names, is none of this one's.
void CommandStream::take_gains(const control::RobotEntry& robot, ByteView payload) {
  const auto gains = read_gains(as_text(payload));
  if (!gains) return void(++counters_.malformed);
  control::Resolved resolved = control::resolve(robot, *gains);
  counters_.unknown_actuator += resolved.unknown.size();
  if (!resolved.patches.empty()) commands_.replace_gains(robot.number, std::move(resolved.patches));
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
