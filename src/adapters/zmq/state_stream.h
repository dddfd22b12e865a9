// States of robots and samples of their sensors, out: what programs have subscribed to is computed and sent after each
// tick, and nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/zmq/block.h"
#include "adapters/zmq/layout.h"
#include "adapters/zmq/publisher.h"
#include "adapters/zmq/sample_stream.h"
#include "control/bodies.h"

namespace convoy::zmq {

class StateStream {
 public:
  StateStream(std::unique_ptr<Publisher> socket, WireProfile profile, StreamsCounters& counters)
      : socket_(std::move(socket)),
        profile_(profile),
        counters_(counters),
        samples_([this](std::string_view topic, ByteView payload) { add(topic, payload); }) {}
  StateStream(const StateStream&) = delete;
  StateStream& operator=(const StateStream&) = delete;

  // The robots are those of the roster, which the fleet has; so they are in what follows.
  void follow(const control::Roster& roster, const Fleet& fleet);
  void take_subscriptions(const control::Roster& roster, const Fleet& fleet);
  // What the robots have reached: all of them, or within a tick those whose physics steps more often.
  enum class Who : std::uint8_t { kAll, kWithin };
  void publish(const control::Roster& roster, const Fleet& fleet, const Snapshot& states, Who who = Who::kAll);
  // The states that were sent last, once more.
  void repeat(const control::Roster& roster, const Fleet& fleet);
  // What it takes leaves with the states of the tick in which it is delivered.
  SampleTaker& samples() { return samples_; }

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
  void find_wanted(const control::Roster& roster, const Fleet& fleet);
  void add(std::string_view topic, ByteView payload) {
    socket_->add(topic, payload);
    ++counters_.published;
  }
  static void read(const control::RobotEntry& robot, const Fleet& fleet, const Snapshot& states, Lines& lines);
  void send(const control::RobotEntry& robot, const Lines& lines);

  std::unique_ptr<Publisher> socket_;
  WireProfile profile_;
  StreamsCounters& counters_;
  Subscriptions subscriptions_;
  SampleStream samples_;
  std::vector<Lines> lines_;   // as the roster's robots
  std::uint64_t version_ = 0;  // of the roster
  Bytes payload_;
};

}  // namespace convoy::zmq
