// Samples of sensors as ROS messages, typed: one list of which kind becomes which message.
//
//   visit_kind(type.like, [&](auto kind) {
//     typename decltype(kind)::Message message;
//     make(std::get<typename decltype(kind)::Data>(sample.data), sample.period, heading, message);
//   });
//
// Units and axes are those of docs/sensors.md, which are REP-103's, REP-117's and REP-145's.
#pragma once

#include <convoy_msgs/msg/contacts.hpp>
#include <convoy_msgs/msg/overlaps.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <optional>
#include <sensor_msgs/msg/battery_state.hpp>
#include <sensor_msgs/msg/camera_info.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/imu.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <sensor_msgs/msg/joy.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>
#include <sensor_msgs/msg/magnetic_field.hpp>
#include <sensor_msgs/msg/nav_sat_fix.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <sensor_msgs/msg/range.hpp>
#include <span>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_msgs/msg/u_int32.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "convoy/time.h"
#include "messages/geometry.h"
#include "sensing/samples.h"
#include "world/sensor_spec.h"

namespace convoy::ros {

// Each into a new message, whose header, if it has one, holds stamp and frame already. `period`: from one sample to the
// next.
void fill(const Scan& s, Duration period, sensor_msgs::msg::LaserScan& out);
// Packed points of 22 bytes: x, y, z (m), intensity (float32), ring (uint16), time (float32, s).
void fill(const Cloud& c, Duration period, sensor_msgs::msg::PointCloud2& out);
// Packed points of 20 bytes: x, y, z (m), speed (m/s), amplitude (float32).
void fill(const RadarScan& r, Duration period, sensor_msgs::msg::PointCloud2& out);
void fill(const RangeReading& r, Duration period, sensor_msgs::msg::Range& out);
void fill(const ImuSample& s, Duration period, sensor_msgs::msg::Imu& out);
void fill(const MagneticReading& m, Duration period, sensor_msgs::msg::MagneticField& out);
void fill(const Fix& f, Duration period, sensor_msgs::msg::NavSatFix& out);
// The frame of the header becomes the child's; the header has that in which the pose is: "world" or a map's, or "odom".
void fill(const PoseReading& p, Duration period, nav_msgs::msg::Odometry& out);
void fill(const OdometryReading& o, Duration period, nav_msgs::msg::Odometry& out);
void fill(const JointsReading& j, Duration period, sensor_msgs::msg::JointState& out);  // in no frame
void fill(const Touches& t, Duration period, convoy_msgs::msg::Contacts& out);
void fill(const Overlaps& o, Duration period, convoy_msgs::msg::Overlaps& out);
void fill(const BatteryReading& b, Duration period, sensor_msgs::msg::BatteryState& out);
void fill(const KeysReading& k, Duration period, std_msgs::msg::UInt32& out);
void fill(const StickReading& s, Duration period, sensor_msgs::msg::Joy& out);
void fill(const EngineReading& e, Duration period, std_msgs::msg::Float64MultiArray& out);

void fill(const PictureLens& lens, sensor_msgs::msg::CameraInfo& out);

// One of a camera's images.
struct ImageKind {
  const char* topic;  // behind the camera's name
  bool CameraModel::*taken;
  const char* encoding;
  std::size_t pixel;  // bytes
  std::span<const std::byte> (*pixels)(const CameraReading&);
};
std::span<const ImageKind> image_kinds();
// Those that a camera of this spec takes. Nothing: its parameters cannot be read.
std::optional<std::vector<const ImageKind*>> images_of(const SensorSpec& spec);
// False, and `out` is as it was: the reading has no such image.
bool fill(const CameraReading& reading, const ImageKind& kind, sensor_msgs::msg::Image& out);

// What stands at the beginning of a message.
struct Heading {
  Instant stamp{};
  std::string frame;     // of its sensor, prefix and all
  std::string prefix{};  // RobotFrames
};

template <class Message>
concept Stamped = requires(Message m) {
  m.header.stamp;
};
template <class Message>
void head(const Heading& heading, Message& out) {
  if constexpr (Stamped<Message>) out.header.stamp = stamp_of(heading.stamp), out.header.frame_id = heading.frame;
}

// The whole of a new message.
template <class Data, class Message>
void make(const Data& data, Duration period, const Heading& heading, Message& out) {
  head(heading, out);
  fill(data, period, out);
  if constexpr (std::is_same_v<Data, OdometryReading>) out.header.frame_id.insert(0, heading.prefix);
}

template <class DataT, class MessageT>
struct SampleKind {
  using Data = DataT;        // of SampleData
  using Message = MessageT;  // that it becomes
  const char* like;          // SensorType::like of the types that have such samples
};

// Calls visit(SampleKind<Data, Message>) for each kind but the pictures of cameras, which become several messages.
template <class Visit>
void for_each_kind(const Visit& visit) {
  visit(SampleKind<Scan, sensor_msgs::msg::LaserScan>{"scan"});
  visit(SampleKind<Cloud, sensor_msgs::msg::PointCloud2>{"points"});
  visit(SampleKind<RangeReading, sensor_msgs::msg::Range>{"range"});
  visit(SampleKind<RadarScan, sensor_msgs::msg::PointCloud2>{"radar"});
  visit(SampleKind<ImuSample, sensor_msgs::msg::Imu>{"imu"});
  visit(SampleKind<MagneticReading, sensor_msgs::msg::MagneticField>{"mag"});
  visit(SampleKind<Fix, sensor_msgs::msg::NavSatFix>{"fix"});
  visit(SampleKind<PoseReading, nav_msgs::msg::Odometry>{"pose"});
  visit(SampleKind<OdometryReading, nav_msgs::msg::Odometry>{"odom"});
  visit(SampleKind<JointsReading, sensor_msgs::msg::JointState>{"joint_states"});
  visit(SampleKind<Touches, convoy_msgs::msg::Contacts>{"contact"});
  visit(SampleKind<Overlaps, convoy_msgs::msg::Overlaps>{"overlap"});
  visit(SampleKind<BatteryReading, sensor_msgs::msg::BatteryState>{"battery"});
  visit(SampleKind<KeysReading, std_msgs::msg::UInt32>{"keyboard"});
  visit(SampleKind<StickReading, sensor_msgs::msg::Joy>{"joy"});
  visit(SampleKind<EngineReading, std_msgs::msg::Float64MultiArray>{"mujoco"});
}
inline constexpr const char* kCameraKind = "camera";

// The same for the one of that name. False: there is none, or it is a camera.
template <class Visit>
bool visit_kind(std::string_view like, const Visit& visit) {
  bool found = false;
  for_each_kind([&](auto kind) {
    if (like == kind.like) visit(kind), found = true;
  });
  return found;
}

}  // namespace convoy::ros
