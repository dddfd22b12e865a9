// The part of math's tests that needs no MPFR, so that it is built and run for other processors as it is.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/hash.h"
#include "core/math.h"
#include "core/random.h"

namespace math_bits_test {

using namespace convoy;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Function = double (*)(double);
using Function2 = double (*)(double, double);

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

// Any finite double, all exponents alike.
double any_finite(Random& rng) {
  const std::uint64_t bits = rng.bits();
  return (bits >> 52 & 0x7ff) == 0x7ff ? any_finite(rng) : std::bit_cast<double>(bits);
}

// A double whose magnitude lies within 2^low .. 2^high, all exponents alike.
double any_within(Random& rng, int low, int high) {
  const auto exponent = static_cast<int>(rng.below(static_cast<std::uint64_t>(high - low))) + low;
  const double size = std::ldexp(1 + rng.uniform(), exponent);
  return (rng.bits() & 1) != 0 ? -size : size;
}

double sine_of_sincos(double x) {
  double s, c;
  math::sincos(x, s, c);
  return s;
}
double cosine_of_sincos(double x) {
  double s, c;
  math::sincos(x, s, c);
  return c;
}

}  // namespace

TEST_CASE("every NaN is the one positive quiet NaN") {
  const double strange = std::bit_cast<double>(std::uint64_t{0xfff8'0000'dead'beef});
  const std::uint64_t the_one = 0x7ff8'0000'0000'0000;

  for (double x : {strange, -kNan}) {
    for (Function f : {math::sin, math::cos, math::tan, math::atan, math::exp, math::log, math::wrap_angle,
                       sine_of_sincos, cosine_of_sincos})
      CHECK_EQ(bits_of(f(x)), the_one);
    for (Function2 f : {math::atan2, math::hypot, math::pow}) {
      CHECK_EQ(bits_of(f(x, 2)), the_one);
      CHECK_EQ(bits_of(f(2, x)), the_one);
    }
  }
  for (Function f : {math::sin, math::cos, math::tan, math::log, math::wrap_angle})
    CHECK_EQ(bits_of(f(-kInf)), the_one);
  CHECK_EQ(bits_of(math::pow(-2, 0.5)), the_one);
}

TEST_CASE("the bits are the same on every compiler, optimisation level and processor") {
  // Seen with GCC 12 and Clang 14 at -O0, -O2 and -O3 (x86-64), and with GCC 12 at -O0 and -O2 for arm64 under QEMU. A
  // change of these bits changes every recording: do it knowingly.
  Random rng{stream_key(8, 0, "golden")};
  std::uint64_t hash = 0;
  const auto fold = [&](double v) { hash = chain(hash, bits_of(v)); };
  const auto all_of = [&](double x, double y) {
    double s, c;
    math::sincos(x, s, c);
    fold(s), fold(c);
    for (Function f : {math::sin, math::cos, math::tan, math::atan, math::exp, math::log, math::wrap_angle}) fold(f(x));
    for (Function2 f : {math::atan2, math::hypot, math::pow}) fold(f(x, y)), fold(f(y, x));
  };

  for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, kInf, -kInf, kNan, 5e-324, 0x1.fffffffffffffp1023, math::kPi})
    for (double y : {0.0, -0.0, 1.0, -2.0, 3.0, kInf, -kInf, kNan, -5e-324}) all_of(x, y);
  for (int i = 0; i < 20'000; ++i) {  // one draw a statement: the order of a call's arguments is the compiler's
    const double x = any_finite(rng), y = any_finite(rng);
    all_of(x, y);
    const double turn = rng.uniform(-10, 10), other = rng.uniform(-10, 10);
    all_of(turn, other);
    const double base = rng.uniform(0, 800), power = rng.uniform(-2, 2);
    all_of(base, power);
    const double wide = any_within(rng, -40, 40), narrow = any_within(rng, -8, 8);
    all_of(wide, narrow);
  }

  CHECK_EQ(hex16(hash), "848fcac3a9315849");
}

}  // namespace math_bits_test
