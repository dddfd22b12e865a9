// A robot's own software: the port between an agent and the nodes that run inside it.
//
// The core knows no ROS: whoever makes the nodes (rclcpp/, tests) implements Software over a nodes::Graph, and what the
// robot's sensors say and its actuators are told passes here as plain values. Advanced by the agent alone, in the order
// of docs/nodes.md; a tick of it is a function of what enters.
#pragma once

#include <memory>
#include <optional>

#include "nodes/graph.h"
#include "physics/odometry.h"
#include "world/directory.h"
#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

// What the robot's own sensors say at a boundary, and where it is.
struct Readings {
  const Model& model;
  const State& state;
  std::span<const double> tail;        // joint positions, then velocities
  const Odometry* odometry = nullptr;  // when it was read just now
};

// How it ended, once it has.
struct Ended {
  int exit_code = 0;
  std::string why;   // an error, for people; empty: as it should
  bool run = false;  // the whole run is to end, not its own part alone
};

class Software {
 public:
  virtual ~Software() = default;
  virtual nodes::Graph& graph() = 0;
  virtual const nodes::Graph& graph() const = 0;
  // The earliest instant at which something happens by itself, or kNoInstant.
  virtual Instant next() const = 0;
  // Everything that happens at `t`; readings first, if there are any.
  virtual Status run(Instant t, const Readings* readings) = 0;
  // The newest command to the drive since the last call.
  virtual std::optional<Twist> take_command() = 0;
  // Others are there, or gone: who waits for that looks again at the next instant.
  virtual void outside_changed() {}
  // It wants the run to end, or its own part in it.
  virtual std::optional<Ended> ended() const { return std::nullopt; }
  // A message for people, as YAML.
  virtual std::string text_of(const nodes::Delivery& message) const = 0;
  // A person sets a parameter: the value as YAML.
  virtual Status set_parameter(const std::string& node, const std::string& name, const std::string& value) = 0;
};

// What it is made for.
struct SoftwareSpec {
  const Entity& entity;
  const Model& model;
  const Setup& setup;
  Instant now{};
};

// Handed in by src/apps. Called from one thread at a time.
class SoftwareFactory {
 public:
  virtual ~SoftwareFactory() = default;
  virtual Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) = 0;
};

// A rule about delays, as a setup says it.
DelaySpec delay_spec(const nodes::DelayRule& rule);
nodes::DelayRule delay_rule(const DelaySpec& spec);

// --- how it speaks to the software of other agents: payloads of messages whose topics nobody else may use

inline constexpr const char* kNodeTopic = "/";     // a nodes::RemoteMessage
inline constexpr const char* kNodePart = "/part";  // bytes of the next one, which is too large for a message
inline constexpr const char* kInterfacesTopic = "/interfaces";  // a Said: all by which this agent is reached
inline constexpr const char* kEndedTopic = "/ended";            // an EndedSaid

inline constexpr std::size_t kMaxNodeMessage = 64u << 20;  // bytes of one message between agents
inline constexpr std::size_t kMaxNodeBytes = 256u << 20;   // of all that leave an agent in one tick

struct InterfacesSaid {
  std::vector<Interface> all;
};
template <class V>
void fields(V& v, InterfacesSaid& s) {
  v("all", s.all);
}

struct EndedSaid {
  std::int32_t exit_code = 0;
  std::string why;
  bool run = false;
};
template <class V>
void fields(V& v, EndedSaid& e) {
  v("exit_code", e.exit_code), v("why", e.why), v("run", e.run);
}

// What an agent has said of itself, at the boundary where it is handed over: on the server and on every host.
void take_said(World& world, const Message& message);

// What nodes hold cannot be written down: such agents do not move to another host.
Status may_move(const World& world, std::span<const WorldNumber> agents);

// A name as the directory has it: "/odom", or "3:/odom" in domain 3.
std::string in_domain(std::uint32_t domain, std::string_view name);

// The agent's view of the others, for its graph.
class AgentOutside final : public nodes::Outside {
 public:
  AgentOutside(const Directory& directory, WorldNumber self, std::uint32_t domain)
      : directory_(directory), self_(self), domain_(domain) {}
  std::vector<WorldNumber> hearers(std::string_view topic) const override;
  WorldNumber server(std::string_view service) const override;

 private:
  const Directory& directory_;
  WorldNumber self_;
  std::uint32_t domain_;
};

}  // namespace convoy
