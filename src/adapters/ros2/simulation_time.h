// How a program of ROS 2 governs the run's time: get_ and set_simulation_state, reset_simulation, step_simulation, and the
// action simulate_steps.
//
//   the run ...                        is, for simulation_interfaces
//   goes on                            STATE_PLAYING
//   is paused                          STATE_PAUSED
//   is paused at the beginning         STATE_STOPPED, or STATE_PAUSED if a program has paused it here since it stopped
//   is over                            STATE_QUITTING
//
// A step is a tick of the run.
#pragma once

#include <optional>
#include <set>
#include <simulation_interfaces/action/simulate_steps.hpp>

#include "adapters/ros2/actions.h"
#include "adapters/ros2/ask.h"
#include "adapters/ros2/simulation_services.h"

namespace convoy::ros2 {

class SimulationTime {
 public:
  explicit SimulationTime(SimulationServices& services);
  SimulationTime(const SimulationTime&) = delete;

 private:
  using Respond = std::function<void(SimResult)>;
  struct Standing {
    std::uint8_t state = 0;  // one of SimulationState's
    std::uint32_t run = 0;
    Tick tick = 0;
  };
  using Stands = std::function<void(const SimResult&, const Standing&)>;
  void stand(const Stands& then);
  void set_state(std::uint8_t wanted, const Respond& respond);
  void change(const Standing& from, std::uint8_t wanted, const Respond& respond);
  void pause(const Respond& respond);
  void rest(Tick tick, const Respond& respond);
  void stop(bool paused, const Respond& respond);
  void reset(std::uint8_t scope, const Respond& respond);
  void reset_all(const Respond& respond);
  void step(std::uint64_t steps, const Respond& respond);

  DoorHere& here_;
  std::optional<std::uint32_t> paused_run_;  // that was paused by a program at its beginning
};

// Goals of simulate_steps, one at a time: each step is asked for when the one before is done. A goal ends with the place that
// took it, and nobody hears of it.
class SimulateSteps {
 public:
  explicit SimulateSteps(SimulationServices& services);
  SimulateSteps(const SimulateSteps&) = delete;

 private:
  using Action = simulation_interfaces::action::SimulateSteps;
  using Server = ActionServer<Action>;
  struct Goal {
    Server* server = nullptr;  // null: its place has been closed
    GoalId id{};
    std::uint64_t done = 0, steps = 0;
  };
  struct Place;
  std::shared_ptr<void> open(Node& node, const std::string& place);
  void step();
  void stepped(const Answer& answer);
  void end(std::int8_t status, SimResult result);

  DoorHere& here_;
  std::optional<Goal> goal_;
};

}  // namespace convoy::ros2
