#include "world/state.h"

#include <cstddef>
#include <cstring>

#include "core/math.h"

namespace convoy {

bool make_canonical(State& state) {
  // All numbers between stamp and discontinuity, as one array: this runs for every robot and tick.
  constexpr std::size_t kNumbers = 13;
  static_assert(offsetof(State, pose) == 8 && offsetof(State, discontinuity) == 8 + kNumbers * 8);
  std::array<double, kNumbers> numbers;
  auto* begin = reinterpret_cast<unsigned char*>(&state) + offsetof(State, pose);
  std::memcpy(numbers.data(), begin, sizeof numbers);
  double sum = 0;  // 0 or, if one is not finite, NaN
  for (double& number : numbers) number = canonical(number), sum += number * 0;
  std::memcpy(begin, numbers.data(), sizeof numbers);
  return sum == 0;
}

Quat from_yaw(double yaw) {
  Quat q;
  math::sincos(yaw / 2, q.z, q.w);
  return q;
}

double yaw_of(const Quat& q) {
  return math::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

}  // namespace convoy
