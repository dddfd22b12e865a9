// exp, log and pow: tables for the leading bits, short Taylor series for the rest.
//
// pow is exp of y * log(x). |y * log(x)| reaches 745, so the logarithm is kept to about 68 bits: log_of and exp_of
// take and give double-doubles.
#include <array>
#include <cstdint>

#include "core/double_double.h"
#include "core/math.h"

namespace convoy::math {
namespace {

constexpr DoubleDouble kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// ---- exp: x = n * ln2/128 + r, e^x = 2^(n div 128) * 2^((n mod 128)/128) * e^r, |r| <= ln2/256.

constexpr int kExpSteps = 128;

// 2^(i/128), by the series of e^z; z < 0.7 and 0.7^28/28! < 2^-110.
constexpr auto kPowers = [] {
  std::array<DoubleDouble, kExpSteps> powers{};
  for (int i = 0; i < kExpSteps; ++i) {
    const double part = i / 128.0;
    const DoubleDouble z = kLn2 * DoubleDouble{part, 0};
    DoubleDouble sum{1, 0};
    for (int n = 28; n >= 1; --n) sum = DoubleDouble{1, 0} + z * sum / DoubleDouble{static_cast<double>(n), 0};
    powers[i] = sum;
  }
  return powers;
}();

// e^(x.hi + x.lo), for |x.hi| < 750.
double exp_of(DoubleDouble x) {
  constexpr double kStep = 0x1.62e42fef8p-8, kStepRest = 0x1.1cf79abc9e3b4p-43;  // ln2/128; n * kStep is exact
  constexpr double kToInteger = 0x1.8p52;
  const double pushed = x.hi * 0x1.71547652b82fep+7 + kToInteger, n = pushed - kToInteger;
  const double r = (x.hi - n * kStep) - (n * kStepRest - x.lo);
  const double z = r * r;
  const double grown = r + z * ((0.5 + r * (1.0 / 6)) + z * ((1.0 / 24) + r * (1.0 / 120)));  // e^r - 1
  const auto whole = static_cast<std::int32_t>(n);
  const DoubleDouble& power = kPowers[whole & (kExpSteps - 1)];
  return scale(power.hi + (power.lo + power.hi * grown), whole >> 7);
}

// ---- log: x = 2^k * m, log x = k*ln2 - log(c) + log1p(r), r = m*c - 1, with c near 1/m from a table.

// m lies in [0.6875, 1.375), 128 buckets of equal bits; 1 is where bucket 80 begins. Next to it c = 1, so that log
// loses nothing near its zero. |r| <= 2^-7.
constexpr std::uint64_t kFirstM = 0x3fe6'0000'0000'0000;
constexpr int kBucketOfOne = 80;

struct LogEntry {
  double c;  // a multiple of 2^-12
  DoubleDouble minus_log_c;
};

// log c = 2 * atanh(z), z = (c-1)/(c+1); |z| < 0.19 and 0.19^46 < 2^-110.
constexpr auto kLogs = [] {
  std::array<LogEntry, 128> entries{};
  for (int i = 0; i < 128; ++i) {
    const double middle = from_bits(kFirstM + (static_cast<std::uint64_t>(i) << 45) + (std::uint64_t{1} << 44));
    const int c4096 = i == kBucketOfOne || i == kBucketOfOne - 1 ? 4096 : static_cast<int>(4096 / middle + 0.5);
    const double c = c4096 / 4096.0;
    const DoubleDouble z = DoubleDouble{c - 1, 0} / DoubleDouble{c + 1, 0}, z2 = z * z;
    DoubleDouble sum{};
    for (int n = 45; n >= 1; n -= 2) sum = DoubleDouble{1, 0} / DoubleDouble{static_cast<double>(n), 0} + z2 * sum;
    const DoubleDouble half = z * sum;
    entries[i] = {c, {-2 * half.hi, -2 * half.lo}};
  }
  return entries;
}();

// For finite x > 0.
DoubleDouble log_of(double x) {
  constexpr double kLn2Top = 0x1.62e42fefa38p-1, kLn2Rest = 0x1.ef35793c7673p-45;  // k * kLn2Top is exact
  std::uint64_t bits = bits_of(x);
  int k = 0;
  if (bits < 0x0010'0000'0000'0000) bits = bits_of(x * 0x1p54), k = -54;
  const std::uint64_t beyond = bits - kFirstM;
  const int exponent = static_cast<int>(static_cast<std::int64_t>(beyond) >> 52);
  k += exponent;
  const double m = from_bits(bits - (beyond & 0xfff0'0000'0000'0000));
  const LogEntry& entry = kLogs[beyond >> 45 & 127];

  const double m_top = from_bits(bits_of(m) & ~std::uint64_t{0x7ff'ffff}), m_rest = m - m_top;
  const DoubleDouble r = two_sum(m_top * entry.c - 1, m_rest * entry.c);  // every part exact
  const DoubleDouble square = two_product(r.hi, r.hi);
  const double h = r.hi, z = square.hi;
  const double series = h * z *
                        ((1.0 / 3 - h * (1.0 / 4)) +
                         z * ((1.0 / 5 - h * (1.0 / 6)) + z * ((1.0 / 7 - h * (1.0 / 8)) + z * (1.0 / 9 - h * 0.1))));

  const DoubleDouble a = two_sum(k * kLn2Top, entry.minus_log_c.hi);
  const DoubleDouble b = two_sum(a.hi, r.hi);
  const DoubleDouble c = two_sum(b.hi, -0.5 * z);
  const DoubleDouble d = two_sum(c.hi, series);
  const double rest = k * kLn2Rest + entry.minus_log_c.lo + r.lo - (0.5 * square.lo + r.hi * r.lo);
  return fast_two_sum(d.hi, d.lo + (c.lo + (b.lo + (a.lo + rest))));
}

// ---- pow's own questions

bool is_integer(double y) { return magnitude(y) >= 0x1p53 || static_cast<double>(static_cast<std::int64_t>(y)) == y; }
bool is_odd(double y) { return magnitude(y) < 0x1p53 && is_integer(y) && (static_cast<std::int64_t>(y) & 1) != 0; }

}  // namespace

double exp(double x) {
  if (is_nan(x)) return kNaN;
  if (x > 710) return kInfinity;
  if (x < -746) return 0;
  return exp_of({x, 0});
}

double log(double x) {
  if (is_nan(x)) return kNaN;
  if (x == 0) return -kInfinity;
  if (x < 0) return kNaN;
  if (x == kInfinity) return kInfinity;
  return log_of(x).hi;
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;  // even of NaN
  if (is_nan(x) || is_nan(y)) return kNaN;
  const double size = magnitude(x);
  if (size == 1 && magnitude(y) == kInfinity) return 1;
  const double sign = is_negative(x) && is_odd(y) ? -1 : 1;
  if (size == 0 || size == kInfinity) return with_sign_of(sign, (size == 0) == (y > 0) ? 0 : kInfinity);
  if (x < 0 && magnitude(y) < kInfinity && !is_integer(y)) return kNaN;
  if (size == 1) return sign;
  // |log(x)| is between 2^-54 and 746: nothing is lost here, and y * log(x) can neither overflow nor vanish below.
  const bool grows = (size > 1) == (y > 0);
  if (magnitude(y) >= 0x1p65) return with_sign_of(sign, grows ? kInfinity : 0);
  if (magnitude(y) < 0x1p-65) return 1;

  const DoubleDouble l = log_of(size), product = two_product(y, l.hi);
  if (product.hi > 710) return with_sign_of(sign, kInfinity);
  if (product.hi < -746) return with_sign_of(sign, 0);
  return with_sign_of(sign, exp_of(fast_two_sum(product.hi, product.lo + y * l.lo)));
}

}  // namespace convoy::math
