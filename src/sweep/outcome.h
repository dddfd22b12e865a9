// What is known of a run that was made: one line of a sweep's journal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"

namespace convoy::sweep {

inline constexpr std::size_t kLogTail = 20;  // lines of a failed run's log that are kept

struct Outcome {
  std::uint64_t key = 0;  // of scenario, settings, metrics and build: equal for equal runs
  bool done = false;      // ended by itself, and well
  std::optional<std::string> digest;
  std::optional<int> exit_code;               // none: something ended it
  std::string error;                          // why it is not done
  std::vector<std::string> log;               // its last lines if it is not
  std::map<std::string, std::string> values;  // of metrics by name, JSON; "null" where it has none
  // What is another each time.
  std::string node;  // the machine
  int attempts = 0;
  double process_s = 0, wall_s = 0, cpu_s = 0;  // of the last attempt; the second as its report says

  std::string line() const;  // without an end
};
// An error: no such line, or one that was cut.
Result<Outcome> parse_outcome(std::string_view line);

}  // namespace convoy::sweep
