// The bytes of URLab's streams, both ways, as pure functions. All numbers are little-endian and packed.
//
//   topic            seed profile                       urlab01 profile
//   N/joint/J        i32 id, f32 pos, vel, acc     16   the same
//   N/sensor/S       i32 id, f32[dim]       4 + 4 dim   i32 id, i32 dim, f32[dim]                  8 + 4 dim
//   N/base_state/J   f64 pos xyz, quat wxyz        56   f32 pos xyz, quat xyzw, v world, w body           52
//   N/twist          f32 vx, vy, yaw rate          12   the same
//   N/actions        i32 mask, when not 0           4   the same
//   N/camera/C       pixels of 4 bytes, row by row from the top; see put_picture()
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
#include "sensing/camera.h"
#include "world/model.h"

namespace convoy::zmq {

enum class WireProfile : std::uint8_t { kSeed, kUrlab01 };

// They replace what `out` holds.
void put_joint(Bytes& out, std::int32_t id, const PanelReadings::Joint& joint);
void put_sensor(Bytes& out, WireProfile profile, std::int32_t id, std::span<const double> values);
void put_base(Bytes& out, WireProfile profile, const PanelReadings::Base& base);
void put_twist(Bytes& out, const Twist& v_B);
void put_actions(Bytes& out, std::uint32_t mask);

// In front of the pixels: nothing, or little-endian and packed "UCM1", u32 version, u64 number, f64 simulated time, u32
// width, u32 height, in version 2 then f64 time of capture.
enum class PictureHeader : std::uint8_t { kNone, kVersion1, kVersion2 };
struct PictureStamp {
  std::uint64_t index = 0;
  double simulated = 0;  // s
  double captured = 0;   // s since 1970; 0: not known
};
// One camera has one kind of picture in its stream: the first of these that it takes.
enum class Shown : std::uint8_t {
  kColor,    // B, G, R, A
  kDepth,    // f32, cm along the optical axis, as URLab has it; infinite where nothing is
  kNumbers,  // i32 of sensor_msgs/Image "instances"
  kClasses,  // u32
};
Shown shown_by(const CameraModel& model);
// "bgra8", "depth_cm", "instances", "classes"
const char* name_of(Shown shown);
std::string camera_topic(const std::string& robot, const std::string& camera);
void put_picture(Bytes& out, PictureHeader header, const PictureStamp& stamp, const CameraReading& picture);

// What put_picture() has written, its size that of its header, or the one that is given where it has none. Nothing: it is
// cut, or of another size.
struct PictureRead {
  PictureStamp stamp;
  std::uint32_t width = 0, height = 0;
  ByteView pixels;  // of the payload
};
std::optional<PictureRead> read_picture(ByteView payload, std::uint32_t width, std::uint32_t height);

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
  std::string name, topic, endpoint;
  std::uint32_t width = 0, height = 0;  // px, as its robot was made with it
  Shown shows = Shown::kColor;
  bool on = true;  // its stream
};
std::string info_text(const std::string& robot, const Panel& panel, std::span<const CameraPlace> cameras);

}  // namespace convoy::zmq
