// What a sensor may know at the instant of a sample. S is its frame.
#pragma once

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "sensing/inertial.h"
#include "sensing/pictures.h"
#include "sensing/ray_world.h"
#include "sensing/robot_inside.h"
#include "world/grid.h"
#include "world/sensor_rules.h"
#include "world/world.h"

namespace convoy {

struct SensorView {
  Pose X_WS;
  Twist v_WS_W;                            // of S's origin, in W
  Vec3 a_WS_W;                             // m/s^2
  Vec3 gravity{0, 0, -9.81};               // in W, m/s^2
  Duration age{0};                         // of its robot, since it was made or reset
  const World* world = nullptr;            // whose snapshot is that of the instant
  const RayField* field = nullptr;         // what rays meet then; of types that cast some
  const RayWorld* looks = nullptr;         // what that looks like
  const Grid* grid = nullptr;              // of that snapshot
  const RobotInside* inside = nullptr;     // of types that need it
  const CameraPicture* picture = nullptr;  // that was drawn for it; of types that take some
  bool see_self = false;
  const SensorRules* rules = nullptr;
  Duration period{0};  // from one sample to the next
  SampleKey key;
};

}  // namespace convoy
