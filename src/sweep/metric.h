// Numbers that are taken of a run's report, or of what a user's script prints.
#pragma once

#include <nlohmann/json.hpp>

#include "sweep/plan.h"

namespace convoy::sweep {

// Whether equal digests mean equal values: what a report says of times, processes and bytes is another each time. What
// scripts make of a recording is.
bool is_determined(const Metric& metric);

// "totals.distance_m", "ended[0].exit_code": what is there, or null. A list or a map counts as how many it has.
nlohmann::json value_at(const nlohmann::json& document, const std::string& path);

// Is this a field of reports? `sample` is any report; in maps whose keys are the run's (by_robot, drops, code) every name is.
Status check_metric(const Metric& metric, const nlohmann::json& sample);

}  // namespace convoy::sweep
