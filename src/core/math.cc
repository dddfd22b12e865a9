#include "core/math.h"

#include <cmath>

// TODO(core: own functions land) stand-ins by libm so that the layers above can be built meanwhile.
namespace convoy::math {

double sin(double x) { return std::sin(x); }
double cos(double x) { return std::cos(x); }
void sincos(double x, double& s, double& c) { s = std::sin(x), c = std::cos(x); }
double tan(double x) { return std::tan(x); }
double atan(double x) { return std::atan(x); }
double atan2(double y, double x) { return std::atan2(y, x); }
double hypot(double x, double y) { return std::hypot(x, y); }
double exp(double x) { return std::exp(x); }
double log(double x) { return std::log(x); }
double pow(double x, double y) { return std::pow(x, y); }
double wrap_angle(double a) { return a - 2 * kPi * std::floor((a + kPi) / (2 * kPi)); }

}  // namespace convoy::math
