#include "adapters/ros2/simulation_time.h"
#include "messages/geometry.h"

namespace convoy::ros2 {

SimulateSteps::SimulateSteps(SimulationServices& services) : here_(services.here()) {
  services.add_offer([this, &services](const std::string& place) { return open(services.node(), place); });
}

struct SimulateSteps::Place {
  ~Place() {
    if (steps.goal_ && steps.goal_->server == server.get()) steps.goal_->server = nullptr;
  }
  SimulateSteps& steps;
  std::unique_ptr<Server> server;
};

std::shared_ptr<void> SimulateSteps::open(Node& node, const std::string& place) {
  const auto self = std::make_shared<Server*>(nullptr);  // goals come only once it is there
  Server::Callbacks callbacks;
  callbacks.accept = [this](const auto&, const Guid&) { return here_.fleet != nullptr && !goal_; };
  callbacks.begin = [this, self](const GoalId& id, const auto& goal, const Guid&) {
    goal_ = Goal{*self, id, 0, goal.steps};
    step();
  };
  callbacks.cancel = [](const GoalId&, const Guid&) { return true; };  // the step that is under way is done first
  callbacks.clock = [this] {
    const Fleet* fleet = here_.fleet;
    if (!fleet) return builtin_interfaces::msg::Time();
    return ros::stamp_of(instant(here_.control.position().tick * nanos(fleet->tick())) + clock_start(*fleet));
  };
  auto made = Server::make(node, place + "simulate_steps", std::move(callbacks));
  if (!made) {
    here_.log.line(LogLevel::kWarn, "ROS 2: " + made.error().message());
    return nullptr;
  }
  *self = made->get();
  return std::shared_ptr<Place>(new Place{*this, std::move(*made)});
}

void SimulateSteps::step() {
  if (!goal_->server) return goal_.reset();
  if (goal_->done == goal_->steps && goal_->steps > 0) return end(GoalStatus::STATUS_SUCCEEDED, done());
  if (goal_->server->canceling(goal_->id))
    return end(GoalStatus::STATUS_CANCELED, failed("canceled after " + std::to_string(goal_->done) + " of " +
                                                   std::to_string(goal_->steps) + " steps"));
  if (!here_.fleet) return end(GoalStatus::STATUS_ABORTED, not_begun());
  ask(here_.control, *here_.fleet, "step", {{"ticks", goal_->steps == 0 ? 0 : 1}}, {},
      [this](const Answer& answer) { stepped(answer); });
}

void SimulateSteps::stepped(const Answer& answer) {
  if (!goal_->server) return goal_.reset();
  if (answer.error) return end(GoalStatus::STATUS_ABORTED, failed(answer.error->text));
  ++goal_->done;
  Action::Feedback feedback;
  feedback.completed_steps = goal_->done, feedback.remaining_steps = goal_->steps - goal_->done;
  goal_->server->tell(goal_->id, feedback);
  step();
}

void SimulateSteps::end(std::int8_t status, SimResult result) {
  const Goal goal = *std::exchange(goal_, std::nullopt);
  Action::Result out;
  out.result = std::move(result);
  goal.server->end(goal.id, status, out);
}

}  // namespace convoy::ros2
