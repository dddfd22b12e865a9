// Cameras of robots, out: a socket each. Until there are sensors, whoever listens gets a test pattern.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/zmq/block.h"
#include "adapters/zmq/layout.h"
#include "control/roster.h"
#include "core/ports.h"

namespace convoy::zmq {

class Cameras {
 public:
  // Uses the block's places from `first` on, but `taken`. The context outlives it.
  Cameras(Context& context, const Block& block, int first, int taken, StreamsCounters& counters, Log& log)
      : context_(context), block_(block), first_(first), taken_(taken), counters_(counters), log_(log) {}

  void follow(const control::Roster& roster);
  // Where they are, for the robot's info.
  std::vector<CameraPlace> places_of(WorldNumber robot) const;
  // One picture of each that a program subscribes to.
  void show();

 private:
  struct Camera {
    std::string name, topic;
    int place = 0;  // in the block
    std::unique_ptr<Socket> socket;
    Subscriptions subscriptions;
  };
  std::vector<Camera> open(const control::RobotEntry& robot);

  Context& context_;
  const Block& block_;
  int first_, taken_;
  StreamsCounters& counters_;
  Log& log_;
  std::map<WorldNumber, std::vector<Camera>> cameras_;  // of each robot of the roster
  std::set<int> places_;                                // in use
  std::uint64_t pictures_ = 0;
  Bytes picture_;
};

}  // namespace convoy::zmq
