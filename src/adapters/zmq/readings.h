// The bytes of URLab's streams as who listens has them (layout.h), of either layout: a bridge, a display.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/zmq/layout.h"
#include "convoy/geometry.h"

namespace convoy::zmq {

// "Arm/joint/hip" and "Arm/camera/eye ", with its space; of others the kind is empty.
struct StreamTopic {
  std::string_view robot, kind, part;
};
StreamTopic read_stream_topic(std::string_view topic);

struct JointRead {
  double position = 0, velocity = 0, acceleration = 0;  // rad or m, and per s
};
// Nothing: they are no joint's bytes. So the others.
std::optional<JointRead> read_joint(ByteView payload);
// With the number of values in front of them, or without.
std::optional<std::vector<double>> read_sensor(ByteView payload);
struct BaseRead {
  Pose X_WB;
  std::optional<Twist> V_WB_B;  // about the body's axes; not in the seed's layout
};
std::optional<BaseRead> read_base(ByteView payload);

struct InfoRead {
  std::string robot;
  std::vector<std::pair<std::string, std::int32_t>> actuators;  // without the robot's name in front; in order
  std::map<std::string, std::string> shows;                     // what a camera shows, where it is told
};
std::optional<InfoRead> read_info(std::string_view text);

void put_controls(Bytes& out, std::span<const ControlPair> controls);

}  // namespace convoy::zmq
