// What the static world does to a robot in one tick: the mean wrench that others push it with instead, and how near its
// contacts are to the limit of their traction.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <span>

#include "convoy/time.h"
#include "physics/mujoco/outside_parts.h"
#include "world/model.h"

namespace convoy::mujoco {

class WrenchMeter {
 public:
  // A tick begins. `on` false: nothing is measured in it, and the wrench is 0.
  void begin(bool on);
  bool on() const { return on_; }
  // Adds the forces on the tree of body `root` at this moment, and their torques about its centre of mass, in the
  // model's world frame. `outside`: the body of what is static beside that frame's own, or -1.
  void add(const mjModel* m, const mjData* d, int root, int outside, std::span<const Push> pushes);
  // The tick is over.
  void average();

  // Fx, Fy, Fz in N, Tx, Ty, Tz in N m.
  const std::array<double, kWrenchSize>& wrench() const { return wrench_; }
  bool near_limit() const;  // the contacts took most of what friction can bear

 private:
  bool on_ = false;
  int moments_ = 0;  // that were added
  std::array<double, kWrenchSize> wrench_{};
  double pull_ = 0, grip_ = 0;  // N, summed over the tick: along the ground, and what friction could bear
};

}  // namespace convoy::mujoco
