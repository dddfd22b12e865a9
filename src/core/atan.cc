// atan, atan2 and hypot: the angle and the length of a vector.
//
// The angle of (b, a) with 0 <= a <= b is atan(c) + atan(t), where c is the multiple of 1/64 nearest to a/b and
// t = (a - c*b) / (b + c*a), |t| <= 1/128: a table and a short series. t is a double-double, so that the last sum is
// the only rounding that shows.
#include <array>
#include <cmath>
#include <utility>

#include "core/double_double.h"
#include "core/math.h"

namespace convoy::math {
namespace {

constexpr DoubleDouble kPiExact = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr int kSteps = 64;

// atan(i/64): each from the one before, as atan(u) - atan(v) = atan((u-v) / (1+u*v)), here 64 / (64*64 + i*(i-1)).
constexpr auto kArcs = [] {
  std::array<DoubleDouble, kSteps + 1> arcs{};
  for (int i = 1; i <= kSteps; ++i) {
    const DoubleDouble t =
        DoubleDouble{kSteps, 0} / DoubleDouble{static_cast<double>(kSteps * kSteps + i * (i - 1)), 0};
    const DoubleDouble z = t * t;
    DoubleDouble sum{};
    for (int n = 19; n >= 1; n -= 2) sum = DoubleDouble{1, 0} / DoubleDouble{static_cast<double>(n), 0} + -(z * sum);
    arcs[i] = arcs[i - 1] + t * sum;
  }
  return arcs;
}();

// For 0 <= a <= b, b > 0, both finite.
DoubleDouble angle_of(double a, double b) {
  const double ratio = a / b;
  if (ratio < 0x1p-30) return {ratio, 0};
  if (b > 0x1p500) a *= 0x1p-600, b *= 0x1p-600;
  if (b < 0x1p-500) a *= 0x1p600, b *= 0x1p600;

  const int i = static_cast<int>(ratio * kSteps + 0.5);
  const double c = i * (1.0 / kSteps);
  const DoubleDouble x = split(a), y = split(b);  // times c, of 7 bits, each half is exact
  const DoubleDouble above = two_sum(a, -(c * y.hi)), below = two_sum(b, c * x.hi);
  const DoubleDouble t = fast_two_sum(above.hi, above.lo - c * y.lo) / fast_two_sum(below.hi, below.lo + c * x.lo);

  const double z = t.hi * t.hi;
  const double series = t.hi * z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9))));
  const DoubleDouble sum = two_sum(kArcs[i].hi, t.hi);
  return fast_two_sum(sum.hi, sum.lo + (kArcs[i].lo + (t.lo + series)));
}

}  // namespace

double atan(double x) {
  if (is_nan(x)) return kNaN;
  const double size = magnitude(x);
  if (size < 0x1p-27) return x;
  if (size > 0x1p60) return with_sign_of(x, kHalfPi.hi);
  return with_sign_of(x, size <= 1 ? angle_of(size, 1).hi : (kHalfPi + -angle_of(1, size)).hi);
}

double atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return kNaN;
  const double up = magnitude(y), along = magnitude(x);
  DoubleDouble angle;  // of (along, up), in the first quadrant
  if (up == along) {
    angle = up == 0 ? DoubleDouble{} : DoubleDouble{kHalfPi.hi / 2, kHalfPi.lo / 2};  // infinities also
  } else if (up < along) {
    angle = along == kInfinity ? DoubleDouble{} : angle_of(up, along);
  } else {
    angle = up == kInfinity ? kHalfPi : kHalfPi + -angle_of(along, up);
  }
  return with_sign_of(y, is_negative(x) ? (kPiExact + -angle).hi : angle.hi);
}

double hypot(double x, double y) {
  double a = magnitude(x), b = magnitude(y);
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (is_nan(a) || is_nan(b)) return kNaN;
  if (a < b) std::swap(a, b);
  if (b <= a * 0x1p-54) return a;
  double unit = 1;
  if (a > 0x1p500) unit = 0x1p600, a *= 0x1p-600, b *= 0x1p-600;
  if (a < 0x1p-450) unit = 0x1p-600, a *= 0x1p600, b *= 0x1p600;

  const DoubleDouble square = two_product(a, a) + two_product(b, b);
  const double root = std::sqrt(square.hi);
  const DoubleDouble whole = two_product(root, root);
  const double rest = ((square.hi - whole.hi) - whole.lo) + square.lo;
  return (root + rest / (2 * root)) * unit;
}

}  // namespace convoy::math
