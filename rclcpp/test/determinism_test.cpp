#include "../benchmark/determinism.hpp"

#include <doctest/doctest.h>

#include "convoy_ros/simulation.hpp"
#include "nodes/benchmark.h"
#include "os/fibres.h"
#include "rclcpp_components/register_node_macro.hpp"

using namespace convoy;

namespace {

struct Run {
  std::uint64_t combined = 505510631, callbacks = 0;
  std::array<std::uint64_t, 4> states{};
};

Run run(TimerOrder order, Instant built_at, nodes::Execution* execution = nullptr, int sleep_us = 0) {
  const Instant start = instant(10'000'000'000);
  ros::Simulation simulation({.graph = {.now = built_at, .order = order, .execution = execution}});
  determinism::Outcome outcome;
  {
    const ros::Simulation::Scope scope(simulation);
    determinism::report_to(&outcome);
    std::vector<rclcpp_components::NodeInstanceWrapper> nodes;
    for (const char* name : {"A", "B", "C", "D", "Monitor"}) {
      auto* factory = rclcpp_components::find_component("determinism::" + std::string(name));
      REQUIRE(factory);
      nodes.push_back(factory->create_node_instance(rclcpp::NodeOptions()
                                                        .append_parameter_override("timeout_s", 100)
                                                        .append_parameter_override("sleep_us", sleep_us)));
    }
    determinism::report_to(nullptr);
    for (Instant next = start; next != nodes::kNoInstant; next = simulation.next())
      REQUIRE(simulation.run_instant(std::max(next, start)));
  }
  Run out;
  std::size_t i = 0;
  for (const auto& [name, ended] : outcome) {
    out.states[i++] = ended.state, out.callbacks += ended.callbacks;
    out.combined = nodes::benchmark::combine(out.combined, ended.state);
  }
  REQUIRE(i == 4);
  return out;
}

}  // namespace

TEST_CASE("components reach RSLCPP's published states in its order") {
  const Run out = run(TimerOrder::kRslcpp, instant(0));

  CHECK(out.states == nodes::benchmark::kPublished.states);
  CHECK(out.combined == 7448837717382456148u);
  CHECK(out.callbacks == 19011);
}

TEST_CASE("components reach our own states in the stable order, also on fibres") {
  os::Fibres fibres;
  for (nodes::Execution* execution :
       {static_cast<nodes::Execution*>(nullptr), static_cast<nodes::Execution*>(&fibres)}) {
    const Run overdue = run(TimerOrder::kStable, instant(0), execution);
    const Run fresh = run(TimerOrder::kStable, instant(10'000'000'000), execution);

    CHECK(overdue.combined == 14807076229895937644u);
    CHECK(overdue.callbacks == 19011);
    CHECK(fresh.combined == 13654575239530210506u);
    CHECK(fresh.callbacks == 19190);
  }
}

TEST_CASE("callbacks that sleep at random, as if they computed, move none of the published states") {
  os::Fibres fibres;
  const Run out = run(TimerOrder::kRslcpp, instant(0), &fibres, 10);

  CHECK(out.combined == 7448837717382456148u);
  CHECK(out.callbacks == 19011);
}
