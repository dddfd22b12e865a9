// States of robots, out: what programs have subscribed to is computed and sent after each tick, and nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/zmq/block.h"
#include "adapters/zmq/layout.h"
#include "adapters/zmq/publisher.h"
#include "control/bodies.h"

namespace convoy::zmq {

class StateStream {
 public:
  StateStream(std::unique_ptr<Publisher> socket, WireProfile profile, StreamsCounters& counters)
      : socket_(std::move(socket)), profile_(profile), counters_(counters) {}

  // The robots are those of the roster, which the fleet has; so they are in what follows.
  void follow(const control::Roster& roster);
  void take_subscriptions(const control::Roster& roster);
  // What the robots have reached: all of them, or within a tick those whose physics steps more often.
  enum class Who : std::uint8_t { kAll, kWithin };
  void publish(const control::Roster& roster, const Fleet& fleet, const Snapshot& states, Who who = Who::kAll);
  // What was sent last, once more.
  void repeat(const control::Roster& roster, const Fleet& fleet);

 private:
  struct Line {  // one topic of a robot
    std::string topic;
    bool wanted = false;
  };
  struct Lines {
    WorldNumber robot = kNoEntity;
    std::vector<Line> joints, bases, sensors;
    Line twist, actions;
    bool wanted = false;  // any of them
    // Sent last.
    bool known = false;  // they were read
    PanelReadings readings;
    Twist told;
    std::uint32_t held_keys = 0;
  };
  static Lines lines_of(const control::RobotEntry& robot);
  void find_wanted(const control::Roster& roster);
  static void read(const control::RobotEntry& robot, const Fleet& fleet, const Snapshot& states, Lines& lines);
  void send(const control::RobotEntry& robot, const Lines& lines);

  std::unique_ptr<Publisher> socket_;
  WireProfile profile_;
  StreamsCounters& counters_;
  Subscriptions subscriptions_;
  std::vector<Lines> lines_;   // as the roster's robots
  std::uint64_t version_ = 0;  // of the roster
  Bytes payload_;
};

}  // namespace convoy::zmq
