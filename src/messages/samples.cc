#include "messages/samples.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/math.h"
#include "messages/frames.h"
#include "messages/motion.h"

namespace convoy::ros {
namespace {

using sensor_msgs::msg::PointField;

void put_diagonal(double variance, std::array<double, 9>& to) { to[0] = to[4] = to[8] = variance; }

void add_field(sensor_msgs::msg::PointCloud2& out, const char* name, std::uint8_t type, std::uint32_t size) {
  PointField field;
  field.name = name, field.offset = out.point_step, field.datatype = type, field.count = 1;
  out.fields.push_back(std::move(field));
  out.point_step += size;
}

// Writes values one behind the other into a cloud's bytes.
class PointWriter {
 public:
  PointWriter(sensor_msgs::msg::PointCloud2& out, std::size_t points) {
    out.row_step = out.width * out.point_step;
    out.data.resize(points * out.point_step);
    at_ = out.data.data();
  }
  template <class... T>
  void add(T... values) {
    (put_one(values), ...);
  }

 private:
  template <class T>
  void put_one(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  std::uint8_t* at_;
};

}  // namespace

void fill(const Scan& s, Duration period, sensor_msgs::msg::LaserScan& out) {
  out.angle_min = s.angle_min, out.angle_max = s.angle_max, out.angle_increment = s.angle_increment;
  out.range_min = s.range_min, out.range_max = s.range_max;
  out.time_increment = s.time_increment, out.scan_time = static_cast<float>(seconds(period));
  out.ranges = s.ranges, out.intensities = s.intensities;
}

void fill(const Cloud& c, Duration, sensor_msgs::msg::PointCloud2& out) {
  out.width = c.width, out.height = c.height, out.is_dense = c.dense;
  for (const char* name : {"x", "y", "z", "intensity"}) add_field(out, name, PointField::FLOAT32, 4);
  add_field(out, "ring", PointField::UINT16, 2);
  add_field(out, "time", PointField::FLOAT32, 4);
  PointWriter writer(out, c.points.size());
  for (const CloudPoint& p : c.points) writer.add(p.x, p.y, p.z, p.intensity, p.ring, p.time);
}

void fill(const RadarScan& r, Duration, sensor_msgs::msg::PointCloud2& out) {
  out.width = static_cast<std::uint32_t>(r.returns.size()), out.height = 1, out.is_dense = true;
  for (const char* name : {"x", "y", "z", "speed", "amplitude"}) add_field(out, name, PointField::FLOAT32, 4);
  PointWriter writer(out, r.returns.size());
  for (const RadarReturn& one : r.returns) {
    double sa, ca, se, ce;
    math::sincos(one.azimuth, sa, ca), math::sincos(one.elevation, se, ce);
    for (const double value : {one.range * ca * ce, one.range * sa * ce, one.range * se, one.speed, one.amplitude})
      writer.add(static_cast<float>(value));
  }
}

void fill(const RangeReading& r, Duration, sensor_msgs::msg::Range& out) {
  out.radiation_type = sensor_msgs::msg::Range::ULTRASOUND;
  out.field_of_view = static_cast<float>(r.field);
  out.min_range = static_cast<float>(r.range_min), out.max_range = static_cast<float>(r.range_max);
  out.range = static_cast<float>(r.range);
}

void fill(const ImuSample& s, Duration, sensor_msgs::msg::Imu& out) {
  put(s.orientation, out.orientation), put_diagonal(s.orientation_variance, out.orientation_covariance);
  put(s.angular_velocity, out.angular_velocity);
  put_diagonal(s.angular_velocity_variance, out.angular_velocity_covariance);
  put(s.linear_acceleration, out.linear_acceleration);
  put_diagonal(s.linear_acceleration_variance, out.linear_acceleration_covariance);
}

void fill(const MagneticReading& m, Duration, sensor_msgs::msg::MagneticField& out) {
  put(m.field, out.magnetic_field), put_diagonal(m.variance, out.magnetic_field_covariance);
}

void fill(const Fix& f, Duration, sensor_msgs::msg::NavSatFix& out) {
  out.status.status = sensor_msgs::msg::NavSatStatus::STATUS_FIX;
  out.status.service = sensor_msgs::msg::NavSatStatus::SERVICE_GPS;
  out.latitude = f.at.latitude, out.longitude = f.at.longitude, out.altitude = f.at.altitude;
  out.position_covariance = f.covariance;
  out.position_covariance_type = sensor_msgs::msg::NavSatFix::COVARIANCE_TYPE_KNOWN;
}

void fill(const PoseReading& p, Duration, nav_msgs::msg::Odometry& out) {
  out.child_frame_id = std::exchange(out.header.frame_id, p.frame);
  out.pose.pose = message_of(p.X_OS), out.twist.twist = message_of(p.v_WS_S);
}

void fill(const OdometryReading& o, Duration, nav_msgs::msg::Odometry& out) {
  out.child_frame_id = std::exchange(out.header.frame_id, kOdomFrame);
  out.pose.pose = message_of(pose_of(o));
  out.twist.twist.linear.x = o.speed, out.twist.twist.angular.z = o.turn_rate;
  out.pose.covariance = o.pose_covariance, out.twist.covariance = o.twist_covariance;
}

void fill(const JointsReading& j, Duration, sensor_msgs::msg::JointState& out) {
  out.header.frame_id.clear();
  out.name = j.names, out.position = j.positions, out.velocity = j.velocities;
}

void fill(const Touches& t, Duration, convoy_msgs::msg::Contacts& out) {
  for (const Touch& one : t.touches) {
    convoy_msgs::msg::Contact& contact = out.contacts.emplace_back();
    contact.part = one.part, contact.other = one.other, contact.other_part = one.other_part;
    put(one.position, contact.position), put(one.normal, contact.normal), put(one.force, contact.force);
    contact.depth = one.depth;
  }
}

void fill(const Overlaps& o, Duration, convoy_msgs::msg::Overlaps& out) {
  out.inside = o.inside, out.appeared = o.appeared, out.gone = o.gone;
}

void fill(const BatteryReading& b, Duration, sensor_msgs::msg::BatteryState& out) {
  using sensor_msgs::msg::BatteryState;
  out.voltage = static_cast<float>(b.voltage), out.current = static_cast<float>(b.current);
  out.charge = static_cast<float>(b.charge), out.percentage = static_cast<float>(b.share);
  out.capacity = out.design_capacity = static_cast<float>(b.capacity);
  out.temperature = std::numeric_limits<float>::quiet_NaN();  // not measured
  out.power_supply_status = BatteryState::POWER_SUPPLY_STATUS_DISCHARGING;
  out.power_supply_health = BatteryState::POWER_SUPPLY_HEALTH_GOOD;
  out.power_supply_technology = BatteryState::POWER_SUPPLY_TECHNOLOGY_UNKNOWN;
  out.present = true;
}

void fill(const KeysReading& k, Duration, std_msgs::msg::UInt32& out) { out.data = k.held; }

void fill(const StickReading& s, Duration, sensor_msgs::msg::Joy& out) {
  out.axes.assign(s.axes.begin(), s.axes.end());
  for (int i = 0; i < 32; ++i) out.buttons.push_back(static_cast<std::int32_t>(s.buttons >> i & 1));
}

void fill(const EngineReading& e, Duration, std_msgs::msg::Float64MultiArray& out) {
  auto& dimension = out.layout.dim.emplace_back();
  dimension.label = e.element, dimension.size = dimension.stride = static_cast<std::uint32_t>(e.values.size());
  out.data = e.values;
}

void fill(const PictureLens& lens, sensor_msgs::msg::CameraInfo& out) {
  out.width = lens.width, out.height = lens.height;
  out.distortion_model = "plumb_bob";
  out.d.assign(lens.distortion.begin(), lens.distortion.end());
  out.k = {lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1};
  out.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  out.p = {lens.fx, 0, lens.cx, 0, 0, lens.fy, lens.cy, 0, 0, 0, 1, 0};
}

std::span<const ImageKind> image_kinds() {
  static constexpr ImageKind kKinds[] = {
      {"image_raw", &CameraModel::color, "rgb8", 3,
       [](const CameraReading& r) { return std::as_bytes(std::span(r.color)); }},
      {"depth", &CameraModel::depth, "32FC1", 4,
       [](const CameraReading& r) { return std::as_bytes(std::span(r.depth)); }},
      {"instances", &CameraModel::numbers, "32SC1", 4,
       [](const CameraReading& r) { return std::as_bytes(std::span(r.numbers)); }},
      {"classes", &CameraModel::classes, "32SC1", 4,
       [](const CameraReading& r) { return std::as_bytes(std::span(r.classes)); }},
  };
  return kKinds;
}

std::optional<std::vector<const ImageKind*>> images_of(const SensorSpec& spec) {
  CameraModel model;
  if (!spec.parameters.empty() && !load(spec.parameters, model)) return {};
  std::vector<const ImageKind*> out;
  for (const ImageKind& kind : image_kinds())
    if (model.*kind.taken) out.push_back(&kind);
  return out;
}

bool fill(const CameraReading& reading, const ImageKind& kind, sensor_msgs::msg::Image& out) {
  const std::span<const std::byte> pixels = kind.pixels(reading);
  const PictureLens& lens = reading.lens;
  if (pixels.empty() || pixels.size() != std::size_t{lens.width} * lens.height * kind.pixel) return false;
  out.width = lens.width, out.height = lens.height, out.encoding = kind.encoding;
  out.step = static_cast<std::uint32_t>(lens.width * kind.pixel);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels.data());
  out.data.assign(bytes, bytes + pixels.size());
  return true;
}

}  // namespace convoy::ros
