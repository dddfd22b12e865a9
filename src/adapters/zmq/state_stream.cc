#include "adapters/zmq/state_stream.h"

#include <algorithm>

namespace convoy::zmq {

StateStream::Lines StateStream::lines_of(const control::RobotEntry& robot) {
  const auto lines = [&](const auto& items, const char* kind) {
    std::vector<Line> made;
    for (const auto& item : items) made.push_back({robot.name + "/" + kind + "/" + item.name});
    return made;
  };
  Lines out;
  out.robot = robot.number;
  out.joints = lines(robot.panel.joints, "joint");
  out.bases = lines(robot.panel.bases, "base_state");
  out.sensors = lines(robot.panel.sensors, "sensor");
  out.twist.topic = robot.name + "/twist";
  out.actions.topic = robot.name + "/actions";
  return out;
}

void StateStream::follow(const control::Roster& roster, const Fleet& fleet) {
  if (roster.version() == version_) return;
  version_ = roster.version();
  std::vector<Lines> before = std::move(lines_);
  lines_.clear();
  for (const control::RobotEntry& robot : roster.all()) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const Lines& one) { return one.robot == robot.number; });
    lines_.push_back(known != before.end() ? std::move(*known) : lines_of(robot));
  }
  find_wanted(roster, fleet);
}

void StateStream::take_subscriptions(const control::Roster& roster, const Fleet& fleet) {
  if (subscriptions_.take(*socket_)) find_wanted(roster, fleet);
}

void StateStream::find_wanted(const control::Roster& roster, const Fleet& fleet) {
  samples_.keep_up(roster, fleet, subscriptions_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Lines& lines = lines_[i];
    lines.wanted = false;
    const auto find = [&](Line& line) {
      line.wanted = subscriptions_.cover(line.topic);
      lines.wanted = lines.wanted || line.wanted;
    };
    for (auto* some : {&lines.joints, &lines.bases, &lines.sensors})
      for (Line& line : *some) find(line);
    if (roster.all()[i].has_drive) find(lines.twist);
    find(lines.actions);
  }
}

void StateStream::read(const control::RobotEntry& robot, const Fleet& fleet, const Snapshot& states, Lines& lines) {
  const Agent& agent = *fleet.agent(robot.number);
  control::read_panel(fleet, robot, states, lines.readings);
  lines.told = agent.told(states.state(fleet.world().slot_of(robot.number)).stamp).twist;
  lines.held_keys = agent.actions();
  lines.known = true;
}

void StateStream::send(const control::RobotEntry& robot, const Lines& lines) {
  const auto out = [&](const Line& line) { add(line.topic, payload_); };
  const PanelReadings& r = lines.readings;
  for (std::size_t i = 0; i < lines.joints.size() && i < r.joints.size(); ++i)
    if (lines.joints[i].wanted) put_joint(payload_, robot.panel.joints[i].id, r.joints[i]), out(lines.joints[i]);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.sensors.size(); ++i) {
    const Panel::Sensor& sensor = robot.panel.sensors[i];
    if (first + sensor.size > r.sensors.size()) break;
    if (lines.sensors[i].wanted) {
      put_sensor(payload_, profile_, sensor.id, std::span(r.sensors).subspan(first, sensor.size));
      out(lines.sensors[i]);
    }
    first += sensor.size;
  }
  for (std::size_t i = 0; i < lines.bases.size() && i < r.bases.size(); ++i)
    if (lines.bases[i].wanted) put_base(payload_, profile_, r.bases[i]), out(lines.bases[i]);
  if (lines.twist.wanted) put_twist(payload_, lines.told), out(lines.twist);
  if (lines.actions.wanted && lines.held_keys != 0) put_actions(payload_, lines.held_keys), out(lines.actions);
}

void StateStream::publish(const control::Roster& roster, const Fleet& fleet, const Snapshot& states, Who who) {
  const World& world = fleet.world();
  const auto is_within = [&](WorldNumber robot) {
    return physics_step(fleet.agent(robot)->physics(), fleet.tick()) < fleet.tick() &&
           world.entity(world.slot_of(robot)).parent == kNoEntity;
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].wanted || (who == Who::kWithin && !is_within(lines_[i].robot))) continue;
    read(roster.all()[i], fleet, states, lines_[i]);
    send(roster.all()[i], lines_[i]);
  }
  socket_->flush();
}

void StateStream::repeat(const control::Roster& roster, const Fleet& fleet) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].wanted) continue;
    if (!lines_[i].known) read(roster.all()[i], fleet, fleet.world().snapshot(), lines_[i]);
    send(roster.all()[i], lines_[i]);
  }
  socket_->flush();
}

}  // namespace convoy::zmq
