#include "physics/mujoco/failed_robot.h"

namespace convoy::mujoco {

void FailedRobot::step(const PhysicsInput& input, State& state, std::span<double>, PhysicsEvents& events) {
  state.stamp = input.begin + input.step;
  state.twist = {};
  if (!reported_) events.fault = why_;
  reported_ = true;
}

}  // namespace convoy::mujoco
