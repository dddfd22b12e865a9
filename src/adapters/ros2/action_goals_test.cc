#include "adapters/ros2/action_goals.h"

#include <doctest/doctest.h>

namespace action_goals_test {

using namespace convoy;
using namespace convoy::ros2;
using action_msgs::srv::CancelGoal;

namespace {

GoalId id(std::uint8_t number) { return {number}; }
builtin_interfaces::msg::Time at(std::int32_t seconds) {
  builtin_interfaces::msg::Time out;
  out.sec = seconds;
  return out;
}
action_msgs::msg::GoalInfo about(std::uint8_t number, std::int32_t seconds) {
  action_msgs::msg::GoalInfo out;
  out.goal_id.uuid = id(number), out.stamp = at(seconds);
  return out;
}

// Goals 1 to 4, accepted at as many seconds; the fourth has succeeded.
struct Hall {
  Hall() {
    for (std::uint8_t i = 1; i <= 4; ++i) dut.add(id(i), at(i));
    (void)dut.end(id(4), GoalStatus::STATUS_SUCCEEDED, {1});
  }
  std::string cancel(const action_msgs::msg::GoalInfo& what, bool may = true) {
    const auto response = dut.cancel(what, [&](const GoalId&) { return may; });
    std::string out = std::to_string(response.return_code) + ":";
    for (const auto& goal : response.goals_canceling) out += " " + std::to_string(goal.goal_id.uuid[0]);
    return out;
  }
  ActionGoals dut;
};

}  // namespace

TEST_CASE("a cancel is about one goal, all, those until a time, or both") {
  CHECK(Hall().cancel(about(2, 0)) == "0: 2");
  CHECK(Hall().cancel(about(0, 0)) == "0: 1 2 3");
  CHECK(Hall().cancel(about(0, 2)) == "0: 1 2");
  CHECK(Hall().cancel(about(3, 1)) == "0: 1 3");
}

TEST_CASE("a cancel of a goal that has ended, is not known, or may not be canceled says so") {
  CHECK(Hall().cancel(about(4, 0)) == std::to_string(CancelGoal::Response::ERROR_GOAL_TERMINATED) + ":");
  CHECK(Hall().cancel(about(9, 0)) == std::to_string(CancelGoal::Response::ERROR_UNKNOWN_GOAL_ID) + ":");
  CHECK(Hall().cancel(about(1, 0), false) == std::to_string(CancelGoal::Response::ERROR_REJECTED) + ":");
  Hall none;
  for (std::uint8_t i = 1; i <= 3; ++i) (void)none.dut.end(id(i), GoalStatus::STATUS_ABORTED, {});
  CHECK(none.cancel(about(0, 0)) == "0:");
}

TEST_CASE("goals have an id each, a status each, and results for who asks while they are kept") {
  Hall hall;
  CHECK(hall.dut.add(id(1), at(9)) == nullptr);
  CHECK(hall.dut.find(id(4))->result == Bytes{1});
  hall.dut.find(id(1))->askers.resize(2);
  CHECK(hall.dut.end(id(1), GoalStatus::STATUS_ABORTED, {}).size() == 2);
  (void)hall.cancel(about(2, 0));
  std::string told;
  for (const auto& one : hall.dut.statuses().status_list)
    told += std::to_string(one.goal_info.goal_id.uuid[0]) + "=" + std::to_string(one.status) + " ";
  CHECK(told == "1=6 2=3 3=1 4=4 ");
}

TEST_CASE("as many goals are open as there may be, and of those that have ended the last are kept") {
  ActionGoals dut;
  const auto numbered = [](std::size_t i) {
    return GoalId{1, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)};
  };
  for (std::size_t i = 0; i <= kMaxGoals; ++i) CHECK((dut.add(numbered(i), at(1)) != nullptr) == (i < kMaxGoals));
  for (std::size_t i = 0; i < 2 * kKeptResults; ++i) (void)dut.end(numbered(i), GoalStatus::STATUS_SUCCEEDED, {});
  CHECK(dut.find(numbered(kKeptResults - 1)) == nullptr);
  CHECK(dut.find(numbered(kKeptResults)) != nullptr);
  CHECK(dut.statuses().status_list.size() == kMaxGoals - kKeptResults);
}

}  // namespace action_goals_test
