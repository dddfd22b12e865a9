// The port between an agent and the nodes that run inside it.
//
// The core knows no ROS. What makes nodes (rclcpp/, tests) implements Software over a nodes::Graph; sensor readings
// and drive commands pass through it as plain values. Only the agent advances it, in the order of docs/nodes.md.
#pragma once

#include <memory>
#include <optional>

#include "agent/edit_request.h"
#include "agent/element_view.h"
#include "core/fields.h"
#include "nodes/graph.h"
#include "physics/odometry.h"
#include "sensing/sensor.h"
#include "world/code_file.h"
#include "world/directory.h"
#include "world/traffic.h"
#include "world/world.h"

namespace convoy {

// The robot's state and sensor readings at a boundary.
struct Readings {
  const Model& model;
  const State& state;
  std::span<const double> tail;        // joint positions, then velocities
  const Odometry* odometry = nullptr;  // when it was read just now
  std::span<const Sample> samples;     // that are delivered at this boundary
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
  // Does somebody listen to this sensor of its robot?
  virtual bool takes(std::string_view /*sensor*/) const { return false; }
  // The newest command to the drive since the last call.
  virtual std::optional<Twist> take_command() = 0;
  // Edits of the world that it asks for since the last call; they are carried out at the next boundary.
  virtual std::vector<EditRequest> take_edit_requests() { return {}; }
  // What came of one of them, before the instant at the boundary where it was carried out.
  virtual void edited(const EditReply& /*reply*/) {}
  // Does it want to know of elements of outside programs?
  virtual bool looks_at_elements() const { return false; }
  // Those that its agent sees now, before the instant at the boundary, where that is something else than last time.
  // They are gone when this returns.
  virtual void elements(std::span<const SeenElement> /*seen*/) {}
  // Interfaces of other agents have appeared or gone: callbacks that wait for that run at the next instant.
  virtual void outside_changed() {}
  // Set once the software has ended, or wants the run to end.
  virtual std::optional<Ended> ended() const { return std::nullopt; }
  // A message for people, as YAML.
  virtual std::string text_of(const nodes::Delivery& message) const = 0;
  // A message of that type from YAML, as bytes of which the type makes one. kInvalid names the field that is wrong.
  virtual Result<Bytes> encode(const nodes::MessageType& type, const std::string& /*yaml*/) const {
    return fail(ErrorCode::kUnsupported, "messages of type " + std::string(type.name()) + " are not made of text here");
  }
  // A person sets a parameter: the value as YAML.
  virtual Status set_parameter(const std::string& node, const std::string& name, const std::string& value) = 0;
};

// The agent for which software is made.
struct SoftwareSpec {
  const Entity& entity;
  const Model& model;
  const Setup& setup;
  Instant now{};
  SensorBook* sensors = nullptr;  // which types there are; null: Convoy's own
};

// Handed in by src/apps. Called from one thread at a time.
class SoftwareFactory {
 public:
  virtual ~SoftwareFactory() = default;
  virtual Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) = 0;
  // What these components are made of on this machine, each file once. They are loaded for it, where whoever names them
  // may have that. An error: the first one that could not be; the files are those of the others.
  virtual std::vector<CodeFile> code_of(std::span<const ComponentSpec> components, CodeSource source,
                                        std::optional<Error>& missing) = 0;
};

// --- messages between the software of different agents; their topics are reserved

inline constexpr const char* kNodeTopic = "/";     // a nodes::RemoteMessage
inline constexpr const char* kNodePart = "/part";  // bytes of the next one, which is too large for a message
inline constexpr const char* kInterfacesTopic = "/interfaces";  // InterfacesMessage: all interfaces of this agent
inline constexpr const char* kEndedTopic = "/ended";            // an EndedMessage

inline constexpr std::size_t kMaxNodeMessage = 64u << 20;  // bytes of one message between agents
inline constexpr std::size_t kMaxNodeBytes = 256u << 20;   // of all that leave an agent in one tick

struct InterfacesMessage {
  std::vector<Interface> all;
};
template <class V, MaybeConst<InterfacesMessage> T>
void fields(V& v, T& s) {
  v("all", s.all);
}

struct EndedMessage {
  std::int32_t exit_code = 0;
  std::string why;
  bool run = false;
};
template <class V, MaybeConst<EndedMessage> T>
void fields(V& v, T& e) {
  v("exit_code", e.exit_code), v("why", e.why), v("run", e.run);
}

// Applies a message of kInterfacesTopic to the world's directory; at the boundary of its hand-over, on server and
// hosts.
void apply_announcement(World& world, const Message& message);

// A name as the directory has it: "/odom", or "3:/odom" in domain 3.
std::string in_domain(std::uint32_t domain, std::string_view name);

// Other agents as one agent's graph sees them.
class AgentOutside final : public nodes::Outside {
 public:
  AgentOutside(const Directory& directory, WorldNumber self, std::uint32_t domain)
      : directory_(directory), self_(self), domain_(domain) {}
  std::vector<WorldNumber> subscribers(std::string_view topic) const override;
  WorldNumber server(std::string_view service) const override;

 private:
  const Directory& directory_;
  WorldNumber self_;
  std::uint32_t domain_;
};

}  // namespace convoy
