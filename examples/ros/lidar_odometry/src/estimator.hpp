// Point-to-point ICP odometry: sweeps of a lidar go in one after the other, the vehicle's pose at each comes out.
//
// Each sweep is straightened by the last motion (constant velocity), thinned, and registered to the local map, from the
// pose that the last motion predicts; matches are weighted (local_map.hpp). How far a point may be from its match
// follows from how wrong past predictions were: this, and the two steps of thinning, are ideas of KISS-ICP (Vizzo et
// al., RA-L 2023).
//
// One thread, no clock, no chance: the same sweeps give the same bits.
#pragma once

#include <vector>

#include "local_map.hpp"
#include "pose.hpp"

namespace lidar_odometry {

struct Measured {
  Eigen::Vector3d point;  // m, in the vehicle's frame at the moment of measuring
  double offset;          // s from the sweep's stamp to that moment
};

struct Registration {
  Pose pose;  // X_MV: the vehicle in the map
  int iterations = 0;
  std::size_t matches = 0;  // in the last one
};

// The pose near `guess` that brings the points (in the vehicle's frame) onto the map. Matches are no farther apart than
// `within` m; those of about `scale` m count half (Geman-McClure).
Registration register_to(const LocalMap& map, const Points& points, const Pose& guess, double within, double scale);

class Estimator {
 public:
  struct Settings {
    LocalMap::Settings map;
    double first_sigma = 2;        // m: how wrong a prediction may be as long as nothing is known
    double least_deviation = 0.1;  // m: smaller ones do not predict the next
  };
  explicit Estimator(const Settings& settings) : settings_(settings), map_(settings.map) {}

  // The vehicle at the sweep's stamp, in the frame of the first. `elapsed` is from the last sweep's stamp, s.
  const Registration& add(const std::vector<Measured>& sweep, double elapsed);

  const Pose& motion() const { return motion_; }  // from the last sweep to this
  const LocalMap& map() const { return map_; }

 private:
  double sigma() const;
  void learn(const Pose& correction);

  Settings settings_;
  LocalMap map_;
  Registration last_;
  Pose middle_;  // X_MV halfway through the last sweep
  Pose motion_;  // from middle to middle
  bool begun_ = false;
  double squares_ = 0;  // of the deviations
  int deviations_ = 0;
};

}  // namespace lidar_odometry
