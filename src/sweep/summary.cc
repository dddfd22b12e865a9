#include "sweep/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sweep/metric.h"
#include "sweep/tables.h"

namespace convoy::sweep {

namespace {

using nlohmann::json;

constexpr std::size_t kMostListed = 12;  // values of an axis on the terminal

std::optional<double> number_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_number()) return {};
  return value.get<double>();
}

class Collector {
 public:
  Collector(const Plan& plan, Summary& out) : plan_(plan), out_(out) {
    out_.planned = plan.runs();
    for (const Metric& metric : plan.metrics) {
      MetricSummary& made = out_.metrics.emplace_back();
      made.name = metric.name;
      for (const Axis& axis : plan.axes) made.over.push_back({std::vector<Spread>(axis.values.size()), {}});
    }
    every_ = std::max<std::uint64_t>(1, (out_.planned + kMaxDots - 1) / kMaxDots);
  }

  void add(std::size_t metric, std::uint64_t index, double value) {
    MetricSummary& of = out_.metrics[metric];
    of.all.add(value);
    const PlannedRun run = plan_.run(index);
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      of.over[i].at[run.at[i]].add(value);
      if (index % every_ == 0) of.over[i].dots.push_back({run.at[i], value});
    }
  }

  Status add_results(const std::string& path) {
    std::ifstream in(path);
    if (!in) return fail(ErrorCode::kNotFound, "no table of a sweep is there", path);
    std::string line;
    while (std::getline(in, line)) {
      const json row = json::parse(line, nullptr, false);
      if (!row.is_object() || !row.contains("run") || !row["run"].is_number_unsigned() ||
          row["run"].get<std::uint64_t>() >= out_.planned)
        return fail(ErrorCode::kInvalid, "is not the table of this plan", path);
      const std::uint64_t index = row["run"];
      if (row.value("state", "") != "done") {
        add_failed(index, row);
        continue;
      }
      ++out_.done;
      done_.push_back(index);
      for (std::size_t m = 0; m < plan_.metrics.size(); ++m)
        if (const auto value = number_of(row.value(plan_.metrics[m].name, json()))) add(m, index, *value);
    }
    return {};
  }

  // Of the runs that are done, what is another each time.
  void add_timing(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line)) return;
    const auto columns = cells_of(line);
    while (std::getline(in, line)) {
      const auto cells = cells_of(line);
      if (cells.size() != columns.size()) continue;
      const auto index = static_cast<std::uint64_t>(std::atoll(cells[0].c_str()));
      if (!std::binary_search(done_.begin(), done_.end(), index)) continue;
      for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
        const auto column = std::find(columns.begin(), columns.end(), plan_.metrics[m].name);
        if (is_determined(plan_.metrics[m]) || column == columns.end()) continue;
        const json value = json::parse(cells[static_cast<std::size_t>(column - columns.begin())], nullptr, false);
        if (const auto number = number_of(value)) add(m, index, *number);
      }
    }
  }

 private:
  void add_failed(std::uint64_t index, const json& row) {
    ++out_.failed;
    if (out_.failed_runs.size() == kMaxFailedShown) return;
    const PlannedRun run = plan_.run(index);
    std::string settings;
    for (std::size_t i = 0; i < plan_.axes.size(); ++i)
      settings += (i > 0 ? ", " : "") + plan_.axes[i].name + " " + plan_.axes[i].label(run.at[i]);
    const auto text = [&](const char* name) {
      return row.contains(name) && row[name].is_string() ? row[name].get<std::string>() : "";
    };
    out_.failed_runs.push_back({index, settings, text("error"), text("log")});
  }

  const Plan& plan_;
  Summary& out_;
  std::uint64_t every_ = 1;          // which runs are dots
  std::vector<std::uint64_t> done_;  // in plan order
};

std::string row_of(const std::string& what, const Spread& s) {
  if (s.count == 0) return fmt::format("  {:<28} no value\n", what);
  return fmt::format("  {:<28} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>8}\n", what, s.mean, s.deviation(), s.least,
                     s.most, s.count);
}

}  // namespace

void Spread::add(double value) {
  if (!std::isfinite(value)) return;
  least = count == 0 ? value : std::min(least, value);
  most = count == 0 ? value : std::max(most, value);
  ++count;
  const double before = value - mean;
  mean += before / static_cast<double>(count);
  squares += before * (value - mean);
}

double Spread::deviation() const { return count < 2 ? 0 : std::sqrt(squares / static_cast<double>(count - 1)); }

Result<Summary> summarize(const Plan& plan, const std::string& folder) {
  Summary out;
  Collector collector(plan, out);
  if (auto ok = collector.add_results(folder + "/results.jsonl"); !ok) return tl::unexpected(ok.error());
  if (std::any_of(plan.metrics.begin(), plan.metrics.end(), [](const Metric& m) { return !is_determined(m); }))
    collector.add_timing(folder + "/timing.csv");
  return out;
}

std::string text_of(const Plan& plan, const Summary& s) {
  std::string out = fmt::format("{}: {} runs, {} done, {} failed, {} missing\n", plan.scenario, s.planned, s.done,
                                s.failed, s.missing());
  for (const MetricSummary& metric : s.metrics) {
    out += fmt::format("\n  {:<28} {:>12} {:>12} {:>12} {:>12} {:>8}\n", metric.name, "mean", "deviation", "least",
                       "most", "runs");
    out += row_of("all", metric.all);
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
      const std::size_t values = plan.axes[i].values.size();
      if (values < 2) continue;
      for (std::size_t v = 0; values <= kMostListed && v < values; ++v)
        out += row_of(plan.axes[i].name + " " + plan.axes[i].label(v), metric.over[i].at[v]);
    }
  }
  for (const FailedRun& failed : s.failed_runs)
    out += fmt::format("\n  failed: run {} ({}): {}\n", failed.run, failed.settings, failed.error);
  return out;
}

}  // namespace convoy::sweep
