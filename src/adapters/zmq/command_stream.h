// Controls and gains of programs outside, in: what is received between two ticks acts in the second. What makes no
// sense is counted.
#pragma once

#include <vector>

#include "adapters/zmq/block.h"
#include "adapters/zmq/layout.h"
#include "control/commands.h"
#include "control/leases.h"
#include "core/ports.h"

namespace convoy::zmq {

class CommandStream {
 public:
  // `port`: for people. `open`: commands are taken, and not only counted.
  CommandStream(Socket socket, int port, bool open, StreamsCounters& counters, Log& log)
      : socket_(std::move(socket)), port_(port), open_(open), counters_(counters), log_(log) {}

  // Takes what has come for robots without a lease.
  void receive_commands(const control::Roster& roster, const control::Leases& leases);
  // What finds no room is counted, and waits.
  void give(std::size_t& room, std::vector<Input>& inputs) { counters_.too_many += commands_.give(room, inputs); }

 private:
  void take(ByteView topic, ByteView payload, const control::Roster& roster, const control::Leases& leases);
  void take_gains(const control::RobotEntry& robot, ByteView payload);
  void take_controls(const control::RobotEntry& robot, ByteView payload);

  Socket socket_;
  int port_;
  bool open_;
  StreamsCounters& counters_;
  Log& log_;
  control::Commands commands_{ControlSource::kZmq};
  bool warned_ = false;
  std::vector<Bytes> parts_;
  std::vector<ControlPair> pairs_;
  std::vector<Control> controls_;
};

}  // namespace convoy::zmq
