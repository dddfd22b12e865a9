// A plan of a sweep: one scenario run many times, along axes of values for its fields.
//
//   auto plan = sweep::read_plan("speeds.yaml");
//   for (std::uint64_t i = 0; i < plan->runs(); ++i) start(plan->scenario, plan->settings_of(plan->run(i)));
//
// docs/sweeps.md is the reference of its fields. Runs are in plan order: the first axis is the slowest, repeats are the
// fastest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"

namespace convoy::sweep {

inline constexpr std::uint64_t kMaxRuns = 1'000'000;  // of a plan
inline constexpr std::size_t kMaxAxes = 20;
inline constexpr std::size_t kMaxMetrics = 200;
inline constexpr std::size_t kMaxPlanBytes = 16u << 20;

// Fields that vary together; most often one.
struct Axis {
  std::string name;                              // of its field, or of the group
  std::vector<std::string> fields;               // as --set names them, "robots[0].count"
  std::vector<std::vector<std::string>> values;  // [value][field], YAML as --set takes it
  std::string label(std::size_t value) const;    // "0.5", of a group "10, 5s"
  bool is_number() const;                        // each of its values is one, and it has one field
};

// A number taken of each run.
struct Metric {
  std::string name;
  std::string path;  // a field of the report, "totals.distance_m"; of what the script prints; empty: all that it prints
  std::string script;  // a program of the user's that gets recording and report; empty: none. Absolute
  friend bool operator==(const Metric&, const Metric&) = default;
};

// One run's place in the plan.
struct PlannedRun {
  std::uint64_t index = 0;
  std::vector<std::size_t> at;  // of each axis, which value
  std::uint32_t repeat = 0;
};

struct Plan {
  std::string file, folder;           // as given, and where its relative paths begin; "."
  std::string scenario;               // a file, or the name of one
  std::vector<std::string> settings;  // for all runs, "field=value"
  std::vector<Axis> axes;
  std::uint32_t repeats = 1;
  std::vector<Metric> metrics;
  struct Keep {
    bool report = false, recording = false, log = false;
    bool any() const { return report || recording || log; }
  } keep;
  Duration time_limit{0};  // of one run's process, real time; 0: none
  int retries = 0;         // of a run that failed
  int threads = 1;         // of a run

  std::uint64_t runs() const;
  PlannedRun run(std::uint64_t index) const;
  std::vector<std::string> settings_of(const PlannedRun& run) const;  // "field=value", the plan's own first
  std::vector<std::string> fields() const;                            // of all axes
  bool has_scripts() const;
};

// Reads a plan's file. An error names file, line and field; of several problems, all are in its text, one a line.
Result<Plan> read_plan(const std::string& file);
Result<Plan> parse_plan(std::string_view text, const std::string& file);

// "1..100", "0.1..0.5 by 0.1": the values, as they are written; an empty list: it is no range. Decimal arithmetic: the
// third of those is 0.3.
Result<std::vector<std::string>> parse_range(std::string_view text);

}  // namespace convoy::sweep
