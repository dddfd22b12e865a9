// Entities that one request of simulation_interfaces asks for, until each is there or it is known why not.
//
//   SpawnOrder::begin(here, request.spawn_requests, [](const std::vector<SpawnResult>& results) { ... });
//
// Names that are taken meanwhile are chosen anew, where the request lets them be.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <simulation_interfaces/msg/spawn_entity.hpp>
#include <simulation_interfaces/msg/spawn_result.hpp>
#include <string>
#include <vector>

#include "adapters/ros2/ask.h"
#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

class SpawnOrder : public std::enable_shared_from_this<SpawnOrder> {
 public:
  using Wish = simulation_interfaces::msg::SpawnEntity;
  using SpawnResult = simulation_interfaces::msg::SpawnResult;
  using Done = std::function<void(const std::vector<SpawnResult>&)>;  // one for each wish, in their order

  static void begin(DoorHere& here, std::vector<Wish> wishes, Done done);

 private:
  struct One {
    Wish wish;
    std::string model;
    bool open = true;  // its result is not known
  };
  SpawnOrder(DoorHere& here, Done done) : here_(here), done_(std::move(done)) {}
  void check(std::size_t i);
  bool choose_name(std::size_t i);
  void spawn();
  void spawned(const std::vector<std::size_t>& asked, const Answer& answer);
  void refuse(std::size_t i, std::uint8_t code, std::string why);
  Json call_of(const One& one, const std::string& name) const;

  DoorHere& here_;
  Done done_;
  std::vector<One> all_;
  std::vector<SpawnResult> results_;
  std::set<std::string> names_;  // that are chosen, so that no other of this order is given them
  int tries_ = 0;
};

}  // namespace convoy::ros2
