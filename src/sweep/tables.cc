#include "sweep/tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "sweep/metric.h"

namespace convoy::sweep {

namespace {

using nlohmann::json;

// Of a setting's YAML: numbers and truths as they are, all else as text.
std::string json_of_setting(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  if (j.is_number() || j.is_boolean() || j.is_string()) return text;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}
// null is an empty cell; a text is without its quotes.
std::string cell_of_json(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  return j.is_null() ? "" : j.is_string() ? cell(j.get<std::string>()) : cell(text);
}

std::string value_of(const Outcome& outcome, const Metric& metric) {
  const auto found = outcome.values.find(metric.name);
  return found == outcome.values.end() ? "null" : found->second;
}

// The columns of a row and their values as JSON.
using Row = std::vector<std::pair<std::string, std::string>>;

Row result_row(const Plan& plan, const PlannedRun& run, const Outcome& outcome) {
  const auto text = [](const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); };
  Row row{{"run", std::to_string(run.index)}};
  for (std::size_t i = 0; i < plan.axes.size(); ++i)
    for (std::size_t f = 0; f < plan.axes[i].fields.size(); ++f)
      row.emplace_back(plan.axes[i].fields[f], json_of_setting(plan.axes[i].values[run.at[i]][f]));
  if (plan.repeats > 1) row.emplace_back("repeat", std::to_string(run.repeat));
  row.emplace_back("state", outcome.done ? "\"done\"" : "\"failed\"");
  row.emplace_back("digest", outcome.digest ? text(*outcome.digest) : "null");
  row.emplace_back("exit_code", outcome.exit_code ? std::to_string(*outcome.exit_code) : "null");
  for (const Metric& metric : plan.metrics)
    if (is_determined(metric)) row.emplace_back(metric.name, value_of(outcome, metric));
  row.emplace_back("error", outcome.error.empty() ? "null" : text(outcome.error));
  row.emplace_back("log", outcome.log.empty() ? "null" : text(fmt::format("{}", fmt::join(outcome.log, "\n"))));
  return row;
}

std::string as_json(const Row& row) {
  std::string out = "{";
  for (const auto& [name, value] : row)
    out += (out.size() > 1 ? "," : "") + json(name).dump(-1, ' ', false, json::error_handler_t::replace) + ":" + value;
  return out + "}\n";
}
std::string as_csv(const Row& row) {
  std::string out;
  for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + cell_of_json(row[i].second);
  return out + "\n";
}

std::string timing_line(const Plan& plan, const PlannedRun& run, const Outcome& outcome) {
  std::string out = fmt::format("{},{}", run.index, hex16(outcome.key));
  for (const Metric& metric : plan.metrics)
    if (!is_determined(metric)) out += "," + cell_of_json(value_of(outcome, metric));
  return out + fmt::format(",{},{},{:.3f},{:.3f},{:.3f}\n", outcome.attempts, cell(outcome.node), outcome.process_s,
                           outcome.wall_s, outcome.cpu_s);
}

std::string header(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& column : columns) out += (out.empty() ? "" : ",") + cell(column);
  return out + "\n";
}

// Written beside its place, and put there when it is whole.
class Table {
 public:
  static Result<Table> open(const std::string& path) {
    auto file = os::AppendFile::open(path + ".new", os::AppendFile::Mode::kNew);
    if (!file) return tl::unexpected(file.error());
    return Table(path, std::move(*file));
  }
  Status write(std::string_view text) { return file_.write(as_bytes(text)); }
  Status put() {
    if (auto ok = file_.sync(); !ok) return ok;
    std::error_code error;
    std::filesystem::rename(path_ + ".new", path_, error);
    if (error) return fail(ErrorCode::kUnavailable, error.message(), path_);
    return {};
  }

 private:
  Table(std::string path, os::AppendFile file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  os::AppendFile file_;
};

Status write_all_tables(const Plan& plan, const Journal& journal,
                        const std::function<std::uint64_t(std::uint64_t)>& key_of, const std::string& folder) {
  auto csv = Table::open(folder + "/results.csv"), lines = Table::open(folder + "/results.jsonl"),
       timing = Table::open(folder + "/timing.csv");
  for (const auto* table : {&csv, &lines, &timing})
    if (!*table) return tl::unexpected(table->error());
  if (auto ok = csv->write(header(result_columns(plan))); !ok) return ok;
  if (auto ok = timing->write(header(timing_columns(plan))); !ok) return ok;
  for (std::uint64_t i = 0; i < plan.runs(); ++i) {
    const std::uint64_t key = key_of(i);
    if (!journal.known(key)) continue;
    const auto outcome = journal.outcome_of(key);
    if (!outcome) return tl::unexpected(outcome.error());
    const PlannedRun run = plan.run(i);
    const Row row = result_row(plan, run, *outcome);
    if (auto ok = csv->write(as_csv(row)); !ok) return ok;
    if (auto ok = lines->write(as_json(row)); !ok) return ok;
    if (auto ok = timing->write(timing_line(plan, run, *outcome)); !ok) return ok;
  }
  for (auto* table : {&csv, &lines, &timing})
    if (auto ok = (*table)->put(); !ok) return ok;
  return {};
}

}  // namespace

std::vector<std::string> result_columns(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& [name, value] : result_row(plan, plan.run(0), Outcome{})) out.push_back(name);
  return out;
}

std::vector<std::string> timing_columns(const Plan& plan) {
  std::vector<std::string> out{"run", "key"};
  for (const Metric& metric : plan.metrics)
    if (!is_determined(metric)) out.push_back(metric.name);
  out.insert(out.end(), {"attempts", "node", "process_s", "wall_s", "cpu_s"});
  return out;
}

Status write_tables(const Plan& plan, const Journal& journal, const std::function<std::uint64_t(std::uint64_t)>& key_of,
                    const std::string& folder) {
  auto ok = write_all_tables(plan, journal, key_of, folder);
  if (ok) return ok;
  for (const char* name : {"results.csv", "results.jsonl", "timing.csv"}) {
    std::error_code none;
    std::filesystem::remove(folder + "/" + name + ".new", none);
  }
  return ok;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') out.back() += c, ++i;
    else if (c == '"') inside = !inside;
    else if (c == ',' && !inside) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

}  // namespace convoy::sweep
