#include "record/foxglove/readings.h"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/json_fields.h"
#include "core/math.h"
#include "core/overloads.h"
#include "record/foxglove/cdr.h"
#include "record/foxglove/geometry.h"
#include "record/foxglove/png.h"

namespace convoy {
namespace {

enum : std::int64_t { kUint16 = 3, kFloat32 = 7 };  // PackedElementField.NumericType
constexpr std::int64_t kKnown = 3;                  // LocationFix.PositionCovarianceType
constexpr std::uint8_t kUltrasound = 0;             // sensor_msgs/Range

constexpr std::string_view kHeaderDefinition =
    "MSG: std_msgs/Header\n"
    "builtin_interfaces/Time stamp\n"
    "string frame_id\n";
constexpr std::string_view kTimeDefinition =
    "MSG: builtin_interfaces/Time\n"
    "int32 sec\n"
    "uint32 nanosec\n";
constexpr std::string_view kVectorDefinition =
    "MSG: geometry_msgs/Vector3\n"
    "float64 x\n"
    "float64 y\n"
    "float64 z\n";
constexpr std::string_view kQuaternionDefinition =
    "MSG: geometry_msgs/Quaternion\n"
    "float64 x\n"
    "float64 y\n"
    "float64 z\n"
    "float64 w\n";
constexpr std::string_view kImuDefinition =
    "std_msgs/Header header\n"
    "geometry_msgs/Quaternion orientation\n"
    "float64[9] orientation_covariance\n"
    "geometry_msgs/Vector3 angular_velocity\n"
    "float64[9] angular_velocity_covariance\n"
    "geometry_msgs/Vector3 linear_acceleration\n"
    "float64[9] linear_acceleration_covariance\n";
constexpr std::string_view kMagneticDefinition =
    "std_msgs/Header header\n"
    "geometry_msgs/Vector3 magnetic_field\n"
    "float64[9] magnetic_field_covariance\n";
constexpr std::string_view kRangeDefinition =
    "std_msgs/Header header\n"
    "uint8 radiation_type\n"
    "float32 field_of_view\n"
    "float32 min_range\n"
    "float32 max_range\n"
    "float32 range\n"
    "float32 variance\n";

// A definition and those that it needs, each behind a line of its own, as rosbag2 has them in MCAP.
ChannelSchema ros_schema(std::string name, std::initializer_list<std::string_view> definitions) {
  std::string text;
  for (const std::string_view definition : definitions) {
    if (!text.empty()) text += std::string(80, '=') + "\n";
    text += definition;
  }
  return {std::move(name), "ros2msg", "cdr", Bytes(text.begin(), text.end())};
}

void put_ros_header(Cdr& cdr, const ReadingHeader& header) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  cdr.number(static_cast<std::int32_t>(nanos(header.stamp) / kSecond));
  cdr.number(static_cast<std::uint32_t>(nanos(header.stamp) % kSecond));
  cdr.text(header.frame);
}

// Time, frame and where the readings lie in it, which stand first in each of these messages.
void put_header(Proto& p, const ReadingHeader& header) {
  put_time(p, 1, header.stamp);
  p.text(2, header.frame);
  put_pose(p, 3, {});
}

struct Column {
  const char* name;
  std::int64_t type = kFloat32;
  std::uint32_t size = sizeof(float);
};

void put_cloud(Proto& p, const ReadingHeader& header, std::initializer_list<Column> columns, const Bytes& points) {
  put_header(p, header);
  std::uint32_t stride = 0;
  for (const Column& column : columns) {
    p.message(5, [&](Proto& m) { m.text(1, column.name), m.fixed32(2, stride), m.integer(3, column.type); });
    stride += column.size;
  }
  p.fixed32(4, stride);
  p.data(6, points);
}

template <class T>
void append(Bytes& to, T value) {
  Writer(to).raw(&value, sizeof value);
}

void put(Bytes& out, const ReadingHeader& header, const Scan& scan) {
  Proto p(out);
  put_header(p, header);
  p.real(4, scan.angle_min);
  p.real(5, scan.angle_max);
  const std::vector<double> ranges(scan.ranges.begin(), scan.ranges.end());
  p.list<double>(6, ranges);
}

void put(Bytes& out, const ReadingHeader& header, const Cloud& cloud) {
  Bytes points;
  for (const CloudPoint& c : cloud.points) {
    append(points, c.x), append(points, c.y), append(points, c.z), append(points, c.intensity);
    append(points, c.ring), append(points, c.time);
  }
  Proto p(out);
  put_cloud(p, header, {{"x"}, {"y"}, {"z"}, {"intensity"}, {"ring", kUint16, 2}, {"time"}}, points);
}

void put(Bytes& out, const ReadingHeader& header, const RadarScan& radar) {
  Bytes points;
  for (const RadarReturn& r : radar.returns) {
    double sa = 0, ca = 1, se = 0, ce = 1;
    math::sincos(r.azimuth, sa, ca), math::sincos(r.elevation, se, ce);
    for (const double v : {r.range * ca * ce, r.range * sa * ce, r.range * se, r.speed, r.amplitude})
      append(points, static_cast<float>(v));
  }
  Proto p(out);
  put_cloud(p, header, {{"x"}, {"y"}, {"z"}, {"speed"}, {"amplitude"}}, points);
}

void put(Bytes& out, const ReadingHeader& header, const Fix& fix) {
  Proto p(out);
  p.real(1, fix.at.latitude), p.real(2, fix.at.longitude), p.real(3, fix.at.altitude);
  p.list<double>(4, fix.covariance);
  p.integer(5, kKnown);
  put_time(p, 6, header.stamp);
  p.text(7, header.frame);
}

void put(Bytes& out, const ReadingHeader& header, const PoseReading& pose) {
  Proto p(out);
  put_time(p, 1, header.stamp);
  p.text(2, pose.frame);
  put_pose(p, 3, pose.X_OS);
}

struct Image {
  const char* name;
  Bytes png;
};
// From the one of that place on as many as there are, of those that it takes: colour, depth in mm, and numbers modulo
// 65,536. The others are not encoded.
std::vector<Image> images_of(const CameraReading& r, std::size_t first, std::size_t most) {
  std::vector<Image> out;
  std::size_t place = 0;
  const auto add = [&](const char* name, const auto& values, auto png) {
    if (values.empty()) return;
    if (place >= first && out.size() < most) out.push_back({name, png()});
    ++place;
  };
  const auto gray = [&](const auto& values, auto of) {
    std::vector<std::uint16_t> pixels;
    pixels.reserve(values.size());
    for (const auto value : values) pixels.push_back(static_cast<std::uint16_t>(of(value)));
    return gray16_png(r.lens.width, r.lens.height, pixels);
  };
  const auto millimetres = [](float z) { return z < 65.5f ? 1000 * z + 0.5f : 0.0f; };
  const auto same = [](std::uint32_t number) { return number; };
  add("color", r.color, [&] { return rgb_png(r.lens.width, r.lens.height, r.color, true); });
  add("depth", r.depth, [&] { return gray(r.depth, millimetres); });
  add("instances", r.numbers, [&] { return gray(r.numbers, same); });
  add("classes", r.classes, [&] { return gray(r.classes, same); });
  return out;
}

void put_image(Bytes& out, const ReadingHeader& header, ByteView png) {
  Proto p(out);
  put_time(p, 1, header.stamp);
  p.data(2, png);
  p.text(3, "png");
  p.text(4, header.frame);
}

void put(Bytes& out, const ReadingHeader& header, const CameraReading& reading) {
  const std::vector<Image> first = images_of(reading, 0, 1);
  put_image(out, header, first.empty() ? ByteView() : ByteView(first[0].png));
}

void put_calibration(Bytes& out, const ReadingHeader& header, const PictureLens& lens) {
  const std::array<double, 9> K{lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1}, R{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::array<double, 12> P{lens.fx, 0, lens.cx, 0, 0, lens.fy, lens.cy, 0, 0, 0, 1, 0};
  Proto p(out);
  put_time(p, 1, header.stamp);
  p.fixed32(2, lens.width), p.fixed32(3, lens.height);
  p.text(4, "plumb_bob");
  p.list<double>(5, lens.distortion), p.list<double>(6, K), p.list<double>(7, R), p.list<double>(8, P);
  p.text(9, header.frame);
}

void put(Bytes& out, const ReadingHeader& header, const ImuSample& imu) {
  Cdr cdr(out);
  put_ros_header(cdr, header);
  cdr.turn(imu.orientation), cdr.covariance(imu.orientation_variance);
  cdr.vector(imu.angular_velocity), cdr.covariance(imu.angular_velocity_variance);
  cdr.vector(imu.linear_acceleration), cdr.covariance(imu.linear_acceleration_variance);
}

void put(Bytes& out, const ReadingHeader& header, const MagneticReading& reading) {
  Cdr cdr(out);
  put_ros_header(cdr, header);
  cdr.vector(reading.field), cdr.covariance(reading.variance);
}

void put(Bytes& out, const ReadingHeader& header, const RangeReading& reading) {
  Cdr cdr(out);
  put_ros_header(cdr, header);
  cdr.number(kUltrasound);
  for (const double v : {reading.field, reading.range_min, reading.range_max, reading.range, 0.0})
    cdr.number(static_cast<float>(v));
}

// The others, for which neither has a message of the kind that viewers draw, as JSON: their fields behind stamp and frame.
struct Named {
  std::int64_t stamp_ns = 0;
  std::string frame;
};
template <class V, MaybeConst<Named> T>
void fields(V& v, T& n) {
  v("stamp_ns", n.stamp_ns), v("frame", n.frame);
}

template <class Reading>
void put(Bytes& out, const ReadingHeader& header, const Reading& reading) {
  std::string text = to_json(Named{nanos(header.stamp), std::string(header.frame)});
  const std::string values = to_json(reading);
  text.back() = ',';
  text.append(values, 1);
  out.assign(text.begin(), text.end());
}

ChannelSchema json_schema(const char* name) {
  const std::string text = R"({"type":"object","title":")" + std::string(name) +
                           R"(","properties":{"stamp_ns":{"type":"integer"},"frame":{"type":"string"}}})";
  return {name, "jsonschema", "json", Bytes(text.begin(), text.end())};
}

}  // namespace

ChannelSchema schema_of(const SampleData& data) {
  return std::visit(
      Overloads{[](const Scan&) { return schema_of(FoxgloveMessage::kLaserScan); },
                [](const Cloud&) { return schema_of(FoxgloveMessage::kPointCloud); },
                [](const RadarScan&) { return schema_of(FoxgloveMessage::kPointCloud); },
                [](const Fix&) { return schema_of(FoxgloveMessage::kLocationFix); },
                [](const CameraReading&) { return schema_of(FoxgloveMessage::kCompressedImage); },
                [](const PoseReading&) { return schema_of(FoxgloveMessage::kPoseInFrame); },
                [](const ImuSample&) {
                  return ros_schema("sensor_msgs/msg/Imu", {kImuDefinition, kHeaderDefinition, kTimeDefinition,
                                                            kQuaternionDefinition, kVectorDefinition});
                },
                [](const MagneticReading&) {
                  return ros_schema("sensor_msgs/msg/MagneticField",
                                    {kMagneticDefinition, kHeaderDefinition, kTimeDefinition, kVectorDefinition});
                },
                [](const RangeReading&) {
                  return ros_schema("sensor_msgs/msg/Range", {kRangeDefinition, kHeaderDefinition, kTimeDefinition});
                },
                [](const OdometryReading&) { return json_schema("convoy.Odometry"); },
                [](const JointsReading&) { return json_schema("convoy.Joints"); },
                [](const Touches&) { return json_schema("convoy.Contacts"); },
                [](const Overlaps&) { return json_schema("convoy.Overlaps"); },
                [](const BatteryReading&) { return json_schema("convoy.Battery"); },
                [](const KeysReading&) { return json_schema("convoy.Keys"); },
                [](const StickReading&) { return json_schema("convoy.Stick"); },
                [](const EngineReading&) { return json_schema("convoy.EngineSensor"); },
                [](const NoReading&) { return json_schema("convoy.NoReading"); }},
      data);
}

std::vector<Companion> companions_of(const SampleData& data, const ReadingHeader& header) {
  std::vector<Companion> out;
  const auto* reading = std::get_if<CameraReading>(&data);
  if (!reading) return out;
  out.push_back({"calibration", FoxgloveMessage::kCameraCalibration, {}});
  put_calibration(out.back().message, header, reading->lens);
  for (const Image& image : images_of(*reading, 1, 3)) {
    out.push_back({image.name, FoxgloveMessage::kCompressedImage, {}});
    put_image(out.back().message, header, image.png);
  }
  return out;
}

void encode(const SampleData& data, const ReadingHeader& header, Bytes& out) {
  out.clear();
  std::visit([&](const auto& reading) { put(out, header, reading); }, data);
}

}  // namespace convoy
