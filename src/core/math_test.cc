#include "core/math.h"

#include <doctest/doctest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "core/approx.h"
#include "core/random.h"

namespace math_test {

using namespace convoy;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kHalfPi = math::kPi / 2;

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

// A number of MPFR, precise enough that its own error is no part of an ulp.
struct Exact {
  mpfr_t v;
  explicit Exact(double x = 0) {
    mpfr_init2(v, 128);
    mpfr_set_d(v, x, MPFR_RNDN);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(v); }
};

// |got - want| in units of the last place of the double nearest to want.
double ulps(double got, const Exact& want) {
  const double nearest = mpfr_get_d(want.v, MPFR_RNDN);
  if (std::isnan(got) || std::isnan(nearest)) return std::isnan(got) && std::isnan(nearest) ? 0 : kInf;
  if (std::isinf(got) || std::isinf(nearest)) {
    if (got == nearest) return 0;
    // The one double beside infinity may be off by what rounding to infinity takes: at least half an ulp.
    const double largest = std::numeric_limits<double>::max();
    const double other = std::isinf(got) ? nearest : got;
    return std::abs(other) == largest && std::signbit(got) == std::signbit(nearest) ? 1 : kInf;
  }
  const int exponent = mpfr_zero_p(want.v) ? -1022 : std::max<int>(mpfr_get_exp(want.v) - 1, -1022);
  Exact difference;
  mpfr_sub_d(difference.v, want.v, got, MPFR_RNDN);
  mpfr_mul_2si(difference.v, difference.v, 52 - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.v, MPFR_RNDN));
}

using Function = double (*)(double);
using Reference = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Function2 = double (*)(double, double);
using Reference2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

struct Worst {
  double error = 0, x = 0, y = 0;
};

std::string text(const char* name, const Worst& w) {
  char line[128];
  std::snprintf(line, sizeof line, "%s: %.4f ulp at (%a, %a)", name, w.error, w.x, w.y);
  return line;
}

Worst worst_of(Function dut, Reference reference, const std::vector<double>& arguments) {
  Worst worst;
  Exact want;
  for (double x : arguments) {
    const Exact exact_x(x);
    reference(want.v, exact_x.v, MPFR_RNDN);
    if (const double error = ulps(dut(x), want); !(error <= worst.error)) worst = {error, x};
  }
  return worst;
}

Worst worst_of(Function2 dut, Reference2 reference, const std::vector<std::pair<double, double>>& arguments) {
  Worst worst;
  Exact want;
  for (auto [x, y] : arguments) {
    const Exact exact_x(x), exact_y(y);
    reference(want.v, exact_x.v, exact_y.v, MPFR_RNDN);
    if (const double error = ulps(dut(x, y), want); !(error <= worst.error)) worst = {error, x, y};
  }
  return worst;
}

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

double neighbour(Random& rng, double x) { return std::bit_cast<double>(bits_of(x) + rng.below(5) - 2); }

std::vector<double> angles(std::uint64_t seed) {
  Random rng{stream_key(seed, 0, "angles")};
  std::vector<double> out;
  for (int i = 0; i < 30'000; ++i) out.push_back(rng.uniform(-7, 7));
  for (int i = 0; i < 20'000; ++i) out.push_back(rng.uniform(-kHalfPi, kHalfPi) * 0.5);
  for (int i = 0; i < 20'000; ++i) out.push_back(any_within(rng, -40, 40));
  for (int i = 0; i < 20'000; ++i) out.push_back(any_finite(rng));
  for (int i = 0; i < 10'000; ++i) out.push_back(neighbour(rng, (1.0 + i) * kHalfPi));
  for (int i = 0; i < 10'000; ++i)
    out.push_back(neighbour(rng, static_cast<double>(rng.below(1 << 21)) * kHalfPi + 1e-9));
  // The first is 6381956970095103 * 2^797, of all doubles the nearest to a multiple of pi/2 (Muller, "Elementary
  // Functions").
  for (double x : {0x1.6ac5b262ca1ffp849, 0x1.921fb54442d18p0, 1e22, 0x1.fffffffffffffp1023, 1e6})
    out.push_back(x), out.push_back(-x);
  for (double x : {0x1.921fb54442d18p-1, 999999.9999999999}) out.push_back(std::nextafter(x, 0)), out.push_back(x);
  return out;
}

std::vector<double> any_numbers(std::uint64_t seed) {
  Random rng{stream_key(seed, 0, "numbers")};
  std::vector<double> out;
  for (int i = 0; i < 20'000; ++i) out.push_back(any_finite(rng));
  for (int i = 0; i < 20'000; ++i) out.push_back(any_within(rng, -30, 12));
  return out;
}

int wrap_exactly(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  // The remainder needs as many bits of pi as x has before its point, and those of the result.
  mpfr_t turn, rest;
  mpfr_init2(turn, 1400), mpfr_init2(rest, 1400);
  mpfr_const_pi(turn, MPFR_RNDN), mpfr_mul_2si(turn, turn, 1, MPFR_RNDN);
  mpfr_remainder(rest, x, turn, MPFR_RNDN);
  const int inexact = mpfr_set(out, rest, rounding);
  mpfr_clear(turn), mpfr_clear(rest);
  return inexact;
}

}  // namespace

TEST_CASE("sin, cos and tan are within 1 ulp for any angle") {
  const std::vector<double> x = angles(1);

  const Worst sin = worst_of(math::sin, mpfr_sin, x), cos = worst_of(math::cos, mpfr_cos, x);
  const Worst tan = worst_of(math::tan, mpfr_tan, x);

  MESSAGE(text("sin", sin) << ", " << text("cos", cos) << ", " << text("tan", tan));
  CHECK(sin.error <= 1);
  CHECK(cos.error <= 1);
  CHECK(tan.error <= 1);
}

TEST_CASE("sincos gives the bits of sin and cos") {
  int different = 0;

  for (double x : angles(2)) {
    double s, c;
    math::sincos(x, s, c);
    different += bits_of(s) != bits_of(math::sin(x));
    different += bits_of(c) != bits_of(math::cos(x));
  }

  CHECK(different == 0);
}

TEST_CASE("wrap_angle takes off full turns within 1 ulp, and stays in [-pi, pi)") {
  std::vector<double> x;
  int outside = 0;
  for (double a : angles(3)) {
    const double wrapped = math::wrap_angle(a);
    outside += !(wrapped >= -math::kPi && wrapped < math::kPi);
    if (std::abs(std::abs(wrapped) - math::kPi) > 1e-15) x.push_back(a);  // there the sign is a convention
  }

  const Worst worst = worst_of(math::wrap_angle, wrap_exactly, x);

  MESSAGE(text("wrap_angle", worst));
  CHECK(outside == 0);
  CHECK(worst.error <= 1);
  CHECK(math::wrap_angle(math::kPi) == -math::kPi);
  CHECK(math::wrap_angle(-math::kPi) == -math::kPi);
  CHECK(math::wrap_angle(-math::kPi - 1e-15) == approx(math::kPi));
  CHECK(math::wrap_angle(3.0) == 3.0);
  CHECK(std::isnan(math::wrap_angle(kInf)));
}

TEST_CASE("atan is within 1 ulp, and atan2 within 2") {
  Random rng{stream_key(4, 0, "vectors")};
  std::vector<std::pair<double, double>> vectors;
  for (int i = 0; i < 30'000; ++i) vectors.push_back({rng.uniform(-1, 1), rng.uniform(-1, 1)});
  for (int i = 0; i < 10'000; ++i) vectors.push_back({any_finite(rng), any_finite(rng)});
  for (int i = 0; i < 30'000; ++i) {
    const double x = any_finite(rng);
    vectors.push_back({std::bit_cast<double>(bits_of(x) ^ rng.below(std::uint64_t{1} << 55)), x});
  }
  for (int i = 0; i < 5'000; ++i) vectors.push_back({any_within(rng, -1074, -1000), any_within(rng, -1074, -1000)});
  vectors.push_back({-0x1.ff3e8037dc24bp-1021, 0x1p-1074});

  const Worst atan = worst_of(math::atan, mpfr_atan, any_numbers(4));
  const Worst atan2 = worst_of(math::atan2, mpfr_atan2, vectors);
  const Worst hypot = worst_of(math::hypot, mpfr_hypot, vectors);

  MESSAGE(text("atan", atan) << ", " << text("atan2", atan2) << ", " << text("hypot", hypot));
  CHECK(atan.error <= 1);
  CHECK(atan2.error <= 2);
  CHECK(hypot.error <= 1);
}

TEST_CASE("exp and log are within 1 ulp, log also next to 1") {
  Random rng{stream_key(5, 0, "exp")};
  std::vector<double> powers = any_numbers(5), numbers;
  for (int i = 0; i < 30'000; ++i) powers.push_back(rng.uniform(-746, 710));
  for (int i = 0; i < 5'000; ++i) powers.push_back(rng.uniform(-746, -707));
  for (double x : {709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412, -708.3964185322641})
    powers.push_back(x);
  for (double x : any_numbers(6)) numbers.push_back(std::abs(x));
  for (int i = 0; i < 30'000; ++i) numbers.push_back(rng.uniform(0.6, 1.6));
  for (int i = 0; i < 30'000; ++i) numbers.push_back(1 + any_within(rng, -53, -4));
  for (int i = 0; i < 3'000; ++i) numbers.push_back(neighbour(rng, 1.0));
  for (int i = 0; i < 5'000; ++i) numbers.push_back(std::abs(any_within(rng, -1074, -1020)));

  const Worst exp = worst_of(math::exp, mpfr_exp, powers);
  const Worst log = worst_of(math::log, mpfr_log, numbers);

  MESSAGE(text("exp", exp) << ", " << text("log", log));
  CHECK(exp.error <= 1);
  CHECK(log.error <= 1);
}

TEST_CASE("pow is within 2 ulp wherever it neither overflows nor vanishes") {
  Random rng{stream_key(7, 0, "pow")};
  std::vector<std::pair<double, double>> pairs;
  for (int i = 0; i < 30'000; ++i) pairs.push_back({rng.uniform(0, 10), rng.uniform(-20, 20)});
  for (int i = 0; i < 30'000; ++i) {  // any x, and y so that the result has any exponent
    const double x = std::abs(any_finite(rng));
    pairs.push_back({x, rng.uniform(-750, 715) / std::log(x)});
  }
  for (int i = 0; i < 30'000; ++i) {
    const double x = 1 + any_within(rng, -52, -2);
    pairs.push_back({x, rng.uniform(-750, 715) / std::log(x)});
  }
  for (int i = 0; i < 20'000; ++i)
    pairs.push_back({any_within(rng, -10, 10), static_cast<double>(rng.below(161)) - 80});
  for (int i = 0; i < 20'000; ++i) pairs.push_back({any_finite(rng), any_finite(rng)});

  const Worst pow = worst_of(math::pow, mpfr_pow, pairs);

  MESSAGE(text("pow", pow));
  CHECK(pow.error <= 2);
}

TEST_CASE("special values are those of Annex F") {
  const std::vector<double> values = {0.0,    -0.0,   0.5,     -0.5,   1.0,        -1.0,       1.5,  -1.5,
                                      2.0,    -2.0,   3.0,     -3.0,   kInf,       -kInf,      kNan, 1e300,
                                      -1e300, 5e-324, -5e-324, 0x1p53, 0x1p53 - 1, -0x1p53 + 1};
  const auto same = [](double got, const Exact& want) {
    const double w = mpfr_get_d(want.v, MPFR_RNDN);
    return std::isnan(w) ? std::isnan(got) : std::signbit(w) == std::signbit(got) && ulps(got, want) <= 1;
  };
  // MPFR follows Annex F in all of these functions.
  const std::pair<Function, Reference> unary[] = {{math::sin, mpfr_sin}, {math::cos, mpfr_cos},
                                                  {math::tan, mpfr_tan}, {math::atan, mpfr_atan},
                                                  {math::exp, mpfr_exp}, {math::log, mpfr_log}};
  const std::pair<Function2, Reference2> binary[] = {
      {math::atan2, mpfr_atan2}, {math::hypot, mpfr_hypot}, {math::pow, mpfr_pow}};
  Exact want;

  for (double x : values) {
    const Exact exact_x(x);
    for (std::size_t f = 0; f < std::size(unary); ++f) {
      unary[f].second(want.v, exact_x.v, MPFR_RNDN);
      CHECK_MESSAGE(same(unary[f].first(x), want), "unary " << f << " of " << x);
    }
    for (double y : values) {
      const Exact exact_y(y);
      for (std::size_t f = 0; f < std::size(binary); ++f) {
        binary[f].second(want.v, exact_x.v, exact_y.v, MPFR_RNDN);
        CHECK_MESSAGE(same(binary[f].first(x, y), want), "binary " << f << " of " << x << ", " << y);
      }
    }
  }
}

}  // namespace math_test
