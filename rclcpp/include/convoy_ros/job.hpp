// A job: components from shared libraries, run together on simulated time until an end (docs/rclcpp.md).
//
//   auto job = Job::make({.components = {{"libtalkers.so", "demo::Talker", {"-p", "rate:=2"}}}, .duration = 10s});
//   if (job) Status ok = (*job)->run();
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "convoy_ros/bag.hpp"
#include "nodes/delay.h"
#include "nodes/timer.h"

namespace convoy::ros {

class Simulation;

struct Component {
  std::string library;                 // the path of a shared library, or a package of an ament index
  std::string type;                    // the class that it registers, "demo::Talker"
  std::vector<std::string> arguments;  // ROS arguments for this node alone, without --ros-args
  std::uint32_t origin = 0;            // number of the agent that it could be cut off into: orders what is due together
};

struct JobSpec {
  std::vector<Component> components;   // nodes are made in this order
  std::vector<std::string> arguments;  // ROS arguments for all, without --ros-args
  std::vector<std::string> prefixes;   // where packages are searched for, first to last
  std::optional<Instant> start;        // of the run. None: what a node asks for while it is made (Simulation), or 0
  std::optional<Instant> built;        // the clock while nodes are made; before the start: timers begin overdue
  std::optional<Duration> duration;    // what happens at start + duration still does. None: until nothing is left
  TimerOrder order = TimerOrder::kStable;
  std::uint64_t seed = 1;
  std::vector<DelayRule> delays;  // each must concern what some node has when all are made
  int log_level = 20;             // rclcpp::Logger::Level
  std::optional<BagSpec> record;  // all that is published goes into a bag
  // Called before and after the components' nodes are made, with the simulation as the current one: for nodes of the
  // caller's own, which it holds as long as the job.
  std::function<void(Simulation&)> before_nodes, after_nodes;
  // Called before each component's node is made, on the thread that makes it, which may be the node's own.
  std::function<void()> before_node;
};

class Job {
 public:
  // Loads, and makes the nodes. Libraries stay loaded: their types may be in use to the end of the process.
  static Result<std::unique_ptr<Job>> make(JobSpec spec);
  ~Job();  // shutdown, then the nodes go, in the order in which they were made
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // To the end: the duration, rclcpp::shutdown() by a node, nothing left to happen, or `stop`, which is asked before
  // each instant. An error: what a callback threw, or a bound of the graph.
  Status run(const std::function<bool()>& stop = {});
  // What happens within the next `time`, the end of it included; several make what run() makes. False: it is over, as
  // run() reports.
  Result<bool> step(Duration time);
  // All nodes anew, at the start, as make() made them. On an error the job is of no use any more.
  Status reset();

  std::vector<std::string> node_names() const;  // full, as the components were given
  Instant start() const;                        // of the run, which a node may have asked for
  std::uint64_t callbacks() const;
  std::uint64_t messages() const;  // published on topics
  std::uint64_t digest() const;    // of the order and the contents of everything
  Duration simulated() const;
  int exit_code() const;  // that a node chose (Simulation::finish), or 0

 private:
  struct Parts;
  Status run_instants(Instant until, const std::function<bool()>& stop);
  explicit Job(std::unique_ptr<Parts> parts);
  void drop();
  std::unique_ptr<Parts> parts_;
};

}  // namespace convoy::ros
