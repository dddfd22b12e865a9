// What reaches agents besides the world: messages from other agents, and inputs from outside it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/fields.h"
#include "world/setup.h"

namespace convoy {

// Handed over at a boundary, delivered at sent + delay (at least one tick), by (due, from, index).
struct Message {
  WorldNumber from = kNoEntity;
  WorldNumber to = kNoEntity;  // kNoEntity: everybody in range of the network model
  std::uint32_t index = 0;     // counts the sender's messages
  Instant sent{};
  std::string topic;
  Bytes payload;

  friend bool operator==(const Message&, const Message&) = default;
};
template <class V>
void fields(V& v, Message& m) {
  v("from", m.from), v("to", m.to), v("index", m.index), v("sent", m.sent), v("topic", m.topic);
  v("payload", m.payload);
}

// A robot's physics has given up, and it stands still from now on: a message to nobody, with the reason.
inline constexpr const char* kFaultTopic = "/fault";
// Its physics goes on, but is not to be trusted: likewise.
inline constexpr const char* kAdviceTopic = "/advice";

// Bounds of what one agent may send in one tick.
inline constexpr std::size_t kMaxMessagesPerTick = 1000;
inline constexpr std::size_t kMaxMessageBytes = 64 * 1024;

// A body twist (v.x forward m/s, w.z rad/s) that rules until the timeout has passed without a newer one.
struct DriveCommand {
  WorldNumber entity = kNoEntity;
  Twist twist;
  Duration timeout{0};  // 0: the model's command timeout
  Source source = Source::kDashboard;
  friend bool operator==(const DriveCommand&, const DriveCommand&) = default;
};
template <class V>
void fields(V& v, DriveCommand& c) {
  v("entity", c.entity), v("twist", c.twist), v("timeout", c.timeout), v("source", c.source);
}

// A parameter of a node, as `ros2 param set` sets it; or of the robot's own controller (kControllerNode).
struct SetParameter {
  WorldNumber entity = kNoEntity;
  std::string node;  // full name
  std::string name;
  std::string value;  // YAML
  Source source =
      Source::kAny;  // of a controller's: kAny is a setting, which counts whoever rules; else it is a command
  friend bool operator==(const SetParameter&, const SetParameter&) = default;
};
template <class V>
void fields(V& v, SetParameter& p) {
  v("entity", p.entity), v("node", p.node), v("name", p.name), v("value", p.value), v("source", p.source);
}
// Parameters of this node are those of the robot's own controller. No node has such a name.
inline constexpr const char* kControllerNode = "controller";

// The value that an actuator is told from now on, in the units of the model.
struct Control {
  std::uint32_t actuator = 0;  // its place among Model::actuators
  double value = 0;
  friend bool operator==(const Control&, const Control&) = default;
};
template <class V>
void fields(V& v, Control& c) {
  v("actuator", c.actuator), v("value", c.value);
}

struct SetControls {
  WorldNumber entity = kNoEntity;
  std::vector<Control> controls;
  Source source = Source::kDashboard;
  friend bool operator==(const SetControls&, const SetControls&) = default;
};
template <class V>
void fields(V& v, SetControls& c) {
  v("entity", c.entity), v("controls", c.controls), v("source", c.source);
}
inline constexpr std::size_t kMaxControls = 10'000;  // of one input

// An input takes effect at the start of the tick that it is given, and stands in the journal.
using Input = std::variant<DriveCommand, SetParameter, SetControls>;
struct Recipient {
  WorldNumber operator()(const DriveCommand& input) const { return input.entity; }
  WorldNumber operator()(const SetParameter& input) const { return input.entity; }
  WorldNumber operator()(const SetControls& input) const { return input.entity; }
};
inline WorldNumber recipient(const Input& input) { return std::visit(Recipient{}, input); }

}  // namespace convoy
