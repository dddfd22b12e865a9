// The bytes of URLab's streams, both ways, as pure functions. All numbers are little-endian and packed.
//
//   topic            seed profile                       urlab01 profile
//   N/joint/J        i32 id, f32 pos, vel, acc     16   the same
//   N/sensor/S       i32 id, f32[dim]       4 + 4 dim   i32 id, i32 dim, f32[dim]                  8 + 4 dim
//   N/base_state/J   f64 pos xyz, quat wxyz        56   f32 pos xyz, quat xyzw, v world, w body           52
//   N/twist          f32 vx, vy, yaw rate          12   the same
//   N/actions        i32 mask, when not 0           4   the same
//   N/control        i32 count, count x (i32 actuator, f32 value); the other way
//
// The seed profile is that of URLab's page, urlab01 what its published programs read and write.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/gains.h"
#include "core/bytes.h"
#include "physics/panel.h"
#include "world/model.h"

namespace convoy::zmq {

enum class WireProfile : std::uint8_t { kSeed, kUrlab01 };

// They replace what `out` holds.
void put_joint(Bytes& out, std::int32_t id, const PanelReadings::Joint& joint);
void put_sensor(Bytes& out, WireProfile profile, std::int32_t id, std::span<const double> values);
void put_base(Bytes& out, WireProfile profile, const PanelReadings::Base& base);
void put_twist(Bytes& out, const Twist& v_B);
void put_actions(Bytes& out, std::uint32_t mask);

// "N/control " and "N/control" are the same.
struct CommandTopic {
  enum class Kind : std::uint8_t { kControl, kSetGains };
  std::string_view robot;
  Kind kind{};
};
std::optional<CommandTopic> read_topic(std::string_view topic);

struct ControlPair {
  std::int32_t actuator = 0;
  float value = 0;
};
// Appends; false, and nothing appended: shorter than its count demands. What is behind the last pair is ignored.
bool read_controls(ByteView payload, std::vector<ControlPair>& out);

// {"name": {"kp": n, "kv": n, "torque_limit": n}, ...}, any of the three; nothing if it is not that, or a number is
// below 0. The names are those of actuators and joints, as control::meant_by() takes them.
std::optional<std::vector<control::GainPatch>> read_gains(std::string_view text);

// What the info socket sends of a robot: one line of JSON.
struct CameraPlace {
  std::string name, endpoint;
};
std::string info_text(const std::string& robot, const Panel& panel, std::span<const CameraPlace> cameras);

}  // namespace convoy::zmq
