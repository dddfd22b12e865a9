// A job in C++: steps, resets and nodes of its caller.
#include "convoy_ros/job.hpp"

#include <doctest/doctest.h>

#include "convoy_ros/benchmark.hpp"
#include "convoy_ros/simulation.hpp"
#include "rclcpp/rclcpp.hpp"

using namespace convoy;
using namespace std::chrono_literals;

namespace {

ros::JobSpec four() {
  auto nodes = ros::DeterminismNodes::load(1);
  REQUIRE(nodes);
  ros::JobSpec spec;
  spec.start = instant(10'000'000'000);
  spec.duration = 5s;
  for (std::uint32_t group : {1u, 2u})
    for (ros::Component& c : (*nodes)->components(group)) spec.components.push_back(std::move(c));
  return spec;
}

}  // namespace

TEST_CASE("steps make what a run makes, and a reset begins anew") {
  auto whole = ros::Job::make(four());
  REQUIRE(whole);
  REQUIRE((*whole)->run());
  auto job = ros::Job::make(four());
  REQUIRE(job);
  for (int again : {0, 1}) {
    CAPTURE(again);
    int steps = 0;
    for (Result<bool> more = true; more && *more; ++steps) {
      more = (*job)->step(33ms);
      REQUIRE(more);
    }
    CHECK(steps == 152);  // 5 s, the end included
    CHECK((*job)->digest() == (*whole)->digest());
    CHECK((*job)->callbacks() == (*whole)->callbacks());
    CHECK((*job)->simulated() == 5s);
    REQUIRE((*job)->reset());
    CHECK((*job)->callbacks() == 0);
  }
  CHECK_FALSE((*job)->step(-1ms));
}

TEST_CASE("the caller's own nodes come before or after the components") {
  ros::JobSpec spec = four();
  std::vector<std::string> order;
  std::shared_ptr<rclcpp::Node> before, after;
  spec.before_nodes = [&](ros::Simulation& simulation) {
    order.push_back(std::to_string(simulation.graph().nodes().size()));
    before = std::make_shared<rclcpp::Node>("before");
  };
  spec.after_nodes = [&](ros::Simulation& simulation) {
    order.push_back(std::to_string(simulation.graph().nodes().size()));
    after = std::make_shared<rclcpp::Node>("after");
  };
  auto job = ros::Job::make(spec);
  REQUIRE(job);
  CHECK(order == std::vector<std::string>{"0", "5"});
  before.reset(), after.reset();
}
