// Entities that one request of simulation_interfaces asks for, until each is there or it is known why not.
//
//   SpawnOrder::begin(here, models, request.spawn_requests, [](const std::vector<SpawnResult>& results) { ... });
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
#include "adapters/ros2/brought_models.h"
#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

class SpawnOrder : public std::enable_shared_from_this<SpawnOrder> {
 public:
  using Wish = simulation_interfaces::msg::SpawnEntity;
  using SpawnResult = simulation_interfaces::msg::SpawnResult;
  using Done = std::function<void(const std::vector<SpawnResult>&)>;  // one for each wish, in their order

  static void begin(DoorHere& here, BroughtModels& models, std::vector<Wish> wishes, Done done);

 private:
  struct One {
    Wish wish;
    std::string model, name;  // of the run; as which an entity without a name is known
    bool open = true;         // its result is not known
  };
  SpawnOrder(DoorHere& here, BroughtModels& models, Done done) : here_(here), models_(models), done_(std::move(done)) {}
  void check(std::size_t i);
  void find_resource(std::size_t i);
  void bring(std::size_t i, RobotDescription what);
  void has_model(std::size_t i, const std::string& model);
  bool choose_name(std::size_t i);
  void spawn();
  void spawned(const std::vector<std::size_t>& asked, const Answer& answer);
  void refuse(std::size_t i, std::uint8_t code, std::string why);
  Json call_of(const One& one, const std::string& name) const;

  DoorHere& here_;
  BroughtModels& models_;
  Done done_;
  std::vector<One> all_;
  std::vector<SpawnResult> results_;
  std::set<std::string> names_;  // that are chosen, so that no other of this order is given them
  int tries_ = 0;
  std::size_t awaited_ = 0;  // models that are being brought
};

}  // namespace convoy::ros2
