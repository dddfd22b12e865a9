#include "messages/samples.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>
#include "core/math.h"
#include "messages/testing.h"

namespace messages_samples_test {

using namespace convoy;
using namespace convoy::ros;
using testing::heard;

namespace {

constexpr float kNothing = std::numeric_limits<float>::infinity();

template <class T>
T at(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  T out{};
  REQUIRE(offset + sizeof out <= bytes.size());
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

}  // namespace

TEST_CASE("a scan keeps its angles and ranges, and tells how long a turn takes") {
  const Scan scan{.angle_min = -1,
                  .angle_max = 1,
                  .angle_increment = 0.5f,
                  .time_increment = 0.25f,
                  .range_min = 0.1f,
                  .range_max = 30,
                  .ranges = {0.5f, kNothing, -kNothing},
                  .intensities = {0.25f, 0, 0}};

  const auto m = heard<sensor_msgs::msg::LaserScan>("scan", scan);

  CHECK(m.header.frame_id == "front_link");
  CHECK(m.header.stamp.sec == 3);
  CHECK(m.header.stamp.nanosec == 7);
  CHECK(m.angle_min == -1);
  CHECK(m.angle_max == 1);
  CHECK(m.angle_increment == 0.5f);
  CHECK(m.time_increment == 0.25f);
  CHECK(m.scan_time == 0.1f);
  CHECK(m.range_min == 0.1f);
  CHECK(m.range_max == 30);
  CHECK(m.ranges == scan.ranges);
  CHECK(m.intensities == scan.intensities);
}

TEST_CASE("a cloud is packed in rows of 22 bytes a point") {
  Cloud cloud;
  cloud.width = 1, cloud.height = 2, cloud.dense = false;
  cloud.points = {{1, 2, 3, 0.5f, 7, 0.25f}, {4, 5, 6, 1, 8, 0.5f}};

  const auto m = heard<sensor_msgs::msg::PointCloud2>("points", cloud);

  CHECK(m.width == 1);
  CHECK(m.height == 2);
  CHECK(m.point_step == 22);
  CHECK(m.row_step == 22);
  CHECK(!m.is_dense);
  CHECK(!m.is_bigendian);
  REQUIRE(m.fields.size() == 6);
  CHECK(m.fields[4].name == "ring");
  CHECK(m.fields[4].offset == 16);
  CHECK(m.fields[4].datatype == sensor_msgs::msg::PointField::UINT16);
  CHECK(m.fields[5].name == "time");
  CHECK(m.fields[5].offset == 18);
  CHECK(m.fields[5].count == 1);
  REQUIRE(m.data.size() == 44);
  CHECK(at<float>(m.data, 8) == 3);
  CHECK(at<float>(m.data, 12) == 0.5f);
  CHECK(at<std::uint16_t>(m.data, 16) == 7);
  CHECK(at<float>(m.data, 18) == 0.25f);
  CHECK(at<float>(m.data, 22) == 4);
  CHECK(at<float>(m.data, 40) == 0.5f);
}

TEST_CASE("a cloud of nothing is a message without data") {
  const auto m = heard<sensor_msgs::msg::PointCloud2>("points", Cloud{});

  CHECK(m.data.empty());
  CHECK(m.fields.size() == 6);
}

TEST_CASE("a radar's returns are points: left of x by the azimuth, above it by the elevation") {
  RadarScan radar;
  radar.returns = {{.range = 2, .azimuth = math::kPi / 2, .elevation = 0, .speed = -1, .amplitude = 0.5},
                   {.range = 2, .azimuth = 0, .elevation = math::kPi / 6, .speed = 3, .amplitude = 1}};

  const auto m = heard<sensor_msgs::msg::PointCloud2>("radar", radar);

  CHECK(m.width == 2);
  CHECK(m.point_step == 20);
  REQUIRE(m.data.size() == 40);
  CHECK(at<float>(m.data, 0) == doctest::Approx(0).epsilon(1e-6));
  CHECK(at<float>(m.data, 4) == 2);
  CHECK(at<float>(m.data, 12) == -1);
  CHECK(at<float>(m.data, 16) == 0.5f);
  CHECK(at<float>(m.data, 20) == doctest::Approx(std::sqrt(3.0)));
  CHECK(at<float>(m.data, 28) == doctest::Approx(1));
}

TEST_CASE("a range finder is ultrasonic, and nothing is infinitely far") {
  const RangeReading reading{.range = kNothing, .range_min = 0.02, .range_max = 4, .field = 0.25};

  const auto m = heard<sensor_msgs::msg::Range>("range", reading);

  CHECK(m.radiation_type == sensor_msgs::msg::Range::ULTRASOUND);
  CHECK(m.range == kNothing);
  CHECK(m.min_range == 0.02f);
  CHECK(m.max_range == 4);
  CHECK(m.field_of_view == 0.25f);
}

TEST_CASE("an IMU has its variances on the diagonals") {
  const ImuSample sample{.orientation = {0.5, 0.5, -0.5, 0.5},
                         .angular_velocity = {1, 2, 3},
                         .linear_acceleration = {0, 0, 9.81},
                         .orientation_variance = 0.1,
                         .angular_velocity_variance = 0.2,
                         .linear_acceleration_variance = 0.3};

  const auto m = heard<sensor_msgs::msg::Imu>("imu", sample);

  CHECK(m.orientation.w == 0.5);
  CHECK(m.orientation.y == -0.5);
  CHECK(m.angular_velocity.z == 3);
  CHECK(m.linear_acceleration.z == 9.81);
  CHECK(m.orientation_covariance == std::array<double, 9>{0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1});
  CHECK(m.angular_velocity_covariance[4] == 0.2);
  CHECK(m.linear_acceleration_covariance[8] == 0.3);
}

TEST_CASE("a magnetometer and a fix tell what they measure and how well") {
  const MagneticReading field{.field = {2e-5, 0, -4e-5}, .variance = 1e-12};
  Fix fix;
  fix.at = {.latitude = 52.5, .longitude = 13.25, .altitude = 34};
  fix.covariance = {4, 0, 0, 0, 4, 0, 0, 0, 9};

  const auto m = heard<sensor_msgs::msg::MagneticField>("mag", field);
  const auto f = heard<sensor_msgs::msg::NavSatFix>("fix", fix);

  CHECK(m.magnetic_field.x == 2e-5);
  CHECK(m.magnetic_field.z == -4e-5);
  CHECK(m.magnetic_field_covariance[4] == 1e-12);
  CHECK(f.latitude == 52.5);
  CHECK(f.longitude == 13.25);
  CHECK(f.altitude == 34);
  CHECK(f.status.status == sensor_msgs::msg::NavSatStatus::STATUS_FIX);
  CHECK(f.position_covariance == fix.covariance);
  CHECK(f.position_covariance_type == sensor_msgs::msg::NavSatFix::COVARIANCE_TYPE_KNOWN);
}

TEST_CASE("a pose is in the frame that it names, and odometry in the robot's own") {
  const PoseReading pose{.frame = "floor_2", .X_OS = {{1, 2, 3}, {0, 0, 0, 1}}, .v_WS_S = {{4, 5, 6}, {7, 8, 9}}};
  OdometryReading wheels{.x = 1, .y = 2, .yaw = math::kPi / 2, .speed = 0.5, .turn_rate = 0.25};
  wheels.pose_covariance[35] = 0.125, wheels.twist_covariance[0] = 0.0625;

  const auto p = heard<nav_msgs::msg::Odometry>("pose", pose, "scout/");
  const auto o = heard<nav_msgs::msg::Odometry>("odom", wheels, "scout/");

  CHECK(p.header.frame_id == "floor_2");
  CHECK(p.child_frame_id == "scout/front_link");
  CHECK(p.pose.pose.position.z == 3);
  CHECK(p.pose.pose.orientation.z == 1);
  CHECK(p.twist.twist.linear.y == 5);
  CHECK(p.twist.twist.angular.z == 9);
  CHECK(o.header.frame_id == "scout/odom");
  CHECK(o.child_frame_id == "scout/base_footprint");
  CHECK(o.pose.pose.position.y == 2);
  CHECK(o.pose.pose.orientation.z == doctest::Approx(std::sqrt(0.5)));
  CHECK(o.pose.pose.orientation.w == doctest::Approx(std::sqrt(0.5)));
  CHECK(o.twist.twist.linear.x == 0.5);
  CHECK(o.twist.twist.angular.z == 0.25);
  CHECK(o.pose.covariance[35] == 0.125);
  CHECK(o.twist.covariance[0] == 0.0625);
}

TEST_CASE("joints are in no frame") {
  const JointsReading joints{.names = {"left", "right"}, .positions = {1, 2}, .velocities = {3, 4}};

  const auto m = heard<sensor_msgs::msg::JointState>("joint_states", joints);

  CHECK(m.header.frame_id.empty());
  CHECK(m.header.stamp.sec == 3);
  CHECK(m.name == joints.names);
  CHECK(m.position == joints.positions);
  CHECK(m.velocity == joints.velocities);
  CHECK(m.effort.empty());
}

TEST_CASE("contacts and overlaps name whom they mean") {
  Touches touches;
  touches.touches = {{.part = "bumper",
                      .other = "crate",
                      .other_part = "lid",
                      .position = {1, 2, 3},
                      .normal = {0, 0, 1},
                      .force = {4, 5, 6},
                      .depth = 0.5}};
  const Overlaps overlaps{.inside = {"a", "b"}, .appeared = {"b"}, .gone = {"c"}};

  const auto c = heard<convoy_msgs::msg::Contacts>("contact", touches);
  const auto o = heard<convoy_msgs::msg::Overlaps>("overlap", overlaps);

  REQUIRE(c.contacts.size() == 1);
  CHECK(c.contacts[0].part == "bumper");
  CHECK(c.contacts[0].other == "crate");
  CHECK(c.contacts[0].other_part == "lid");
  CHECK(c.contacts[0].position.x == 1);
  CHECK(c.contacts[0].normal.z == 1);
  CHECK(c.contacts[0].force.y == 5);
  CHECK(c.contacts[0].depth == 0.5);
  CHECK(o.inside == overlaps.inside);
  CHECK(o.appeared == overlaps.appeared);
  CHECK(o.gone == overlaps.gone);
}

TEST_CASE("a battery that has no thermometer says so") {
  const BatteryReading battery{.share = 0.5, .voltage = 12, .current = -2, .charge = 1, .capacity = 2};

  const auto m = heard<sensor_msgs::msg::BatteryState>("battery", battery);

  CHECK(m.header.frame_id == "base_footprint");
  CHECK(m.percentage == 0.5f);
  CHECK(m.voltage == 12);
  CHECK(m.current == -2);
  CHECK(m.charge == 1);
  CHECK(m.capacity == 2);
  CHECK(m.design_capacity == 2);
  CHECK(std::isnan(m.temperature));
  CHECK(m.present);
}

TEST_CASE("keys, sticks and an engine's numbers are as they were") {
  const StickReading stick{.axes = {1, -0.5f, 0.25f}, .buttons = 0x80000001};
  const EngineReading engine{.element = "tilt", .values = {1, 2, 3}};

  const auto k = heard<std_msgs::msg::UInt32>("keyboard", KeysReading{5});
  const auto j = heard<sensor_msgs::msg::Joy>("joy", stick);
  const auto e = heard<std_msgs::msg::Float64MultiArray>("mujoco", engine);

  CHECK(k.data == 5);
  CHECK(j.axes == std::vector<float>{1, -0.5f, 0.25f});
  REQUIRE(j.buttons.size() == 32);
  CHECK(j.buttons[0] == 1);
  CHECK(j.buttons[1] == 0);
  CHECK(j.buttons[31] == 1);
  CHECK(e.data == engine.values);
  REQUIRE(e.layout.dim.size() == 1);
  CHECK(e.layout.dim[0].label == "tilt");
  CHECK(e.layout.dim[0].stride == 3);
}

TEST_CASE("every type of sensor has the message that it names") {
  for (const SensorType& type : sensor_types()) {
    CAPTURE(type.name);
    std::string message = type.like == std::string_view(kCameraKind) ? type.message : "";
    visit_kind(type.like, [&](auto kind) {
      using Message = typename decltype(kind)::Message;
      message = TypeSupport::of<Message>().name();
    });
    CHECK(message == type.message);
  }
  CHECK(!visit_kind("sonar", [](auto) {}));
}

}  // namespace messages_samples_test
