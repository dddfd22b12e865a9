// Our own elementary functions: the same bits from every compiler, optimisation level and processor.
//
// libm's transcendental functions differ between versions and machines, so nothing that enters a state may use them.
// Only + - * / and sqrt are taken from the hardware, which IEEE 754 rounds exactly; builds need -ffp-contract=off and
// rounding to nearest. Errors are at most 1 ulp (atan2 and pow: 2) over the whole range, large arguments and subnormal
// results included; math_test.cc measures them. Special values are those of C's Annex F, and every NaN returned is the
// one positive quiet NaN, whatever NaN came in. errno is left alone, and the floating-point flags mean nothing.
//
// trig.cc: sin cos sincos tan wrap_angle. atan.cc: atan atan2 hypot. exp_log.cc: exp log pow.
#pragma once

namespace convoy::math {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kDegree = kPi / 180;  // rad

// Angles in radians.
double sin(double x);
double cos(double x);
void sincos(double x, double& s, double& c);  // the bits of sin(x) and cos(x), for the price of about one
double tan(double x);
double atan(double x);             // in [-pi/2, pi/2]
double atan2(double y, double x);  // the direction of the vector (x, y), in [-pi, pi]
double hypot(double x, double y);  // its length, without overflow on the way

double exp(double x);
double log(double x);
double pow(double x, double y);

// The same angle in [-kPi, kPi), to 1 ulp. Turns of the true 2*pi are taken off, not of 2*kPi, which is 2e-16 less: the
// sine of the result is the sine of the argument, and wrap_angle(2 * kPi) is -2.4e-16.
double wrap_angle(double radians);

}  // namespace convoy::math
