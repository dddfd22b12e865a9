// tf2's scalar, its constants, and functions with the same bits on every machine.
#pragma once

#include <cfloat>
#include <cmath>

#include "tf2/visibility_control.hpp"

using tf2Scalar = double;

#define TF2SIMD_2_PI tf2Scalar(6.283185307179586232)
#define TF2SIMD_PI (TF2SIMD_2_PI * tf2Scalar(0.5))
#define TF2SIMD_HALF_PI (TF2SIMD_2_PI * tf2Scalar(0.25))
#define TF2SIMD_RADS_PER_DEG (TF2SIMD_2_PI / tf2Scalar(360.0))
#define TF2SIMD_DEGS_PER_RAD (tf2Scalar(360.0) / TF2SIMD_2_PI)
#define TF2SIMDSQRT12 tf2Scalar(0.7071067811865475244008443621048490)
#define TF2SIMD_EPSILON DBL_EPSILON
#define TF2SIMD_INFINITY DBL_MAX

// Radians. Outside of [-1, 1] the arguments of acos and asin count as the nearest end.
tf2Scalar tf2Cos(tf2Scalar x);
tf2Scalar tf2Sin(tf2Scalar x);
tf2Scalar tf2Tan(tf2Scalar x);
tf2Scalar tf2Acos(tf2Scalar x);
tf2Scalar tf2Asin(tf2Scalar x);
tf2Scalar tf2Atan(tf2Scalar x);
tf2Scalar tf2Atan2(tf2Scalar y, tf2Scalar x);
inline tf2Scalar tf2Sqrt(tf2Scalar x) { return std::sqrt(x); }
inline tf2Scalar tf2Fabs(tf2Scalar x) { return std::fabs(x); }
inline tf2Scalar tf2RecipSqrt(tf2Scalar x) { return 1 / tf2Sqrt(x); }
inline tf2Scalar tf2Radians(tf2Scalar x) { return x * TF2SIMD_RADS_PER_DEG; }
inline tf2Scalar tf2Degrees(tf2Scalar x) { return x * TF2SIMD_DEGS_PER_RAD; }
inline bool tf2FuzzyZero(tf2Scalar x) { return tf2Fabs(x) < TF2SIMD_EPSILON; }
inline bool tf2Equal(tf2Scalar a, tf2Scalar eps) { return a <= eps && -a <= eps; }
template <class T>
void tf2Swap(T& a, T& b) {
  const T before = a;
  a = b, b = before;
}
