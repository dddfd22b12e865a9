// A simulation for a test, current until it goes, and what its nodes logged and did.
#pragma once

#include <doctest/doctest.h>

#include "convoy_ros/simulation.hpp"
#include "os/fibres.h"
#include "rclcpp/rclcpp.hpp"
#include "thread_order.hpp"

struct NodeRig {
  explicit NodeRig(std::vector<std::string> arguments = {}, convoy::nodes::GraphOptions graph = {})
      : simulation(options(std::move(arguments), std::move(graph))), scope(simulation) {}
  ~NodeRig() {
    if (threads().used() && remained.empty()) CHECK(threads().finish({}) == "");
    simulation.unwind();
  }
  convoy::ros::ThreadOrder& threads() { return convoy::ros::ThreadOrder::of(simulation); }
  // As the constructor of a component: it may block, and make threads.
  void construct(const std::function<void()>& work) {
    simulation.graph().stacks().run([this, work] {
      const convoy::ros::Watched::Work constructing(simulation.watched(), simulation.keep("a constructor"));
      work();
      simulation.find_topics_again();
    });
  }

  // Everything up to and including this instant, in ns.
  convoy::Status run_until(std::int64_t end) {
    while (simulation.next() <= convoy::instant(end))
      if (auto ok = simulation.run_instant(simulation.next()); !ok) return ok;
    return {};
  }
  // A line of the story: "5: text" at 5 ns.
  void tell(const std::string& text) { story.push_back(std::to_string(convoy::nanos(simulation.now())) + ": " + text); }

  std::string remained;  // threads at the end
  convoy::os::Fibres fibres;
  std::vector<std::string> log;
  std::vector<std::string> story;
  convoy::ros::Simulation simulation;
  convoy::ros::Simulation::Scope scope;

 private:
  convoy::ros::Simulation::Options options(std::vector<std::string> arguments, convoy::nodes::GraphOptions graph) {
    graph.execution = &fibres;
    return {
        .graph = std::move(graph), .arguments = std::move(arguments), .log = [this](const convoy::ros::LogLine& line) {
          log.push_back(std::to_string(line.severity) + " " + line.logger + ": " + line.text);
        }};
  }
};
using Lines = std::vector<std::string>;
