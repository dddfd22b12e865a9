// What agents receive besides the snapshot: messages from other agents, and inputs from outside the run.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/fields.h"
#include "world/control_source.h"

namespace convoy {

// A message between agents: handed over at the boundary after it was sent, delivered at sent + delay (one tick at
// least), in the order of (due, from, index).
struct Message {
  WorldNumber from = kNoEntity;
  WorldNumber to = kNoEntity;  // kNoEntity: all agents in range of the network model
  std::uint32_t index = 0;     // counts the sender's messages
  Instant sent{};
  std::string topic;
  Bytes payload;

  friend bool operator==(const Message&, const Message&) = default;
};
template <class V, MaybeConst<Message> T>
void fields(V& v, T& m) {
  v("from", m.from), v("to", m.to), v("index", m.index), v("sent", m.sent), v("topic", m.topic);
  v("payload", m.payload);
}

// Topic of a message that no agent gets: the sender's physics has failed, for the reason in the payload, and it no
// longer moves.
inline constexpr const char* kFaultTopic = "/fault";
// The same for physics that goes on, but is inexact from now on.
inline constexpr const char* kAdviceTopic = "/advice";
// The same for a sensor that samples nothing, or something else than its scenario asks for.
inline constexpr const char* kSensorTopic = "/sensor";

// Bounds of what one agent may send in one tick.
inline constexpr std::size_t kMaxMessagesPerTick = 1000;
inline constexpr std::size_t kMaxMessageBytes = 64 * 1024;

// A body twist (v.x forward m/s, w.z rad/s) that rules until the timeout has passed without a newer one.
struct DriveCommand {
  WorldNumber entity = kNoEntity;
  Twist twist;
  Duration timeout{0};  // 0: the model's command timeout
  ControlSource source = ControlSource::kDashboard;
  std::string holder{};  // as whom it is asked, for leases; empty: as nobody in particular
  friend bool operator==(const DriveCommand&, const DriveCommand&) = default;
};
template <class V, MaybeConst<DriveCommand> T>
void fields(V& v, T& c) {
  v("entity", c.entity), v("twist", c.twist), v("timeout", c.timeout), v("source", c.source), v("holder", c.holder);
}

// A parameter of a node, as `ros2 param set` sets it; or of the robot's own controller (kControllerNode).
struct SetParameter {
  WorldNumber entity = kNoEntity;
  std::string node;  // full name
  std::string name;
  std::string value;  // YAML
  ControlSource source =
      ControlSource::kAny;  // of a controller's: kAny is a setting, which counts under any ruler; else it is a command
  std::string holder{};
  friend bool operator==(const SetParameter&, const SetParameter&) = default;
};
template <class V, MaybeConst<SetParameter> T>
void fields(V& v, T& p) {
  v("entity", p.entity), v("node", p.node), v("name", p.name), v("value", p.value), v("source", p.source),
      v("holder", p.holder);
}
// Parameters of this node are those of the robot's own controller. No node has such a name.
inline constexpr const char* kControllerNode = "controller";

// A value for one actuator, in the model's units, from the tick at which it takes effect.
struct Control {
  std::uint32_t actuator = 0;  // its place among Model::actuators
  double value = 0;
  friend bool operator==(const Control&, const Control&) = default;
};
template <class V, MaybeConst<Control> T>
void fields(V& v, T& c) {
  v("actuator", c.actuator), v("value", c.value);
}

struct SetControls {
  WorldNumber entity = kNoEntity;
  std::vector<Control> controls;
  ControlSource source = ControlSource::kDashboard;
  std::string holder{};  // as whom it is asked, for leases; empty: as nobody in particular
  friend bool operator==(const SetControls&, const SetControls&) = default;
};
template <class V, MaybeConst<SetControls> T>
void fields(V& v, T& c) {
  v("entity", c.entity), v("controls", c.controls), v("source", c.source), v("holder", c.holder);
}
inline constexpr std::size_t kMaxControls = 10'000;  // of one input

// A robot's sensor is changed, from the next boundary on.
struct SetSensor {
  WorldNumber entity = kNoEntity;
  std::string sensor;        // its name
  Duration period{0};        // from one sample to the next, the next one a tick from now; 0: as it is
  std::optional<bool> on{};  // does it sample? nothing: as it is
  Bytes parameters;          // canonical bytes of its type's model; empty: as they are
  std::string holder{};      // as whom it is asked, for leases; empty: as nobody in particular
  friend bool operator==(const SetSensor&, const SetSensor&) = default;
};
template <class V, MaybeConst<SetSensor> T>
void fields(V& v, T& s) {
  v("entity", s.entity), v("sensor", s.sensor), v("period", s.period), v("on", s.on), v("parameters", s.parameters),
      v("holder", s.holder);
}

// A message that somebody outside publishes on a topic of an agent's nodes, as `ros2 topic pub` does.
struct PublishMessage {
  WorldNumber entity = kNoEntity;  // the agent that publishes it; others get it from there
  std::string topic;               // full name
  std::string type;                // "geometry_msgs/msg/Twist"
  std::string text;                // YAML
  std::string holder{};            // as whom it is asked, for leases; empty: as nobody in particular
  friend bool operator==(const PublishMessage&, const PublishMessage&) = default;
};
template <class V, MaybeConst<PublishMessage> T>
void fields(V& v, T& p) {
  v("entity", p.entity), v("topic", p.topic), v("type", p.type), v("text", p.text), v("holder", p.holder);
}

// A request that somebody outside makes of a service of an agent's nodes, as `ros2 service call` does.
struct CallService {
  WorldNumber entity = kNoEntity;  // the agent that serves it
  std::string service;             // full name
  std::string type;                // "std_srvs/srv/SetBool"
  std::string text;                // the request, as YAML
  std::uint64_t id = 0;            // by which the caller finds the response; drawn at random
  std::string holder{};            // as whom it is asked, for leases; empty: as nobody in particular
  friend bool operator==(const CallService&, const CallService&) = default;
};
template <class V, MaybeConst<CallService> T>
void fields(V& v, T& c) {
  v("entity", c.entity), v("service", c.service), v("type", c.type), v("text", c.text), v("id", c.id),
      v("holder", c.holder);
}

// What programs outside and an agent's nodes do with each other, in bytes (CDR): what a door to another middleware hands in.
struct OutsideTraffic {
  enum class Kind : std::uint8_t {
    kMessage,   // is published on the topic, to the nodes of this agent alone
    kRequest,   // of a service of the nodes; the response leaves by the same number
    kOffer,     // programs outside serve this: nodes may call it
    kWithdraw,  // no longer
    kResponse,  // of such a service, to the nodes' request of that number
  };
  WorldNumber entity = kNoEntity;  // the agent whose nodes they are
  Kind kind{};
  std::string name;          // full name of the topic or service
  std::string type;          // "geometry_msgs/msg/Twist", "std_srvs/srv/SetBool"
  std::uint64_t number = 0;  // of kRequest and kResponse
  Bytes bytes;               // of kMessage, kRequest and kResponse
  std::string holder{};      // of kMessage and kRequest, for leases; empty: as nobody in particular
  friend bool operator==(const OutsideTraffic&, const OutsideTraffic&) = default;
};
template <class V, MaybeConst<OutsideTraffic> T>
void fields(V& v, T& t) {
  v("entity", t.entity), v("kind", t.kind), v("name", t.name), v("type", t.type), v("number", t.number);
  v("bytes", t.bytes), v("holder", t.holder);
}
inline constexpr std::size_t kMaxTrafficBytes = 512 * 1024;  // of one message: all inputs of a tick share a frame

inline constexpr std::size_t kMaxPublishedText = 64 * 1024;  // bytes of YAML of one message or request
inline constexpr std::size_t kMaxPublishedBytes = 1 << 20;   // what it may be as a message

// Inputs are journalled with the tick at whose start they take effect.
using Input =
    std::variant<DriveCommand, SetParameter, SetControls, SetSensor, PublishMessage, CallService, OutsideTraffic>;
struct Recipient {
  WorldNumber operator()(const DriveCommand& input) const { return input.entity; }
  WorldNumber operator()(const SetParameter& input) const { return input.entity; }
  WorldNumber operator()(const SetControls& input) const { return input.entity; }
  WorldNumber operator()(const SetSensor& input) const { return input.entity; }
  WorldNumber operator()(const PublishMessage& input) const { return input.entity; }
  WorldNumber operator()(const CallService& input) const { return input.entity; }
  WorldNumber operator()(const OutsideTraffic& input) const { return input.entity; }
};
inline WorldNumber recipient(const Input& input) { return std::visit(Recipient{}, input); }

}  // namespace convoy
