// How much of a run a recording holds: all of it, or the poses at a rate; and how large that becomes.
#pragma once

#include <string>
#include <string_view>

#include "convoy/result.h"
#include "convoy/time.h"
#include "world/setup.h"

namespace convoy {

struct RecordDetail {
  Duration every{};  // of simulated time between two poses; 0: all of the run

  bool poses() const { return every > Duration{0}; }
  friend bool operator==(const RecordDetail&, const RecordDetail&) = default;
};

inline constexpr double kLeastPoseRate = 0.001, kMostPoseRate = 1000;  // Hz

// "10Hz": the time between two.
Result<Duration> parse_rate(std::string_view text);

// "full", "poses@10Hz"
std::string to_text(const RecordDetail& detail);
Result<RecordDetail> parse_record_detail(std::string_view text);

// The bytes of a file after so much of a run, packed: about, since it depends on how much the robots move. `round`: time
// between two rounds of free mode; 0: lockstep. Not counted: software's inner state, elements, inputs, edits.
double expected_size(const Setup& setup, const RecordDetail& detail, Duration simulated, Duration round = {});

}  // namespace convoy
