// A robot's nodes as its software, however they are made: components in the agent, or a program's own main() beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/software.h"
#include "convoy_ros/simulation.hpp"

namespace convoy::ros {

class EditServices;
class RobotNode;  // the node of sensors and actuators

// The options of the simulation in which the nodes of `spec` live.
Simulation::Options options_of(const SoftwareSpec& spec, const std::vector<std::string>& arguments,
                               nodes::Execution& execution);

class NodesSoftware : public Software {
 public:
  // The simulation outlives it.
  explicit NodesSoftware(Simulation& simulation);
  ~NodesSoftware() override;

  nodes::Graph& graph() override { return simulation_.graph(); }
  const nodes::Graph& graph() const override { return simulation_.graph(); }
  Instant next() const override { return simulation_.next(); }
  Status run(Instant t, const Readings* readings) override;
  bool takes(std::string_view sensor) const override;
  std::optional<Twist> take_command() override;
  bool looks_at_elements() const override;
  void elements(std::span<const SeenElement> seen) override;
  std::vector<EditRequest> take_edit_requests() override;
  void edited(const EditReply& reply) override;
  void outside_changed() override { simulation_.find_topics_again(); }
  std::optional<Ended> ended() const override;
  std::string text_of(const nodes::Delivery& message) const override;
  Result<Bytes> encode(const nodes::MessageType& type, const std::string& yaml) const override;
  Status set_parameter(const std::string& node, const std::string& name, const std::string& value) override;

 protected:
  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  // The first half of an instant: time, and what the sensors report.
  void begin(Instant t, const Readings* readings);
  // Once the nodes that know its topics are there: those that the run itself adds to them.
  void make_robot_node(const SoftwareSpec& spec);
  void drop_robot_node();

 private:
  Simulation& simulation_;
  std::unique_ptr<RobotNode> robot_;     // of a robot with a body
  std::unique_ptr<EditServices> edits_;  // of what may ask for some
};

}  // namespace convoy::ros
