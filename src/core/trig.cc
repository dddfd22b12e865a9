// sin, cos, tan and wrap_angle: one reduction to a quarter turn, one polynomial each for sine and cosine.
//
//   |x| <= pi/4   as it is
//   |x| < 10^6    Cody and Waite: x - n*pi/2 with pi/2 in four parts, of which n times the first three is exact
//   larger        Payne and Hanek: the bits of x * 2/pi that matter, by integers
//
// The reduced angle keeps about 20 bits below its double, because x may be as near to a multiple of pi/2 as 2^-61.
#include <bit>
#include <cstdint>

#include "core/double_double.h"
#include "core/math.h"

namespace convoy::math {
namespace {

constexpr double kQuarterTurn = 0x1.921fb54442d18p-1;  // pi/4

// An angle as quadrant * pi/2 + (hi + lo), |hi| <= pi/4 but for rounding. Only quadrant's last two bits count.
struct Reduced {
  unsigned quadrant;
  double hi, lo;
};

// For pi/4 < |x| < 10^6.
Reduced reduce_near(double x) {
  constexpr double kPart[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
  constexpr double kToInteger = 0x1.8p52;  // pushes the fraction out, leaves the integer in the last bits
  const double pushed = x * 0x1.45f306dc9c883p-1 + kToInteger, n = pushed - kToInteger;
  const DoubleDouble a = two_sum(x - n * kPart[0], -(n * kPart[1]));
  const DoubleDouble b = two_sum(a.hi, -(n * kPart[2]));
  const DoubleDouble r = fast_two_sum(b.hi, (a.lo + b.lo) - n * kPart[3]);
  return {static_cast<unsigned>(bits_of(pushed)), r.hi, r.lo};
}

// For finite |x| >= 2^19: x = m * 2^e, and only the bits of 2/pi from weight 2^(1-e) on change x * 2/pi modulo 4.
Reduced reduce_far(double x) {
  // 64 zeros, then the first 1280 bits of 2/pi behind the point.
  static constexpr std::uint64_t kTwoOverPi[] = {0,
                                                 0xa2f9836e4e441529,
                                                 0xfc2757d1f534ddc0,
                                                 0xdb6295993c439041,
                                                 0xfe5163abdebbc561,
                                                 0xb7246e3a424dd2e0,
                                                 0x06492eea09d1921c,
                                                 0xfe1deb1cb129a73e,
                                                 0xe88235f52ebb4484,
                                                 0xe99c7026b45f7e41,
                                                 0x3991d639835339f4,
                                                 0x9c845f8bbdf9283b,
                                                 0x1ff897ffde05980f,
                                                 0xef2f118b5a0a6d1f,
                                                 0x6d367ecf27cb09b7,
                                                 0x4f463f669e5fea2d,
                                                 0x7527bac7ebe5f17b,
                                                 0x3d0739f78a5292ea,
                                                 0x6bfb5fb11f8d5d08,
                                                 0x56033046fc7b6bab,
                                                 0xf0cfbc209af4361d};
  const std::uint64_t bits = bits_of(x) & ~kSignBit;
  const std::uint64_t m = (bits & 0x000f'ffff'ffff'ffff) | 0x0010'0000'0000'0000;
  const unsigned first = static_cast<unsigned>(bits >> 52) - 1075 + 62, shift = first % 64;
  const auto window = [&](unsigned i) {
    const std::uint64_t* word = kTwoOverPi + first / 64 + i;
    return shift == 0 ? word[0] : word[0] << shift | word[1] >> (64 - shift);
  };

  // m times 192 bits of 2/pi, modulo 2^192: two bits of quadrant, then the fraction of a quarter turn.
  using Wide = unsigned __int128;
  const Wide p0 = static_cast<Wide>(m) * window(2);
  const Wide p1 = static_cast<Wide>(m) * window(1) + static_cast<std::uint64_t>(p0 >> 64);
  const std::uint64_t low = static_cast<std::uint64_t>(p0), mid = static_cast<std::uint64_t>(p1);
  const std::uint64_t top = m * window(0) + static_cast<std::uint64_t>(p1 >> 64);

  // To the nearest quarter turn: the fraction as a signed number, then its magnitude (one unit of 2^-192 is no loss).
  unsigned quadrant = static_cast<unsigned>(top >> 62);
  std::uint64_t f1 = top << 2 | mid >> 62, f0 = mid << 2 | low >> 62;
  const bool negative = (f1 >> 63) != 0;
  if (negative) ++quadrant, f1 = ~f1, f0 = ~f0;

  // No double is nearer to a multiple of pi/2 than 2^-61, and the fraction is below 1/2: 1 <= zeros <= 62.
  const int zeros = std::countl_zero(f1);
  f1 = f1 << zeros | f0 >> (64 - zeros);
  f0 <<= zeros;
  const DoubleDouble fraction = {static_cast<double>(f1 >> 11) * power_of_two(-zeros - 53),
                                 static_cast<double>((f1 & 0x7ff) << 42 | f0 >> 22) * power_of_two(-zeros - 106)};
  const DoubleDouble angle = fast_two_sum(fraction.hi, fraction.lo) * kHalfPi;
  if (is_negative(x)) quadrant = 0 - quadrant;
  return negative != is_negative(x) ? Reduced{quadrant, -angle.hi, -angle.lo} : Reduced{quadrant, angle.hi, angle.lo};
}

// For finite x.
inline Reduced reduce(double x) {
  if (magnitude(x) <= kQuarterTurn) return {0, x, 0};
  return magnitude(x) < 1e6 ? reduce_near(x) : reduce_far(x);
}

// sin(y) = y + y*z*(kSineThird + z*S(z)) and cos(y) = 1 - z/2 + z*z*C(z) with z = y*y. The coefficients are minimax for
// the relative error on |y| <= pi/4 (Remez's exchange, 400 bits): 2^-57.9 and 2^-63.9.
constexpr double kSineThird = -0x1.5555555555548p-3;
inline double sine_tail(double z) {
  const double z2 = z * z;
  return (0x1.111111110f7cap-7 + z * -0x1.a01a019bfd180p-13) +
         z2 * ((0x1.71de3567124fap-19 + z * -0x1.ae5e59f58b534p-26) + z2 * 0x1.5d8fa31c25ca3p-33);
}
inline double cosine_tail(double z) {
  const double z2 = z * z;
  return (0x1.555555555554bp-5 + z * -0x1.6c16c16c14f8ap-10) +
         z2 * ((0x1.a01a019c8390fp-16 + z * -0x1.27e4f7ea37964p-22) +
               z2 * (0x1.1ee9d75291b13p-29 + z * -0x1.8fa465ee99665p-37));
}

inline double sine_kernel(double y, double lo) {
  const double z = y * y;
  return y + (y * z * (kSineThird + z * sine_tail(z)) + (lo - 0.5 * z * lo));
}
inline double cosine_kernel(double y, double lo) {
  const double z = y * y, half = 0.5 * z, most = 1 - half;
  return most + (((1 - most) - half) + (z * z * cosine_tail(z) - y * lo));
}

// sin(x) rounds to x below this.
constexpr double kTiny = 0x1p-27;

inline double flip_sign_if(unsigned bit, double v) { return from_bits(bits_of(v) ^ std::uint64_t{bit} << 63); }
inline bool is_finite(double x) { return magnitude(x) < kInfinity; }

}  // namespace

double sin(double x) {
  if (magnitude(x) < kTiny) return x;
  if (!is_finite(x)) return kNaN;
  const Reduced r = reduce(x);
  const double v = (r.quadrant & 1) != 0 ? cosine_kernel(r.hi, r.lo) : sine_kernel(r.hi, r.lo);
  return flip_sign_if(r.quadrant >> 1 & 1, v);
}

double cos(double x) {
  if (!is_finite(x)) return kNaN;
  const Reduced r = reduce(x);
  const double v = (r.quadrant & 1) != 0 ? sine_kernel(r.hi, r.lo) : cosine_kernel(r.hi, r.lo);
  return flip_sign_if((r.quadrant + 1) >> 1 & 1, v);
}

void sincos(double x, double& s, double& c) {
  if (magnitude(x) < kTiny) {
    s = x, c = 1;
    return;
  }
  if (!is_finite(x)) {
    s = kNaN, c = kNaN;
    return;
  }
  const Reduced r = reduce(x);
  const double along = sine_kernel(r.hi, r.lo), across = cosine_kernel(r.hi, r.lo);
  const bool swapped = (r.quadrant & 1) != 0;
  s = flip_sign_if(r.quadrant >> 1 & 1, swapped ? across : along);
  c = flip_sign_if((r.quadrant + 1) >> 1 & 1, swapped ? along : across);
}

double tan(double x) {
  if (magnitude(x) < kTiny) return x;
  if (!is_finite(x)) return kNaN;
  const Reduced r = reduce(x);

  // Both kernels again, with y*y and sine's third power exact and the last sums left open: the roundings of the two
  // and the division's would together pass 1 ulp.
  const DoubleDouble y = {r.hi, r.lo}, square = y * y;
  const double z = square.hi;
  const DoubleDouble third = square * y * DoubleDouble{kSineThird, 0};
  const DoubleDouble sine = fast_two_sum(r.hi, third.hi);
  const double sine_rest = sine.lo + (r.hi * z * z * sine_tail(z) + (third.lo + r.lo));
  const DoubleDouble most = fast_two_sum(1, -0.5 * z);
  const double cosine_rest = most.lo + (z * z * cosine_tail(z) - 0.5 * square.lo);
  const DoubleDouble up = fast_two_sum(sine.hi, sine_rest), along = fast_two_sum(most.hi, cosine_rest);
  return (r.quadrant & 1) != 0 ? (-along / up).hi : (up / along).hi;
}

double wrap_angle(double radians) {
  if (-kPi <= radians && radians < kPi) return radians;
  if (!is_finite(radians)) return kNaN;
  const Reduced r = reduce(radians);
  // Whole quarter turns from the nearest full turn; two of them lie on the side that the rest leaves room for.
  constexpr int kTurns[] = {0, 1, 2, -1};
  double turns = kTurns[r.quadrant & 3];
  if (turns == 2 && r.hi >= 0) turns = -2;
  const double wrapped = (DoubleDouble{turns * kHalfPi.hi, turns * kHalfPi.lo} + DoubleDouble{r.hi, r.lo}).hi;
  return wrapped < kPi ? wrapped : -kPi;
}

}  // namespace convoy::math
