// Where a mounted sensor is, and how it moves.
#pragma once

#include <span>

#include "shapes/shapes.h"
#include "world/sensor_spec.h"
#include "world/state.h"

namespace convoy {

// The robot that carries it, at an instant.
struct Carrier {
  const Model& model;
  const Shapes& shapes;
  const State& state;
  Pose origin;                   // X_WR at its creation
  std::span<const double> tail;  // joint positions, then velocities
};

struct MountedFrame {
  Pose X_WS;
  Twist v_WS_W;  // of S's origin, in W
};

// On a link, the twist is a central difference of its place over 20 us of its joints' motion: right to 1e-6 m/s.
// A link that the robot does not have: as on its own frame.
MountedFrame place_mount(const SensorSpec& spec, const Carrier& robot);

}  // namespace convoy
