// The smaller, the larger, the clamped.
#pragma once

#include <algorithm>

template <class T>
T tf2Min(const T& a, const T& b) {
  return std::min(a, b);
}
template <class T>
T tf2Max(const T& a, const T& b) {
  return std::max(a, b);
}
template <class T>
T GEN_clamped(const T& a, const T& lower, const T& upper) {
  return a < lower ? lower : (upper < a ? upper : a);
}
template <class T>
void tf2SetMin(T& a, const T& b) {
  a = std::min(a, b);
}
template <class T>
void tf2SetMax(T& a, const T& b) {
  a = std::max(a, b);
}
