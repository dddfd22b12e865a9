// The node of a robot client itself: its services and what it tells of the whole run, in its namespace and, while it is the run's
// voice, at the root.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/ros2/run_topics.h"
#include "adapters/ros2/simulation.h"
#include "adapters/ros2/simulation_parameters.h"
#include "adapters/ros2/voice.h"

namespace convoy::ros2 {

class ClientDoor {
 public:
  // Outlives it.
  explicit ClientDoor(DoorHere& here);
  ~ClientDoor() { leave(); }
  ClientDoor(const ClientDoor&) = delete;

  // There is a world. `begins`: the run is at its beginning.
  void enter(bool begins) { voice_.enter(here_.now, begins); }
  // Now and then, while there is a fleet: what it has is where it belongs.
  void follow();
  // All of it ends, for good.
  void leave();

  // As RunTopics.
  void tell(Instant stamp) {
    if (topics_) topics_->tell(stamp);
  }
  void repeat(Instant stamp) { topics_->repeat(stamp); }
  void begin_anew() {
    if (topics_) topics_->begin_anew();
  }
  // The process stood still for so long: if others may have taken it for lost, it says nothing at the root until the server
  // has told that it is not. Called while there is a fleet.
  void stood_still(Duration how_long);
  // Now and then, behind follow().
  void proceed() { simulation_->proceed(), parameters_->proceed(*here_.fleet); }

 private:
  void open(const std::string& place);
  void close(const std::string& place);

  DoorHere& here_;
  Voice voice_;
  bool at_root_ = false;
  std::unique_ptr<Node> node_;  // this and what follows: once there is a world
  std::unique_ptr<RunTopics> topics_;
  std::vector<std::unique_ptr<Service>> ue_;  // of Rapyuta's simulator
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<SimulationParameters> parameters_;
};

}  // namespace convoy::ros2
