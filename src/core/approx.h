// For tests alone: a computed number that must be near another.
//
//   CHECK(v == approx(0.048).epsilon(0.05));  // within 5 % of the larger of the two; without epsilon() 1.2e-5 of it
//   CHECK(z == about(0, 1e-3));               // within 0.001, in the number's own unit
//
// doctest's own Approx adds 1 to the size of what it compares, and then 0.048 and 0.02 are the same within 5 %.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <ostream>

namespace convoy {

inline doctest::Approx approx(double value) { return doctest::Approx(value).scale(0); }

struct About {
  About(double value, double within) : value(value), within(within) {}
  friend bool operator==(double got, const About& wanted) { return std::fabs(got - wanted.value) <= wanted.within; }
  friend std::ostream& operator<<(std::ostream& out, const About& n) { return out << n.value << " +- " << n.within; }
  double value, within;
};
inline About about(double value, double within) { return {value, within}; }

}  // namespace convoy
