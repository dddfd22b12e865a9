// The local map: points of past sweeps around the vehicle, a few in each voxel, and the nearest one to a place.
//
// A lidar with few rings draws lines on walls and ground, which move along with it: a point that is matched with
// the nearest one of the last sweep indicates no motion. So a match is weighted by W = e^2 (C + e^2 I)^-1, C
// the covariance of the map's points around it and e the `grain`: it weighs little along directions in which these are
// spread, and all across them. With a huge grain W is I: ICP as in the textbook.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lidar_odometry {

using Points = std::vector<Eigen::Vector3d>;

// The first point of each voxel, in the order of the voxels. Sorted, not hashed: the order of a hash table is no
// order to rely on.
Points one_per_voxel(const Points& points, double size);

class LocalMap {
 public:
  struct Settings {
    double voxel = 1.0;       // m
    std::size_t points = 12;  // in a voxel
    double radius = 60;       // m around the vehicle; farther voxels are forgotten
    double around = 2.5;      // m: which points make C
    double grain = 0.1;       // m
  };
  struct Match {
    Eigen::Vector3d point;
    Eigen::Matrix3d weight;
  };
  explicit LocalMap(const Settings& settings);
  ~LocalMap();

  // Takes points in the map's frame, unless they are close to one that is there, or their voxel is full.
  void add(const Points& points, const Eigen::Vector3d& vehicle);

  // Nothing if nothing is nearer than `within` m.
  std::optional<Match> nearest(const Eigen::Vector3d& to, double within) const;

  std::size_t size() const { return map_.size(); }

 private:
  struct Entry {
    std::uint64_t voxel;
    Eigen::Vector3d point;
  };
  struct Tree;

  const Eigen::Matrix3d& weight(std::uint32_t index) const;

  Settings settings_;
  std::vector<Entry> map_, merged_;  // by voxel; in a voxel the oldest first
  std::unique_ptr<Tree> tree_;
  // Of map_, computed when first asked for: few of its points are matched. Zero: not yet.
  mutable std::vector<Eigen::Matrix3d> weights_;
};

}  // namespace lidar_odometry
