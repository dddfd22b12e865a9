// RSLCPP's delay files, and recorded traces of delays.
//
//   Topic Name, Delay Type, Fixed Delay_ms, Measured Delay Skew        the first line is not read
//   /scan,      FIXED,      10.5,
//   /odom,      MEASURED,   ,               1.0                        needs a trace of /odom
//
// A trace has one duration a line ("1500ns", "0.5ms"); lines that begin with # and empty ones are passed over.
#pragma once

#include <map>

#include "nodes/delay.h"

namespace convoy::nodes {

using DelayTraces = std::map<std::string, std::vector<Duration>>;  // by topic

// `file` names the text in errors, which give line and field.
Result<std::vector<DelayRule>> parse_delay_csv(std::string_view text, const std::string& file,
                                               const DelayTraces& traces = {});
Result<std::vector<Duration>> parse_delay_trace(std::string_view text, const std::string& file);

}  // namespace convoy::nodes
