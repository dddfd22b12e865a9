// A laser's scan as a point cloud: in the laser's own frame, or in another while the laser moves.
#pragma once

#include <sensor_msgs/msg/laser_scan.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>

#include <string>

#include "tf2/buffer_core.hpp"

namespace laser_geometry {

namespace channel_option {
// What each point has besides x, y and z. Sums of these.
enum ChannelOption {
  None = 0x00,
  Intensity = 0x01,  // "intensity", if the scan has any
  Index = 0x02,      // "index": its place in the scan
  Distance = 0x04,   // "distances", m
  Timestamp = 0x08,  // "stamps", s after the scan's stamp
  Viewpoint = 0x10,  // "vp_x", "vp_y", "vp_z": where the laser was
  Default = Intensity | Index
};
}  // namespace channel_option

class LaserProjection {
 public:
  // Points nearer than range_min, or not nearer than the cutoff (m; below 0: range_max), are left out.
  void projectLaser(const sensor_msgs::msg::LaserScan& scan, sensor_msgs::msg::PointCloud2& cloud,
                    double range_cutoff = -1.0, int channel_options = channel_option::Default) const;

  // Each point from where the laser was at its time, between the first ray's place and the last one's. Throws what
  // lookupTransform() throws.
  void transformLaserScanToPointCloud(const std::string& target_frame, const sensor_msgs::msg::LaserScan& scan,
                                      sensor_msgs::msg::PointCloud2& cloud, tf2::BufferCore& buffer,
                                      double range_cutoff = -1.0, int channel_options = channel_option::Default) const;
};

}  // namespace laser_geometry
