// The actuators and equalities that an import makes for joints, where the format has none.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct Servo {
  std::string joint;
  bool turns = false;          // without limits: a wheel
  double effort = 0;           // N or N m; 0: not said
  double speed = 0;            // that it is limited to, m/s or rad/s; 0: not said
  double stiffest = HUGE_VAL;  // N/m or N m/rad; a stiffer one would shake
};

// The joint follows another: offset + multiplier times its position.
struct Mimic {
  std::string joint, of;
  double offset = 0, multiplier = 1;
};

void report_servos(const std::vector<Servo>& servos, ImportReport& report);
void add_actuators(Element& mjcf, const std::vector<Servo>& servos, const std::vector<Mimic>& mimics);

// The format has no options for the physics. Wheels are light and their servos stiff: that needs an integrator that
// knows the servos.
void set_options(Element& mjcf);

}  // namespace convoy::mujoco
