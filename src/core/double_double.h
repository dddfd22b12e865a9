// A number as the unevaluated sum of two doubles: about 106 bits, for the inside of the elementary functions.
//
// The error-free sums and products are Dekker's and Knuth's ("A floating-point technique for extending the available
// precision", 1971; TAOCP 4.2.2). They need rounding to nearest and no contraction, and no fused multiply-add, which
// not every baseline has. Everything is constexpr: the tables of math.h's functions are worked out by the compiler.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

namespace convoy::math {

static_assert(FLT_EVAL_METHOD == 0 && FLT_RADIX == 2, "every operation must round to double, as SSE2 and arm64 do");

// |lo| is at most half a unit in the last place of hi, so hi is the sum rounded to a double.
struct DoubleDouble {
  double hi, lo;  // without initial values: with them GCC 13 fails over the tables (internal compiler error)
};

// a + b exactly, if |a| >= |b| or a is 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a + b exactly.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, b_seen = sum - a;
  return {sum, (a - (sum - b_seen)) + (b - b_seen)};
}

// Two halves of at most 26 bits each; |a| < 2^995.
constexpr DoubleDouble split(double a) {
  const double scaled = a * 0x1.0000002p27, hi = scaled - (scaled - a);
  return {hi, a - hi};
}

// a * b exactly, unless a partial product leaves the range of normal numbers.
constexpr DoubleDouble two_product(double a, double b) {
  const DoubleDouble x = split(a), y = split(b);
  const double product = a * b;
  return {product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  return fast_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.hi / b.hi;
  const DoubleDouble whole = two_product(quotient, b.hi);
  const double rest = ((a.hi - whole.hi) - whole.lo) + (a.lo - quotient * b.lo);
  return fast_two_sum(quotient, rest / b.hi);
}

constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
inline constexpr double kInfinity = from_bits(0x7ff0'0000'0000'0000);
// The only NaN that we return. The processor's own differ: x86 makes them negative, arm64 positive, and each picks
// another operand's payload to pass on.
inline constexpr double kNaN = from_bits(0x7ff8'0000'0000'0000);

constexpr bool is_nan(double x) { return x != x; }
constexpr bool is_negative(double x) { return (bits_of(x) & kSignBit) != 0; }  // -0 is
constexpr double magnitude(double x) { return from_bits(bits_of(x) & ~kSignBit); }
constexpr double with_sign_of(double sign, double x) {
  return from_bits((bits_of(x) & ~kSignBit) | (bits_of(sign) & kSignBit));
}

// 2^k, for -1022 <= k <= 1023.
constexpr double power_of_two(int k) { return from_bits(static_cast<std::uint64_t>(1023 + k) << 52); }

// v * 2^k, for 0.5 < v < 4 and -1100 <= k <= 1024. A subnormal result is rounded twice (0.75 ulp at worst).
constexpr double scale(double v, int k) {
  if (k > 1023) return v * 2 * power_of_two(k - 1);
  if (k < -1020) return v * power_of_two(k + 200) * 0x1p-200;
  return v * power_of_two(k);
}

inline constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};  // pi/2, to 107 bits

}  // namespace convoy::math
