#include "estimator.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace lidar_odometry {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kConverged = 1e-4;  // m, rad
constexpr std::size_t kFewestMatches = 20;

// Gauss-Newton's sums over all matches, for a step of the translation and a turn about the vehicle.
struct NormalEquations {
  Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> gradient = Eigen::Matrix<double, 6, 1>::Zero();

  // arm: from the vehicle to the point, error: from the match to the point.
  void add(const Eigen::Vector3d& arm, const Eigen::Vector3d& error, const Eigen::Matrix3d& weight) {
    Eigen::Matrix3d cross;
    cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    const Eigen::Matrix3d turned = cross * weight;
    const Eigen::Vector3d pull = weight * error;
    matrix.topLeftCorner<3, 3>() += weight;
    matrix.bottomLeftCorner<3, 3>() += turned;
    matrix.bottomRightCorner<3, 3>() -= turned * cross;
    gradient.head<3>() += pull;
    gradient.tail<3>() += arm.cross(pull);
  }
  // LDLT reads the lower half.
  Eigen::Matrix<double, 6, 1> step() const { return matrix.ldlt().solve(-gradient); }
};

}  // namespace

Registration register_to(const LocalMap& map, const Points& points, const Pose& guess, double within, double scale) {
  Registration out{guess, 0, 0};
  while (out.iterations < kMaxIterations) {
    NormalEquations sums;
    out.matches = 0;
    const Eigen::Matrix3d rotation = out.pose.rotation.toRotationMatrix();
    for (const Eigen::Vector3d& p : points) {
      const Eigen::Vector3d arm = rotation * p;
      const Eigen::Vector3d place = out.pose.translation + arm;
      const auto match = map.nearest(place, within);
      if (!match) continue;
      const Eigen::Vector3d error = place - match->point;
      const double share = scale * scale / (scale * scale + error.dot(match->weight * error));
      sums.add(arm, error, share * share * match->weight);
      ++out.matches;
    }
    if (out.matches < kFewestMatches) return {guess, out.iterations, out.matches};
    const Eigen::Matrix<double, 6, 1> step = sums.step();
    out.pose.translation += step.head<3>();
    out.pose.rotation = (from_small_angles(step.tail<3>()) * out.pose.rotation).normalized();
    ++out.iterations;
    if (step.norm() < kConverged) break;
  }
  return out;
}

const Registration& Estimator::add(const std::vector<Measured>& sweep, double elapsed) {
  // Halfway through the sweep an error of the motion moves the points as much forward as back. At the begin it would
  // shift them all by half of itself, and the next motion the other way: the estimate would swing forever.
  double first = 0, last = 0;
  for (const Measured& m : sweep) first = std::min(first, m.offset), last = std::max(last, m.offset);
  const double middle = (first + last) / 2;
  const double rate = begun_ && elapsed > 0 ? 1 / elapsed : 0;
  Points straight;
  straight.reserve(sweep.size());
  for (const Measured& m : sweep) straight.push_back(part(motion_, (m.offset - middle) * rate) * m.point);
  // Denser for the map than for the registration.
  const double voxel = settings_.map.voxel;
  Points dense = one_per_voxel(straight, 0.5 * voxel);

  if (begun_) {
    const Points thin = one_per_voxel(dense, 1.5 * voxel);
    const Pose guess = middle_ * motion_;
    const double s = sigma();
    last_ = register_to(map_, thin, guess, 3 * s, s / 3);
    learn(guess.inverse() * last_.pose);
    motion_ = middle_.inverse() * last_.pose;
  }
  middle_ = last_.pose;
  begun_ = true;
  for (Eigen::Vector3d& p : dense) p = middle_ * p;
  map_.add(dense, middle_.translation);
  last_.pose = middle_ * part(motion_, -middle * rate);
  return last_;
}

double Estimator::sigma() const {
  return std::sqrt((squares_ + settings_.first_sigma * settings_.first_sigma) / (1 + deviations_));
}

// How far a point at the map's rim was moved at most.
void Estimator::learn(const Pose& correction) {
  const double deviation = 2 * settings_.map.radius * correction.rotation.vec().norm() + correction.translation.norm();
  if (deviation < settings_.least_deviation) return;
  squares_ += deviation * deviation;
  ++deviations_;
}

}  // namespace lidar_odometry
