// The tables of a sweep: results.csv and results.jsonl hold what the digest determines, timing.csv what is another each
// time. Rows of the runs that were made, in plan order: however they were made, the first two are equal to the byte.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/journal.h"
#include "sweep/plan.h"

namespace convoy::sweep {

// Columns in their order: run, fields of the axes, repeat if there are any, state, digest, exit_code, metrics, error, log.
std::vector<std::string> result_columns(const Plan& plan);
// run, key, metrics that the digest does not determine, attempts, node, process_s, wall_s, cpu_s.
std::vector<std::string> timing_columns(const Plan& plan);

// Writes all three into the folder: each is the old one or the new one, whole.
Status write_tables(const Plan& plan, const Journal& journal, const std::function<std::uint64_t(std::uint64_t)>& key_of,
                    const std::string& folder);

// A line of CSV as cells (RFC 4180); for tables without line ends in cells, as timing.csv.
std::vector<std::string> cells_of(std::string_view line);

}  // namespace convoy::sweep
