#include "sweep/metric.h"

#include <algorithm>
#include <charconv>

#include "core/nearest.h"

namespace convoy::sweep {

namespace {

using nlohmann::json;

// What the digest covers, or what follows from it (docs/sweeps.md).
constexpr std::string_view kDetermined[] = {"scenario",        "mode",      "seed",           "robots", "ticks",
                                            "sim_s",           "setup",     "totals",         "digest", "spawned",
                                            "deleted",         "ended",     "physics_faults", "advice", "sensor_faults",
                                            "one_sided_ticks", "exit_code", "by_robot"};
// Maps whose keys are names of the run's.
constexpr std::string_view kNamed[] = {"by_robot", "drops", "code", "missed_deadlines"};
constexpr std::string_view kOfRobots[] = {"distance_m", "map_contact_ticks", "robot_contact_ticks", "stuck_s",
                                          "one_sided_ticks"};

// The next part of a path, which gets shorter: a name, or "[3]".
std::string_view next_part(std::string_view& path) {
  const std::size_t length = path.starts_with('[') ? std::min(path.find(']'), path.size() - 1) + 1
                                                   : std::min(path.find_first_of(".["), path.size());
  const std::string_view part = path.substr(0, length);
  path.remove_prefix(length);
  if (path.starts_with('.')) path.remove_prefix(1);
  return part;
}

const json* member(const json& at, std::string_view part) {
  if (part.starts_with('[') && part.ends_with(']')) {
    std::size_t index = 0;
    const auto [end, status] = std::from_chars(part.data() + 1, part.data() + part.size() - 1, index);
    const bool is_index = status == std::errc{} && end == part.data() + part.size() - 1;
    return at.is_array() && is_index && index < at.size() ? &at[index] : nullptr;
  }
  if (!at.is_object()) return nullptr;
  const auto found = at.find(std::string(part));
  return found == at.end() ? nullptr : &*found;
}

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

tl::unexpected<Error> unknown(const Metric& metric, std::string_view part, const std::vector<std::string>& known) {
  const std::string near = nearest_name(std::string(part), known);
  return fail(ErrorCode::kInvalid,
              "metrics." + metric.name + ": no report has a field '" + metric.path + "'" +
                  (near.empty() ? "" : "; did you mean '" + near + "' for '" + std::string(part) + "'?"));
}

}  // namespace

bool is_determined(const Metric& metric) {
  if (!metric.script.empty()) return true;
  std::string_view path = metric.path;
  return has(kDetermined, next_part(path));
}

json value_at(const json& document, const std::string& path) {
  const json* at = &document;
  for (std::string_view rest = path; at && !rest.empty();) at = member(*at, next_part(rest));
  if (!at) return nullptr;
  if (at->is_structured()) return at->size();
  return *at;
}

Status check_metric(const Metric& metric, const json& sample) {
  if (!metric.script.empty()) return {};
  std::string_view rest = metric.path;
  const json* at = &sample;
  std::string_view first = rest.substr(0, std::min(rest.find_first_of(".["), rest.size()));
  for (int depth = 0; !rest.empty(); ++depth) {
    // A robot's field is what follows the last dot.
    if (depth == 1 && first == "by_robot") {
      const std::size_t dot = rest.rfind('.');
      const std::string_view field = dot == rest.npos ? "" : rest.substr(dot + 1);
      if (dot == rest.npos || has(kOfRobots, field)) return {};
      return unknown(metric, field, {std::begin(kOfRobots), std::end(kOfRobots)});
    }
    if (depth == 1 && has(kNamed, first)) return {};
    const std::string_view part = next_part(rest);
    const json* next = member(*at, part);
    if (!next && at->is_array() && part.starts_with('[') && part.ends_with(']')) return {};  // as many as the run has
    if (!next) {
      std::vector<std::string> known;
      if (at->is_object())
        for (const auto& [name, value] : at->items()) known.push_back(name);
      return unknown(metric, part, known);
    }
    at = next;
  }
  return metric.path.empty() ? unknown(metric, "", {}) : Status{};
}

}  // namespace convoy::sweep
