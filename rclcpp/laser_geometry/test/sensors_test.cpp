// Point clouds and what is made of them: fields, scans as clouds, and both from frame to frame.
#include "laser_geometry/laser_geometry.hpp"

#include <doctest/doctest.h>
#include <sensor_msgs/image_encodings.hpp>

#include <cstring>

#include "tf2_sensor_msgs/tf2_sensor_msgs.hpp"

using sensor_msgs::PointCloud2Iterator;
using sensor_msgs::msg::PointCloud2;
using sensor_msgs::msg::PointField;
namespace channel = laser_geometry::channel_option;

namespace {

using Floats = std::vector<float>;
template <class T = float>
std::vector<T> field(const PointCloud2& cloud, const char* name) {
  std::vector<T> out;
  const sensor_msgs::PointCloud2ConstIterator<T> begin(cloud, name);
  for (auto at = begin; at != begin.end(); ++at) out.push_back(*at);
  return out;
}

std::string layout(const PointCloud2& cloud) {
  std::string out;
  for (const auto& f : cloud.fields) out += f.name + "@" + std::to_string(f.offset) + " ";
  return out + std::to_string(cloud.point_step);
}

// Rays at 0, 90 and 180 degrees, the last one beyond the laser's reach; 1 s from one to the next.
sensor_msgs::msg::LaserScan scan() {
  sensor_msgs::msg::LaserScan s;
  s.header.frame_id = "laser", s.header.stamp.sec = 10;
  s.angle_increment = static_cast<float>(TF2SIMD_HALF_PI), s.time_increment = 1;
  s.range_min = 1, s.range_max = 5;
  s.ranges = {2, 4, 5}, s.intensities = {7, 8, 9};
  return s;
}

geometry_msgs::msg::TransformStamped transform(int sec, double x, double yaw) {
  geometry_msgs::msg::TransformStamped t;
  t.header.frame_id = "map", t.child_frame_id = "laser", t.header.stamp.sec = sec;
  t.transform.translation.x = x;
  tf2::Quaternion q;
  q.setRPY(0, 0, yaw);
  t.transform.rotation.z = q.z(), t.transform.rotation.w = q.w();
  return t;
}

}  // namespace

TEST_CASE("a cloud is laid out by names, and its fields are walked over") {
  PointCloud2 cloud;
  sensor_msgs::PointCloud2Modifier modifier(cloud);
  modifier.setPointCloud2FieldsByString(2, "xyz", "rgb");
  CHECK(layout(cloud) == "x@0 y@4 z@8 rgb@16 32");
  CHECK(modifier.size() == 0);
  modifier.resize(3);
  CHECK((cloud.width == 3 && cloud.row_step == 96 && cloud.data.size() == 96));

  PointCloud2Iterator<float> x(cloud, "x");
  for (float value = 1; x != x.end(); ++x, ++value) *x = value, x[2] = -value;
  CHECK(field(cloud, "x") == Floats{1, 2, 3});
  CHECK(field(cloud, "z") == Floats{-1, -2, -3});
  *(PointCloud2Iterator<std::uint8_t>(cloud, "r") + 1) = 9;  // the third byte of what is one float
  CHECK(cloud.data[32 + 16 + 2] == 9);
  CHECK_THROWS_WITH_AS((PointCloud2Iterator<float>(cloud, "w")), "Field w does not exist", std::runtime_error);

  modifier.setPointCloud2Fields(2, "ring", 1, PointField::UINT16, "v", 3, PointField::FLOAT64);
  CHECK(layout(cloud) == "ring@0 v@2 26");
  CHECK(cloud.data.size() == 3 * 26);
  modifier.clear();
  CHECK((cloud.width == 0 && cloud.data.empty()));
  CHECK_THROWS_AS(modifier.setPointCloud2FieldsByString(1, "uvw"), std::runtime_error);
}

TEST_CASE("fields are added by functions at global scope, which know each type's bytes") {
  PointCloud2 cloud;
  int offset = addPointField(cloud, "id", 2, PointField::UINT16, 0);
  offset = ::addPointField(cloud, "range", 1, PointField::FLOAT64, offset);
  CHECK(offset == 12);
  CHECK(layout(cloud) == "id@0 range@4 0");
  CHECK(sizeOfPointField(PointField::FLOAT32) == 4);
  CHECK_THROWS_AS(sizeOfPointField(77), std::runtime_error);
}

TEST_CASE("encodings give their channels and bits") {
  namespace e = sensor_msgs::image_encodings;
  CHECK((e::numChannels("rgba16") == 4 && e::bitDepth("rgba16") == 16 && e::hasAlpha("rgba16")));
  CHECK((e::numChannels("bgr8") == 3 && e::bitDepth("bgr8") == 8 && e::isColor("bgr8")));
  CHECK((e::numChannels("32FC2") == 2 && e::bitDepth("32FC2") == 32 && !e::isColor("32FC2")));
  CHECK((e::numChannels("8UC") == 1 && e::isBayer("bayer_rggb16") && e::bitDepth("bayer_rggb16") == 16));
  CHECK((e::isMono("mono16") && e::numChannels("mono16") == 1 && e::bitDepth("mono16") == 16));
  CHECK_THROWS_AS(e::numChannels("grey"), std::runtime_error);
  CHECK_THROWS_AS(e::bitDepth("16XC1"), std::runtime_error);
}

TEST_CASE("a scan is a cloud of the points in reach, with the channels that were asked for") {
  const laser_geometry::LaserProjection projection;
  PointCloud2 cloud;
  projection.projectLaser(scan(), cloud);
  CHECK(layout(cloud) == "x@0 y@4 z@8 intensity@12 index@16 20");
  CHECK((cloud.width == 2 && cloud.height == 1 && cloud.data.size() == 40 && !cloud.is_dense));
  CHECK(field(cloud, "x")[0] == 2);
  CHECK(field(cloud, "x")[1] == doctest::Approx(0).epsilon(1e-6));
  CHECK(field(cloud, "y")[1] == 4);
  CHECK(field(cloud, "intensity") == Floats{7, 8});
  CHECK(field<std::int32_t>(cloud, "index") == std::vector<std::int32_t>{0, 1});

  projection.projectLaser(scan(), cloud, 3.0, channel::Distance | channel::Timestamp | channel::Viewpoint);
  CHECK(layout(cloud) == "x@0 y@4 z@8 distances@12 stamps@16 vp_x@20 vp_y@24 vp_z@28 32");
  CHECK(field(cloud, "distances") == Floats{2});
  auto dark = scan();
  dark.intensities.clear(), dark.ranges[0] = std::numeric_limits<float>::quiet_NaN();
  projection.projectLaser(dark, cloud, 10.0, channel::Intensity | channel::Timestamp);
  CHECK(layout(cloud) == "x@0 y@4 z@8 stamps@12 16");
  CHECK(field(cloud, "stamps") == Floats{1, 2});
}

TEST_CASE("the points of a scan come from where the laser was at the time of each") {
  tf2::BufferCore buffer;
  buffer.setTransform(transform(10, 0, 0), "t");
  buffer.setTransform(transform(12, 6, 0), "t");
  PointCloud2 cloud;
  laser_geometry::LaserProjection().transformLaserScanToPointCloud("map", scan(), cloud, buffer, 10.0,
                                                                   channel::Viewpoint);

  CHECK((cloud.header.frame_id == "map" && cloud.header.stamp.sec == 10 && cloud.width == 3));
  CHECK(layout(cloud) == "x@0 y@4 z@8 vp_x@12 vp_y@16 vp_z@20 24");
  const Floats xs = field(cloud, "x");
  CHECK(xs[0] == 2);
  CHECK(xs[1] == doctest::Approx(3));
  CHECK(xs[2] == doctest::Approx(1));  // 5 m behind a laser that has come 6 m
  CHECK(field(cloud, "vp_x") == Floats{0, 3, 6});
  auto late = scan();
  late.header.stamp.sec = 11;
  CHECK_THROWS_AS(laser_geometry::LaserProjection().transformLaserScanToPointCloud("map", late, cloud, buffer),
                  tf2::ExtrapolationException);
}

TEST_CASE("clouds and IMU readings go from frame to frame") {
  PointCloud2 cloud, moved;
  sensor_msgs::PointCloud2Modifier modifier(cloud);
  const int f = PointField::FLOAT32;
  modifier.setPointCloud2Fields(7, "x", 1, f, "y", 1, f, "z", 1, f, "normal_x", 1, f, "normal_y", 1, f, "normal_z", 1,
                                f, "i", 1, f);
  modifier.resize(1);
  const float values[] = {1, 2, 3, 1, 0, 0, 42};
  std::memcpy(cloud.data.data(), values, sizeof values);
  const auto t = transform(4, 10, TF2SIMD_HALF_PI);
  tf2::doTransform(cloud, moved, t);

  CHECK(moved.header.frame_id == "map");
  CHECK(field(moved, "x")[0] == doctest::Approx(8));
  CHECK(field(moved, "y")[0] == doctest::Approx(1));
  CHECK(field(moved, "z") == Floats{3});
  CHECK(field(moved, "normal_y")[0] == doctest::Approx(1));  // a direction: the way does not count
  CHECK(field(moved, "i") == Floats{42});
  CHECK(field(cloud, "x") == Floats{1});

  sensor_msgs::msg::Imu imu, turned;
  imu.angular_velocity.x = 1, imu.linear_acceleration.y = 9;
  imu.linear_acceleration_covariance = {1, 0, 0, 0, 4, 0, 0, 0, 9};
  imu.orientation_covariance[0] = -1;
  imu.orientation = t.transform.rotation;
  tf2::doTransform(imu, turned, t);
  CHECK(turned.angular_velocity.y == doctest::Approx(1));
  CHECK(turned.linear_acceleration.x == doctest::Approx(-9));
  CHECK(turned.linear_acceleration_covariance[0] == doctest::Approx(4));
  CHECK(turned.linear_acceleration_covariance[4] == doctest::Approx(1));
  CHECK(turned.orientation_covariance[0] == -1);
  CHECK(turned.orientation.w == doctest::Approx(1));  // the new axes are those of the world
}
