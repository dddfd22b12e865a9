#include "adapters/ros2/simulation_time.h"

#include <simulation_interfaces/srv/get_simulation_state.hpp>
#include <simulation_interfaces/srv/reset_simulation.hpp>
#include <simulation_interfaces/srv/set_simulation_state.hpp>
#include <simulation_interfaces/srv/step_simulation.hpp>

#include "adapters/ros2/testing.h"

namespace simulation_time_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = simulation_interfaces::srv;
using simulation_interfaces::action::SimulateSteps;
using simulation_interfaces::msg::SimulationState;
using Set = srv::SetSimulationState::Response;
using Scope = srv::ResetSimulation::Request;

namespace {

struct Hall : DoorRig {
  using DoorRig::DoorRig;
  int state() {
    const auto told = call<srv::GetSimulationState>("/get_simulation_state");
    CHECK(told.result.result == SimResult::RESULT_OK);
    return told.state.state;
  }
  int set(std::uint8_t wanted) {
    srv::SetSimulationState::Request request;
    request.state.state = wanted;
    return call<srv::SetSimulationState>("/set_simulation_state", request).result.result;
  }
  int step(std::uint64_t steps) {
    srv::StepSimulation::Request request;
    request.steps = steps;
    return call<srv::StepSimulation>("/step_simulation", request).result.result;
  }
  int reset(std::uint8_t scope) {
    srv::ResetSimulation::Request request;
    request.scope = scope;
    return call<srv::ResetSimulation>("/reset_simulation", request).result.result;
  }
  Tick tick() { return rig.run().tick(); }
  bool paused() { return rig.run().time().paused(); }
};

// What a client of an action does, one step after the other.
class Goal {
 public:
  Goal(Hall& hall, std::uint64_t steps, const std::string& ns = "/") : hall_(hall), ns_(ns) {
    id_[0] = ++made;
    const auto type = ros::TypeSupport::of<SimulateSteps::Impl::FeedbackMessage>();
    heard_ = *hall.caller->subscription(ns + "simulate_steps/_action/feedback", type, {}, [this](const Received& got) {
      const auto news = message_in<SimulateSteps::Impl::FeedbackMessage>(*hall_.outside, got.cdr);
      if (news->goal_id.uuid == id_)
        feedback +=
            std::to_string(news->feedback.completed_steps) + "/" + std::to_string(news->feedback.remaining_steps) + " ";
    });
    REQUIRE(hall.until([&] { return heard_->matched() > 0; }, 2));
    SimulateSteps::Impl::SendGoalService::Request request;
    request.goal_id.uuid = id_, request.goal.steps = steps;
    accepted =
        hall.call<SimulateSteps::Impl::SendGoalService>(ns + "simulate_steps/_action/send_goal", request).accepted;
  }
  SimulateSteps::Impl::GetResultService::Response result() {
    SimulateSteps::Impl::GetResultService::Request request;
    request.goal_id.uuid = id_;
    return hall_.call<SimulateSteps::Impl::GetResultService>(ns_ + "simulate_steps/_action/get_result", request);
  }
  int cancel() {
    action_msgs::srv::CancelGoal::Request request;
    request.goal_info.goal_id.uuid = id_;
    return hall_.call<action_msgs::srv::CancelGoal>(ns_ + "simulate_steps/_action/cancel_goal", request).return_code;
  }

  static inline std::uint8_t made = 0;
  bool accepted = false;
  std::string feedback;

 private:
  Hall& hall_;
  std::string ns_;
  GoalId id_{};
  std::unique_ptr<Subscription> heard_;
};

}  // namespace

TEST_CASE("the run is stopped, played, paused and stopped again, and is so when it is said, in both modes") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Hall dut({.free = free});
    CHECK(dut.state() == SimulationState::STATE_STOPPED);
    CHECK(dut.set(SimulationState::STATE_STOPPED) == Set::ALREADY_IN_TARGET_STATE);

    CHECK(dut.set(SimulationState::STATE_PLAYING) == SimResult::RESULT_OK);
    CHECK(!dut.paused());
    CHECK(dut.state() == SimulationState::STATE_PLAYING);
    CHECK(dut.set(SimulationState::STATE_PLAYING) == Set::ALREADY_IN_TARGET_STATE);
    REQUIRE(dut.rig.run_to(10));

    CHECK(dut.set(SimulationState::STATE_PAUSED) == SimResult::RESULT_OK);
    const Tick there = dut.tick();
    CHECK(dut.state() == SimulationState::STATE_PAUSED);
    (void)dut.until([] { return false; }, 1);
    CHECK(dut.tick() == there);
    CHECK(dut.set(SimulationState::STATE_PAUSED) == Set::ALREADY_IN_TARGET_STATE);

    CHECK(dut.set(SimulationState::STATE_STOPPED) == SimResult::RESULT_OK);
    CHECK(dut.tick() == 0);
    CHECK(dut.paused());
    CHECK(dut.state() == SimulationState::STATE_STOPPED);
  }
}

TEST_CASE("a run that plays is stopped in one go, and one that is stopped may be paused") {
  Hall dut;
  CHECK(dut.set(SimulationState::STATE_PAUSED) == SimResult::RESULT_OK);
  CHECK(dut.state() == SimulationState::STATE_PAUSED);
  CHECK(dut.tick() == 0);
  CHECK(dut.set(SimulationState::STATE_STOPPED) == SimResult::RESULT_OK);
  CHECK(dut.state() == SimulationState::STATE_STOPPED);
  CHECK(dut.set(SimulationState::STATE_PLAYING) == SimResult::RESULT_OK);
  REQUIRE(dut.rig.run_to(5));
  CHECK(dut.set(SimulationState::STATE_STOPPED) == SimResult::RESULT_OK);
  CHECK(dut.state() == SimulationState::STATE_STOPPED);
  CHECK(dut.tick() == 0);
}

TEST_CASE("there is always a world, and other states are none") {
  Hall dut;
  CHECK(dut.set(SimulationState::STATE_NO_WORLD) == Set::INCORRECT_TRANSITION);
  CHECK(dut.set(SimulationState::STATE_LOADING_WORLD) == Set::INCORRECT_TRANSITION);
  CHECK(dut.set(77) == Set::INCORRECT_TRANSITION);
  CHECK(dut.state() == SimulationState::STATE_STOPPED);
}

TEST_CASE("who quits the simulation ends the run, whether it plays or not") {
  for (const bool paused : {false, true}) {
    CAPTURE(paused);
    Hall dut({.paused = paused});
    CHECK(dut.set(SimulationState::STATE_QUITTING) == SimResult::RESULT_OK);
    CHECK(dut.rig.finish());
  }
}

TEST_CASE("steps are done when they are answered, and the run is paused again, in both modes") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Hall dut({.free = free});
    CHECK(dut.step(1) == SimResult::RESULT_OK);
    CHECK(dut.tick() == 1);
    CHECK(dut.step(20) == SimResult::RESULT_OK);
    CHECK(dut.tick() == 21);
    CHECK(dut.paused());
    CHECK(dut.state() == SimulationState::STATE_PAUSED);
    CHECK(dut.step(0) == SimResult::RESULT_OPERATION_FAILED);
    CHECK(dut.set(SimulationState::STATE_PLAYING) == SimResult::RESULT_OK);
    CHECK(dut.step(1) == SimResult::RESULT_OPERATION_FAILED);
  }
}

TEST_CASE("steps that are cut off by a resume have failed") {
  Hall dut;
  std::optional<int> result;
  srv::StepSimulation::Request request;
  request.steps = 1000;
  dut.send<srv::StepSimulation>("/step_simulation", request, [&](const auto& told) { result = told.result.result; });
  REQUIRE(dut.until([&] { return dut.tick() > 3; }));
  CHECK(dut.rig.call(testing::just([](testing::Request& r) { r.mutable_resume(); })).error() == 0);
  REQUIRE(dut.until([&] { return result.has_value(); }));
  CHECK(*result == SimResult::RESULT_OPERATION_FAILED);
}

TEST_CASE("a reset takes back what its scope names, and no more") {
  Hall dut;
  const auto disturb = [&] {
    REQUIRE(dut.rig.call(testing::spawn("crate", "box")).error() == 0);
    REQUIRE(dut.rig.call(testing::set_pose("alpha", 3)).error() == 0);
    REQUIRE(dut.step(4) == SimResult::RESULT_OK);
  };
  const auto standing = [&] {
    return std::string(dut.world().find("crate") == kNoSlot ? "" : "crate ") +
           (dut.place("alpha").x == 0 ? "" : "moved ") + std::to_string(dut.tick());
  };
  disturb();
  CHECK(standing() == "crate moved 4");
  CHECK(dut.reset(Scope::SCOPE_SPAWNED) == SimResult::RESULT_OK);
  CHECK(standing() == "moved 4");
  CHECK(dut.reset(Scope::SCOPE_STATE) == SimResult::RESULT_OK);
  CHECK(standing() == "4");

  for (const std::uint8_t whole :
       {std::uint8_t{0}, Scope::SCOPE_ALL, Scope::SCOPE_TIME, std::uint8_t(Scope::SCOPE_TIME | Scope::SCOPE_STATE)}) {
    CAPTURE(int{whole});
    disturb();
    CHECK(dut.reset(whole) == SimResult::RESULT_OK);
    CHECK(standing() == "0");
    CHECK(dut.state() == SimulationState::STATE_STOPPED);
  }
  disturb();
  CHECK(dut.reset(Scope::SCOPE_STATE | Scope::SCOPE_SPAWNED) == SimResult::RESULT_OK);
  CHECK(standing() == "4");
  CHECK(dut.reset(Scope::SCOPE_SPAWNED) == SimResult::RESULT_OK);  // there is nothing left
  CHECK(dut.reset(8) == SimResult::RESULT_OPERATION_FAILED);
}

TEST_CASE("what begins with the run and was deleted does not come back but with the whole world") {
  Hall dut;
  REQUIRE(dut.rig.call(testing::erase("beta")).error() == 0);
  CHECK(dut.reset(Scope::SCOPE_STATE) == SimResult::RESULT_OK);
  CHECK(dut.world().find("beta") == kNoSlot);
  CHECK(dut.reset(Scope::SCOPE_DEFAULT) == SimResult::RESULT_OK);
  CHECK(dut.world().find("beta") != kNoSlot);
}

TEST_CASE("a robot that another holds is not reset, and it is said so") {
  Hall dut;
  testing::Request lease;
  lease.set_holder("planner"), lease.mutable_lease()->add_names("alpha");
  REQUIRE(dut.rig.call(lease).error() == 0);
  CHECK(dut.reset(Scope::SCOPE_STATE) == SimResult::RESULT_OPERATION_FAILED);
  CHECK(dut.reset(Scope::SCOPE_ALL) == SimResult::RESULT_OPERATION_FAILED);
}

TEST_CASE("a goal of steps is told of after each, and its result is there for who asks, sooner or later") {
  Hall dut;
  Goal goal(dut, 3);
  CHECK(goal.accepted);
  auto told = goal.result();
  CHECK(told.status == GoalStatus::STATUS_SUCCEEDED);
  CHECK(told.result.result.result == SimResult::RESULT_OK);
  CHECK(goal.feedback == "1/2 2/1 3/0 ");
  CHECK(dut.tick() == 3);
  CHECK(dut.paused());
  CHECK(goal.result() == told);
  CHECK(goal.cancel() == action_msgs::srv::CancelGoal::Response::ERROR_GOAL_TERMINATED);

  // Who comes later hears how it stands.
  std::string statuses;
  const auto heard = *dut.caller->subscription(
      "/simulate_steps/_action/status", ros::TypeSupport::of<action_msgs::msg::GoalStatusArray>(), kLatched,
      [&](const Received& got) {
        const auto told = message_in<action_msgs::msg::GoalStatusArray>(*dut.outside, got.cdr);
        for (const auto& one : told->status_list) statuses += std::to_string(one.status) + " ";
      });
  CHECK(dut.until([&] { return statuses == "4 "; }, 2));
}

TEST_CASE("a goal is canceled between two steps, and a second one is not accepted meanwhile") {
  Hall dut;
  Goal goal(dut, 100'000);
  REQUIRE(dut.until([&] { return dut.tick() > 5; }));
  CHECK(!Goal(dut, 1).accepted);
  CHECK(goal.cancel() == action_msgs::srv::CancelGoal::Response::ERROR_NONE);
  const auto told = goal.result();
  CHECK(told.status == GoalStatus::STATUS_CANCELED);
  CHECK(told.result.result.result == SimResult::RESULT_OPERATION_FAILED);
  const Tick there = dut.tick();
  CHECK(told.result.result.error_message == "canceled after " + std::to_string(there) + " of 100000 steps");
  (void)dut.until([] { return false; }, 1);
  CHECK(dut.tick() == there);
  CHECK(Goal(dut, 1).accepted);
}

TEST_CASE("a goal while the run plays, or of no steps, is aborted, and one that nobody sent is not known") {
  Hall dut;
  Goal nothing(dut, 0);
  CHECK(nothing.result().status == GoalStatus::STATUS_ABORTED);
  CHECK(dut.set(SimulationState::STATE_PLAYING) == SimResult::RESULT_OK);
  Goal late(dut, 2);
  CHECK(late.accepted);
  CHECK(late.result().status == GoalStatus::STATUS_ABORTED);
  CHECK(late.result().result.result.result == SimResult::RESULT_OPERATION_FAILED);
  using GetResult = SimulateSteps::Impl::GetResultService;
  CHECK(dut.call<GetResult>("/simulate_steps/_action/get_result").status == GoalStatus::STATUS_UNKNOWN);
}

TEST_CASE("the action is in the client's namespace, too") {
  Hall dut({.settings = {.ns = "/NetworkPC1"}});
  Goal there(dut, 2, "/NetworkPC1/"), root(dut, 2);
  CHECK(there.result().status == GoalStatus::STATUS_SUCCEEDED);
  CHECK(root.accepted == (root.result().status == GoalStatus::STATUS_SUCCEEDED));
}

}  // namespace simulation_time_test
