// What a sweep has come to: each metric over each axis, with its spread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/plan.h"

namespace convoy::sweep {

inline constexpr std::size_t kMaxDots = 2'000;       // of one figure; of more runs, so many evenly
inline constexpr std::size_t kMaxFailedShown = 100;  // with their logs

// Of numbers, as they come (Welford 1962).
struct Spread {
  std::uint64_t count = 0;
  double mean = 0, squares = 0;  // sum of squared distances from the mean
  double least = 0, most = 0;
  void add(double value);
  double deviation() const;  // of a sample; 0 of fewer than two
};

// Of a metric over an axis.
struct Curve {
  std::vector<Spread> at;  // of each value
  struct Dot {
    std::size_t value;
    double y;
  };
  std::vector<Dot> dots;
};

struct MetricSummary {
  std::string name;
  Spread all;
  std::vector<Curve> over;  // of each axis
};

struct FailedRun {
  std::uint64_t run = 0;
  std::string settings, error, log;
};

struct Summary {
  std::uint64_t planned = 0, done = 0, failed = 0;
  std::vector<MetricSummary> metrics;  // as the plan has them; of the runs that are done
  std::vector<FailedRun> failed_runs;  // the first ones
  std::uint64_t missing() const { return planned - done - failed; }
};

// Of a sweep's folder, by its tables. An error names what cannot be read.
Result<Summary> summarize(const Plan& plan, const std::string& folder);

// For the terminal: all of each metric, and along axes of at most 12 values each of these.
std::string text_of(const Plan& plan, const Summary& summary);
// A page that needs nothing but itself.
std::string page_of(const Plan& plan, const Summary& summary);

}  // namespace convoy::sweep
