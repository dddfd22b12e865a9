#include "nodes/delay_csv.h"

#include <algorithm>

#include "nodes/name.h"

namespace convoy::nodes {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls line(number, text) for each, from 1; stops at the first error.
template <class F>
Status each_line(std::string_view text, F line) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto ok = line(number, trimmed(text.substr(0, end))); !ok) return ok;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t comma = line.find(',');
    columns.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return columns;
    line.remove_prefix(comma + 1);
  }
}

// A factor in billionths: a decimal is read as seconds are.
Result<std::int64_t> parse_factor(std::string_view text) {
  const auto billionths = parse_duration(std::string(text) + "s");
  if (!billionths)
    return fail(ErrorCode::kInvalid, "'" + std::string(text) + "' is no factor of at most nine digits after the point");
  return billionths->count();
}

// To the nearest nanosecond.
Result<std::vector<Duration>> scaled(const std::vector<Duration>& samples, std::int64_t billionths) {
  std::vector<Duration> out;
  for (Duration d : samples) {
    const auto product = static_cast<__int128>(d.count()) * billionths + 500'000'000;
    if (product / 1'000'000'000 > INT64_MAX)
      return fail(ErrorCode::kInvalid, "the trace times this factor is too long");
    out.push_back(Duration(static_cast<std::int64_t>(product / 1'000'000'000)));
  }
  return out;
}

Result<DelayRule> parse_row(const std::vector<std::string_view>& row, const std::string& where,
                            const DelayTraces& traces) {
  const auto bad = [&](const char* field, std::string text) {
    return fail(ErrorCode::kInvalid, std::move(text), where + ": " + field);
  };
  DelayRule rule{.name = std::string(row[0]), .where = where};
  const auto full = expand(row[0], {});
  if (!full || *full != rule.name) return bad("Topic Name", "'" + rule.name + "' is no full topic name");
  if (row[1] == "FIXED") {
    if (row[2].empty()) return bad("Fixed Delay_ms", "FIXED needs a delay in milliseconds");
    const auto delay = parse_duration(std::string(row[2]) + "ms");
    if (!delay)
      return bad("Fixed Delay_ms", "'" + std::string(row[2]) + "' is no number of milliseconds, exact to a nanosecond");
    if (!row[3].empty()) return bad("Measured Delay Skew", "FIXED takes no skew");
    rule.delay = {.kind = Delay::Kind::kConstant, .low = *delay};
    return rule;
  }
  if (row[1] != "MEASURED") return bad("Delay Type", "'" + std::string(row[1]) + "' is neither FIXED nor MEASURED");
  if (!row[2].empty()) return bad("Fixed Delay_ms", "MEASURED takes no fixed delay");
  const auto factor = parse_factor(row[3].empty() ? "1" : row[3]);
  if (!factor) return bad("Measured Delay Skew", factor.error().text);
  const auto trace = traces.find(rule.name);
  if (trace == traces.end())
    return bad("Delay Type",
               "MEASURED depends on the machine that runs it; give a trace file of '" + rule.name + "', measured once");
  auto samples = scaled(trace->second, *factor);
  if (!samples) return bad("Measured Delay Skew", samples.error().text);
  rule.delay = {.kind = Delay::Kind::kTrace, .samples = std::move(*samples)};
  return rule;
}

}  // namespace

Result<std::vector<DelayRule>> parse_delay_csv(std::string_view text, const std::string& file,
                                               const DelayTraces& traces) {
  std::vector<DelayRule> rules;
  const Status ok = each_line(text, [&](int number, std::string_view line) -> Status {
    if (number == 1 || line.empty()) return {};
    const std::string where = file + ":" + std::to_string(number);
    const auto row = columns_of(line);
    if (row.size() != 4)
      return fail(ErrorCode::kInvalid, "a row has 4 columns, not " + std::to_string(row.size()), where);
    auto rule = parse_row(row, where, traces);
    if (!rule) return tl::unexpected(rule.error());
    for (const DelayRule& other : rules)
      if (other.name == rule->name)
        return fail(ErrorCode::kInvalid, "'" + rule->name + "' has a delay already, at " + other.where,
                    where + ": Topic Name");
    rules.push_back(std::move(*rule));
    return {};
  });
  if (!ok) return tl::unexpected(ok.error());
  if (text.empty()) return fail(ErrorCode::kInvalid, "is empty; the first line names the columns", file);
  return rules;
}

Result<std::vector<Duration>> parse_delay_trace(std::string_view text, const std::string& file) {
  std::vector<Duration> samples;
  const Status ok = each_line(text, [&](int number, std::string_view line) -> Status {
    if (line.empty() || line.front() == '#') return {};
    const auto sample = parse_duration(line);
    if (!sample) return fail(ErrorCode::kInvalid, sample.error().text, file + ":" + std::to_string(number));
    samples.push_back(*sample);
    return {};
  });
  if (!ok) return tl::unexpected(ok.error());
  if (samples.empty()) return fail(ErrorCode::kInvalid, "has no samples", file);
  return samples;
}

}  // namespace convoy::nodes
