#include "local_map.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <nanoflann.hpp>

namespace lidar_odometry {
namespace {

// Three signed numbers of 21 bits: at voxels of 0.1 m, 100 km each way.
std::uint64_t voxel_of(const Eigen::Vector3d& point, double size) {
  const auto index = [&](int axis) {
    constexpr std::int64_t middle = 1 << 20;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(point[axis] / size)) + middle) & 0x1fffff;
  };
  return index(0) << 42 | index(1) << 21 | index(2);
}

template <typename Entry>
bool by_voxel(const Entry& a, const Entry& b) {
  return a.voxel < b.voxel;
}

}  // namespace

Points one_per_voxel(const Points& points, double size) {
  struct Numbered {
    std::uint64_t voxel;
    std::uint32_t point;
  };
  std::vector<Numbered> order(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) order[i] = {voxel_of(points[i], size), i};
  std::sort(order.begin(), order.end(), [](const Numbered& a, const Numbered& b) {
    return a.voxel != b.voxel ? a.voxel < b.voxel : a.point < b.point;
  });
  Points out;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || order[i].voxel != order[i - 1].voxel) out.push_back(points[order[i].point]);
  return out;
}

// What nanoflann wants of a set of points, and its index of them.
struct LocalMap::Tree {
  explicit Tree(const std::vector<Entry>& entries) : points(entries), index(3, *this, {20}) {}

  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i].point[static_cast<int>(axis)]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }

  const std::vector<Entry>& points;
  nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Tree>, Tree, 3, std::uint32_t> index;
};

namespace {

// The one nearest point within a bound; of equally near ones the first that the search meets.
struct Nearest {
  using DistanceType = double;
  double squared;
  std::uint32_t index = 0;
  bool found = false;

  bool full() const { return found; }
  double worstDist() const { return squared; }
  bool addPoint(double distance, std::uint32_t at) {
    if (distance < squared) squared = distance, index = at, found = true;
    return true;
  }
};

// Sums over the points within a bound; what lies around `middle` is taken from there, to keep digits.
template <typename Entry>
struct Moments {
  using DistanceType = double;
  const std::vector<Entry>& points;
  const Eigen::Vector3d& middle;
  double squared;
  int count = 0;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();

  bool full() const { return true; }
  double worstDist() const { return squared; }
  bool addPoint(double distance, std::uint32_t at) {
    if (distance >= squared) return true;
    const Eigen::Vector3d off = points[at].point - middle;
    ++count, sum += off, squares += off * off.transpose();
    return true;
  }
  Eigen::Matrix3d covariance() const {
    const Eigen::Vector3d mean = sum / count;
    return squares / count - mean * mean.transpose();
  }
};

}  // namespace

LocalMap::LocalMap(const Settings& settings) : settings_(settings) {}
LocalMap::~LocalMap() = default;

void LocalMap::add(const Points& points, const Eigen::Vector3d& vehicle) {
  std::vector<Entry> fresh;
  fresh.reserve(points.size());
  for (const Eigen::Vector3d& p : points) fresh.push_back({voxel_of(p, settings_.voxel), p});
  std::stable_sort(fresh.begin(), fresh.end(), by_voxel<Entry>);
  const std::size_t known = map_.size();
  merged_.resize(known + fresh.size());
  // Of one voxel those of map_ come first.
  std::merge(map_.begin(), map_.end(), fresh.begin(), fresh.end(), merged_.begin(), by_voxel<Entry>);

  // At this distance from each other a full voxel's points would fill a square of its size.
  const double apart = settings_.voxel * settings_.voxel / static_cast<double>(settings_.points);
  const double far = settings_.radius * settings_.radius;
  map_.clear();
  for (auto at = merged_.begin(); at != merged_.end();) {
    const auto end = std::find_if(at, merged_.end(), [&](const Entry& e) { return e.voxel != at->voxel; });
    const std::size_t first = map_.size();
    const bool near = (at->point - vehicle).squaredNorm() < far;
    for (; at != end; ++at) {
      const auto close = [&](const Entry& e) { return (e.point - at->point).squaredNorm() < apart; };
      if (near && map_.size() - first < settings_.points &&
          std::none_of(map_.begin() + static_cast<std::ptrdiff_t>(first), map_.end(), close))
        map_.push_back(*at);
    }
  }
  weights_.assign(map_.size(), Eigen::Matrix3d::Zero());
  tree_ = std::make_unique<Tree>(map_);
  tree_->index.buildIndex();
}

std::optional<LocalMap::Match> LocalMap::nearest(const Eigen::Vector3d& to, double within) const {
  if (map_.empty()) return {};
  Nearest nearest{within * within};
  tree_->index.findNeighbors(nearest, to.data(), nanoflann::SearchParams());
  if (!nearest.found) return {};
  return Match{map_[nearest.index].point, weight(nearest.index)};
}

const Eigen::Matrix3d& LocalMap::weight(std::uint32_t index) const {
  Eigen::Matrix3d& known = weights_[index];
  if (known(0, 0) != 0) return known;
  const Eigen::Vector3d& middle = map_[index].point;
  Moments<Entry> moments{map_, middle, settings_.around * settings_.around};
  tree_->index.findNeighbors(moments, middle.data(), nanoflann::SearchParams());
  const double grain = settings_.grain * settings_.grain;
  known = grain * (moments.covariance() + grain * Eigen::Matrix3d::Identity()).inverse();
  return known;
}

}  // namespace lidar_odometry
