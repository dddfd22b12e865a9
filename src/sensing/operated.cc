#include "sensing/operated.h"

#include <algorithm>

namespace convoy {

StickReading stick_of(const JoystickModel& model, const Twist& told, std::uint32_t keys) {
  const auto axis = [](double value, double full) { return static_cast<float>(std::clamp(value / full, -1.0, 1.0)); };
  return {{axis(told.v.x, model.linear), axis(told.v.y, model.linear), axis(told.w.z, model.angular)}, keys};
}

}  // namespace convoy
