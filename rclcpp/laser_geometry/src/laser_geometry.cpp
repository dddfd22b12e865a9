#include "laser_geometry/laser_geometry.hpp"

#include <sensor_msgs/point_cloud2_iterator.hpp>

#include <cstring>

#include "tf2/LinearMath/Transform.hpp"

namespace laser_geometry {
namespace {

using sensor_msgs::msg::LaserScan;
using sensor_msgs::msg::PointCloud2;
using sensor_msgs::msg::PointField;

struct Pose {
  tf2::Quaternion rotation;
  tf2::Vector3 origin;
};

Pose pose_of(const geometry_msgs::msg::TransformStamped& t) {
  const auto& q = t.transform.rotation;
  const auto& p = t.transform.translation;
  return {tf2::Quaternion(q.x, q.y, q.z, q.w), tf2::Vector3(p.x, p.y, p.z)};
}

// Writes the values of a point one behind the other, in the order of its fields.
class Writer {
 public:
  explicit Writer(PointCloud2& cloud) : cloud_(cloud) {}
  template <class T>
  void put(T value) {
    std::memcpy(cloud_.data.data() + at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void put(const tf2::Vector3& v) {
    for (const double value : {v.x(), v.y(), v.z()}) put(static_cast<float>(value));
  }

 private:
  PointCloud2& cloud_;
  std::size_t at_ = 0;
};

int effective(const LaserScan& scan, int options) {
  return scan.intensities.empty() ? options & ~channel_option::Intensity : options;
}

void lay_out(PointCloud2& cloud, int options) {
  cloud.fields.clear();
  int offset = 0;
  const auto add = [&](const char* name, int type) {
    offset = sensor_msgs::addPointField(cloud, name, 1, type, offset);
  };
  for (const char* name : {"x", "y", "z"}) add(name, PointField::FLOAT32);
  if (options & channel_option::Intensity) add("intensity", PointField::FLOAT32);
  if (options & channel_option::Index) add("index", PointField::INT32);
  if (options & channel_option::Distance) add("distances", PointField::FLOAT32);
  if (options & channel_option::Timestamp) add("stamps", PointField::FLOAT32);
  if (options & channel_option::Viewpoint)
    for (const char* name : {"vp_x", "vp_y", "vp_z"}) add(name, PointField::FLOAT32);
  cloud.point_step = static_cast<std::uint32_t>(offset);
}

// With the laser's pose in the target frame for each ray; null: its own frame.
void project(const LaserScan& scan, PointCloud2& cloud, double cutoff, int options, const Pose* first,
             const Pose* last) {
  options = effective(scan, options);
  lay_out(cloud, options);
  cloud.header = scan.header;
  cloud.is_bigendian = cloud.is_dense = false;
  cloud.data.resize(scan.ranges.size() * cloud.point_step);
  if (cutoff < 0) cutoff = scan.range_max;
  const double rays = static_cast<double>(scan.ranges.size());
  std::uint32_t count = 0;
  Writer out(cloud);
  for (std::size_t i = 0; i < scan.ranges.size(); ++i) {
    const float range = scan.ranges[i];
    if (!(range < cutoff && range >= scan.range_min)) continue;
    const double angle = scan.angle_min + static_cast<double>(i) * scan.angle_increment;
    tf2::Vector3 point(range * tf2Cos(angle), range * tf2Sin(angle), 0), viewpoint(0, 0, 0);
    if (first) {
      const double along = rays > 1 ? static_cast<double>(i) / (rays - 1) : 0;
      viewpoint.setInterpolate3(first->origin, last->origin, along);
      point = tf2::Transform(first->rotation.slerp(last->rotation, along), viewpoint) * point;
    }
    out.put(point);
    if (options & channel_option::Intensity) out.put(i < scan.intensities.size() ? scan.intensities[i] : 0.0f);
    if (options & channel_option::Index) out.put(static_cast<std::int32_t>(i));
    if (options & channel_option::Distance) out.put(range);
    if (options & channel_option::Timestamp) out.put(static_cast<float>(i) * scan.time_increment);
    if (options & channel_option::Viewpoint) out.put(viewpoint);
    ++count;
  }
  cloud.height = 1, cloud.width = count, cloud.row_step = count * cloud.point_step;
  cloud.data.resize(cloud.row_step);
}

}  // namespace

void LaserProjection::projectLaser(const LaserScan& scan, PointCloud2& cloud, double range_cutoff,
                                   int channel_options) const {
  project(scan, cloud, range_cutoff, channel_options, nullptr, nullptr);
}

void LaserProjection::transformLaserScanToPointCloud(const std::string& target_frame, const LaserScan& scan,
                                                     PointCloud2& cloud, tf2::BufferCore& buffer, double range_cutoff,
                                                     int channel_options) const {
  const tf2::TimePoint begin(std::chrono::seconds(scan.header.stamp.sec) +
                             std::chrono::nanoseconds(scan.header.stamp.nanosec));
  const double lasts = scan.ranges.empty() ? 0 : static_cast<double>(scan.ranges.size() - 1) * scan.time_increment;
  const tf2::TimePoint end = begin + std::chrono::nanoseconds(static_cast<std::int64_t>(lasts * 1e9));
  const Pose first = pose_of(buffer.lookupTransform(target_frame, scan.header.frame_id, begin));
  const Pose last = pose_of(buffer.lookupTransform(target_frame, scan.header.frame_id, end));
  project(scan, cloud, range_cutoff, channel_options, &first, &last);
  cloud.header.frame_id = target_frame;
}

}  // namespace laser_geometry
