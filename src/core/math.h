// Our own elementary functions: the same bits from every compiler, optimisation level and processor.
//
// libm's transcendental functions differ between versions and machines, so nothing that enters a state may use them.
// Only + - * / and sqrt are taken from the hardware, which IEEE 754 rounds exactly. Errors are at most 1 ulp (atan2 and
// pow: 2) over the whole range, large arguments included; special values are those of C's Annex F.
#pragma once

namespace convoy::math {

inline constexpr double kPi = 3.14159265358979323846;

double sin(double x);
double cos(double x);
void sincos(double x, double& s, double& c);
double tan(double x);
double atan(double x);
double atan2(double y, double x);
double hypot(double x, double y);
double exp(double x);
double log(double x);
double pow(double x, double y);

// The same angle in [-pi, pi).
double wrap_angle(double radians);

}  // namespace convoy::math
