// What the client's node tells as its parameters, and lets be set.
//
//   use_sim_time  true            read-only
//   scenario      "warehouse"     read-only: its name
//   seed          4               read-only
//   tick          0.01            read-only: s
//   speed         1.0             of simulated time, in real time's: 0.001 to 1000; 0: as fast as possible
#pragma once

#include "adapters/ros2/parameters.h"

namespace convoy::ros2 {

class SimulationParameters {
 public:
  // `here` and the node outlive it.
  SimulationParameters(DoorHere& here, Node& node) : here_(here), node_(node) {}
  SimulationParameters(const SimulationParameters&) = delete;
  // Now and then: asks the server what they are, until it has said so. The services come then.
  void proceed(const Fleet& fleet);

 private:
  void open(const Fleet& fleet, const std::string& scenario, double at_first);
  void set(const NodeParameters::Parameters& wanted, const NodeParameters::Done& done);
  void refresh(const std::function<void()>& then);

  DoorHere& here_;
  Node& node_;
  bool asked_ = false;
  std::unique_ptr<NodeParameters> parameters_;  // once there are any
};

}  // namespace convoy::ros2
