#include "sensor_topics.hpp"

#include <algorithm>
#include <convoy_msgs/msg/contacts.hpp>
#include <convoy_msgs/msg/overlaps.hpp>
#include <cstring>
#include <limits>
#include <nav_msgs/msg/odometry.hpp>
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
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_msgs/msg/u_int32.hpp>

#include "core/check.h"
#include "core/math.h"
#include "sensing/sensor.h"

namespace convoy::ros {
namespace {

using geometry_msgs::msg::Quaternion;
using sensor_msgs::msg::PointField;

template <class To>
void put(const Vec3& v, To& to) {
  to.x = v.x, to.y = v.y, to.z = v.z;
}
template <class To>
void put(const Quat& q, To& to) {
  to.w = q.w, to.x = q.x, to.y = q.y, to.z = q.z;
}
void put_diagonal(double variance, std::array<double, 9>& to) { to[0] = to[4] = to[8] = variance; }

void add_field(sensor_msgs::msg::PointCloud2& out, const char* name, std::uint8_t type, std::uint32_t size) {
  PointField field;
  field.name = name, field.offset = out.point_step, field.datatype = type, field.count = 1;
  out.fields.push_back(std::move(field));
  out.point_step += size;
}

template <class T>
void add(std::vector<std::uint8_t>& out, T value) {
  std::uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

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
  out.row_step = out.width * out.point_step;
  out.data.reserve(std::size_t{out.row_step} * out.height);
  for (const CloudPoint& p : c.points) {
    add(out.data, p.x), add(out.data, p.y), add(out.data, p.z), add(out.data, p.intensity);
    add(out.data, p.ring), add(out.data, p.time);
  }
}

void fill(const RadarScan& r, Duration, sensor_msgs::msg::PointCloud2& out) {
  out.width = static_cast<std::uint32_t>(r.returns.size()), out.height = 1, out.is_dense = true;
  for (const char* name : {"x", "y", "z", "speed", "amplitude"}) add_field(out, name, PointField::FLOAT32, 4);
  out.row_step = out.width * out.point_step;
  for (const RadarReturn& one : r.returns) {
    double sa, ca, se, ce;
    math::sincos(one.azimuth, sa, ca), math::sincos(one.elevation, se, ce);
    for (const double value : {one.range * ca * ce, one.range * sa * ce, one.range * se, one.speed, one.amplitude})
      add(out.data, static_cast<float>(value));
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
  put(p.X_OS.p, out.pose.pose.position), put(p.X_OS.q, out.pose.pose.orientation);
  put(p.v_WS_S.v, out.twist.twist.linear), put(p.v_WS_S.w, out.twist.twist.angular);
}

void fill(const OdometryReading& o, Duration, nav_msgs::msg::Odometry& out) { ros::fill(o, out); }

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

template <class Message>
concept Stamped = requires(Message m) {
  m.header.stamp;
};

}  // namespace

void fill(const OdometryReading& o, nav_msgs::msg::Odometry& out) {
  out.child_frame_id = std::exchange(out.header.frame_id, "odom");
  out.pose.pose.position.x = o.x, out.pose.pose.position.y = o.y;
  out.pose.pose.orientation.z = math::sin(o.yaw / 2), out.pose.pose.orientation.w = math::cos(o.yaw / 2);
  out.twist.twist.linear.x = o.speed, out.twist.twist.angular.z = o.turn_rate;
  out.pose.covariance = o.pose_covariance, out.twist.covariance = o.twist_covariance;
}

template <class Message, class Data>
void SensorTopics::open(rclcpp::Node& node, One& one) {
  auto publisher = node.create_publisher<Message>(one.name, rclcpp::SystemDefaultsQoS());
  one.topics = {&publisher->kernel().topic()};
  EXPECTS(one.topics.front()->type().name() == one.type->message);
  one.publish = [publisher, frame = one.frame](const Sample& sample, const rclcpp::Time& at) {
    auto message = std::make_unique<Message>();
    if constexpr (Stamped<Message>) message->header.stamp = at, message->header.frame_id = frame;
    fill(std::get<Data>(sample.data), sample.period, *message);
    publisher->publish(std::move(message));
  };
}

namespace {

std::unique_ptr<sensor_msgs::msg::Image> image_of(const PictureLens& lens, const char* encoding, const void* data,
                                                  std::size_t pixel) {
  auto out = std::make_unique<sensor_msgs::msg::Image>();
  out->width = lens.width, out->height = lens.height, out->encoding = encoding;
  out->step = static_cast<std::uint32_t>(lens.width * pixel);
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  out->data.assign(bytes, bytes + std::size_t{out->step} * lens.height);
  return out;
}

void fill(const PictureLens& lens, sensor_msgs::msg::CameraInfo& out) {
  out.width = lens.width, out.height = lens.height;
  out.distortion_model = "plumb_bob";
  out.d.assign(lens.distortion.begin(), lens.distortion.end());
  out.k = {lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1};
  out.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  out.p = {lens.fx, 0, lens.cx, 0, 0, lens.fy, lens.cy, 0, 0, 0, 1, 0};
}

}  // namespace

// <camera>/image_raw, depth, instances and classes as it takes them, and <camera>/camera_info with each.
void SensorTopics::open_camera(rclcpp::Node& node, One& one) {
  using sensor_msgs::msg::Image;
  using Send = std::function<void(const CameraReading&, const rclcpp::Time&)>;
  one.frame = one.name + "_optical_frame";
  CameraModel model;
  if (!one.parameters.empty() && !load(one.parameters, model)) return;  // its robot has said so
  std::vector<Send> sends;
  const auto image = [&](const char* topic, auto images) {
    auto publisher = node.create_publisher<Image>(one.name + "/" + topic, rclcpp::SystemDefaultsQoS());
    one.topics.push_back(&publisher->kernel().topic());
    sends.push_back([publisher, images, frame = one.frame](const CameraReading& reading, const rclcpp::Time& at) {
      std::unique_ptr<Image> message = images(reading);
      message->header.stamp = at, message->header.frame_id = frame;
      publisher->publish(std::move(message));
    });
  };
  if (model.color)
    image("image_raw", [](const CameraReading& r) { return image_of(r.lens, "rgb8", r.color.data(), 3); });
  if (model.depth) image("depth", [](const CameraReading& r) { return image_of(r.lens, "32FC1", r.depth.data(), 4); });
  if (model.numbers)
    image("instances", [](const CameraReading& r) { return image_of(r.lens, "32SC1", r.numbers.data(), 4); });
  if (model.classes)
    image("classes", [](const CameraReading& r) { return image_of(r.lens, "32SC1", r.classes.data(), 4); });
  auto info =
      node.create_publisher<sensor_msgs::msg::CameraInfo>(one.name + "/camera_info", rclcpp::SystemDefaultsQoS());
  one.topics.push_back(&info->kernel().topic());
  sends.push_back([info, frame = one.frame](const CameraReading& reading, const rclcpp::Time& at) {
    auto message = std::make_unique<sensor_msgs::msg::CameraInfo>();
    message->header.stamp = at, message->header.frame_id = frame;
    fill(reading.lens, *message);
    info->publish(std::move(message));
  });
  one.publish = [sends](const Sample& sample, const rclcpp::Time& at) {
    for (const Send& send : sends) send(std::get<CameraReading>(sample.data), at);
  };
}

SensorTopics::SensorTopics(rclcpp::Node& node, const std::vector<SensorSpec>& sensors, const std::string& base,
                           const SensorBook* types) {
  using Opens = void (SensorTopics::*)(rclcpp::Node&, One&);
  static constexpr std::pair<const char*, Opens> kOpens[] = {
      {"scan", &SensorTopics::open<sensor_msgs::msg::LaserScan, Scan>},
      {"points", &SensorTopics::open<sensor_msgs::msg::PointCloud2, Cloud>},
      {"range", &SensorTopics::open<sensor_msgs::msg::Range, RangeReading>},
      {"radar", &SensorTopics::open<sensor_msgs::msg::PointCloud2, RadarScan>},
      {"camera", &SensorTopics::open_camera},
      {"imu", &SensorTopics::open<sensor_msgs::msg::Imu, ImuSample>},
      {"mag", &SensorTopics::open<sensor_msgs::msg::MagneticField, MagneticReading>},
      {"fix", &SensorTopics::open<sensor_msgs::msg::NavSatFix, Fix>},
      {"pose", &SensorTopics::open<nav_msgs::msg::Odometry, PoseReading>},
      {"odom", &SensorTopics::open<nav_msgs::msg::Odometry, OdometryReading>},
      {"joint_states", &SensorTopics::open<sensor_msgs::msg::JointState, JointsReading>},
      {"contact", &SensorTopics::open<convoy_msgs::msg::Contacts, Touches>},
      {"overlap", &SensorTopics::open<convoy_msgs::msg::Overlaps, Overlaps>},
      {"battery", &SensorTopics::open<sensor_msgs::msg::BatteryState, BatteryReading>},
      {"keyboard", &SensorTopics::open<std_msgs::msg::UInt32, KeysReading>},
      {"joy", &SensorTopics::open<sensor_msgs::msg::Joy, StickReading>},
      {"mujoco", &SensorTopics::open<std_msgs::msg::Float64MultiArray, EngineReading>},
  };
  const SensorBook own;
  for (const SensorSpec& spec : sensors) {
    One& one = all_.emplace_back();
    one.type = (types ? *types : own).type_of(spec).value_or(nullptr);
    one.name = spec.name, one.parameters = spec.parameters;
    one.frame = one.type && !one.type->traits.placed ? base : spec.name + "_link";
    if (!one.type) continue;
    const auto opens = std::find_if(std::begin(kOpens), std::end(kOpens),
                                    [&](const auto& known) { return std::string_view(one.type->like) == known.first; });
    EXPECTS(opens != std::end(kOpens));  // each type has its message
    (this->*opens->second)(node, one);
  }
  if (!sensors.empty()) send_frames(node, sensors, base);
}

void SensorTopics::send_frames(rclcpp::Node& node, const std::vector<SensorSpec>& sensors, const std::string& base) {
  frames_ = node.create_publisher<tf2_msgs::msg::TFMessage>("/tf_static", rclcpp::QoS(1).transient_local());
  auto tf = std::make_unique<tf2_msgs::msg::TFMessage>();
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const SensorSpec& spec = sensors[i];
    if (!all_[i].type || !all_[i].type->traits.placed) continue;
    auto& t = tf->transforms.emplace_back();
    t.header.stamp = node.now(), t.header.frame_id = spec.link.empty() ? base : spec.link;
    t.child_frame_id = spec.name + "_link";
    put(spec.X_LS.p, t.transform.translation), put(spec.X_LS.q, t.transform.rotation);
    if (!all_[i].type->traits.pictures) continue;
    auto& optical = tf->transforms.emplace_back();
    optical.header.stamp = node.now(), optical.header.frame_id = spec.name + "_link";
    optical.child_frame_id = spec.name + "_optical_frame";
    put(optical_frame({}).q, optical.transform.rotation);
  }
  frames_->publish(std::move(tf));
}

bool SensorTopics::takes(std::string_view sensor) const {
  for (const One& one : all_)
    if (one.name == sensor)
      return std::any_of(one.topics.begin(), one.topics.end(), [](const auto* topic) { return topic->has_takers(); });
  return false;
}

void SensorTopics::publish(const Sample& sample, Instant start) {
  const One& one = all_[sample.sensor];
  if (one.publish) one.publish(sample, rclcpp::Time(nanos(start) + nanos(sample.at), RCL_ROS_TIME));
}

}  // namespace convoy::ros
