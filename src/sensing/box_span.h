// Where a line is in a box: shared by the code for one line and that for several, so that both have the same bits.
#pragma once

#include <limits>

namespace convoy {

struct BoxSpan {
  double in = -std::numeric_limits<double>::infinity(), out = std::numeric_limits<double>::infinity();

  // Only what is within h of the middle along an axis: by the line's origin and direction along it. Without branches, so
  // that several lines go through at a time.
  void cut(double o, double d, double h) {
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    const double slowness = 1 / d, a = (-h - o) * slowness, b = (h - o) * slowness;
    const double low = a < b ? a : b, high = a < b ? b : a;
    const bool along = d == 0, beside = (o < 0 ? -o : o) > h;
    const double first = along ? (beside ? kNowhere : -kNowhere) : low, last = along ? kNowhere : high;
    in = first > in ? first : in;
    out = last < out ? last : out;
  }
  // Of its surface from `near` on.
  double range(double near) const {
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    const double later = out >= near ? out : kNowhere, found = in >= near ? in : later;
    return in <= out ? found : kNowhere;
  }
};

}  // namespace convoy
