// convoy job: ROS 2 components from shared libraries, on simulated time.
#include <convoy_ros/benchmark.hpp>
#include <convoy_ros/job.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "core/hash.h"
#include "nodes/benchmark.h"
#include "nodes/delay_csv.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/signals.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

namespace known = nodes::benchmark;

// A case of the benchmark, with the result that it must have.
struct Case {
  const char* order;
  bool overdue;
  std::uint64_t combined, callbacks;
  const std::array<std::uint64_t, 4>* states;  // null: not published
};
constexpr Case kCases[] = {
    {"rslcpp", true, known::kPublished.combined, known::kPublished.callbacks, &known::kPublished.states},
    {"stable", true, known::kStableOverdue, 19011, nullptr},
    {"stable", false, known::kStableDefault, 19190, nullptr},
};

bool as_known(const Case& c, const ros::DeterminismOutcome& is) {
  return is.combined == c.combined && is.callbacks == c.callbacks && (!c.states || is.states == *c.states);
}

nodes::TimerOrder order_named(const std::string& name) {
  return name == "rslcpp" ? nodes::TimerOrder::kRslcpp : nodes::TimerOrder::kStable;
}

int wrong(const std::string& text, int code) { return complain(os::escape_line(text), code); }

// The report to its file and, with --json, to stdout; then the digest as the last line.
int deliver(const nlohmann::ordered_json& report, const Arguments& arguments, std::uint64_t digest, int code) {
  if (arguments.json) fmt::print("{}\n", report.dump(1));
  fmt::print("digest {}\n", hex16(digest));
  std::fflush(stdout);
  if (arguments.report.empty()) return code;
  const auto ok = os::write_file(arguments.report, report.dump(1) + "\n");
  return ok ? code : wrong(ok.error().message(), kFailed);
}

int determinism(const Arguments& arguments, const std::atomic<bool>& interrupted) {
  const JobArguments& a = arguments.job;
  if (a.overdue_start && !a.order) return complain("--overdue-start of the benchmark goes with --order stable", kUsage);
  const Moment began = os::now();
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  std::string table = fmt::format("{:<7} {:<8} {:>9} {:>20} {:>20} {:>20} {:>20} {:>20}\n", "order", "start", "callbacks",
                                  "A", "B", "C", "D", "combined");
  std::uint64_t digest = 0;
  bool all = true;
  for (const Case& c : kCases) {
    // RSLCPP's own order is known with its own start alone.
    if (a.order && (*a.order != c.order || (*a.order == "stable" && a.overdue_start != c.overdue))) continue;
    auto is = ros::run_determinism(order_named(c.order), c.overdue, [&] { return interrupted.load(); });
    if (!is) return wrong(is.error().message(), kFailed);
    if (interrupted) return kInterrupted;
    const char* start = c.overdue ? "overdue" : "default";
    const bool matches = as_known(c, *is);
    if (!matches) complain(fmt::format("{}, {}: {} after {} callbacks is not the known {} after {}", c.order, start, is->combined,
                                       is->callbacks, c.combined, c.callbacks), kFailed);
    table += fmt::format("{:<7} {:<8} {:>9} {:>20} {:>20}\n", c.order, start, is->callbacks, fmt::join(is->states, " "),
                         is->combined);
    runs.push_back({{"order", c.order}, {"start", start}, {"callbacks", is->callbacks}, {"states", is->states},
                    {"combined", is->combined}, {"digest", hex16(is->digest)}, {"matches", matches}});
    digest = is->digest, all = all && matches;
  }
  const int code = all ? kOk : kFailed;
  if (!arguments.json) fmt::print("{}", table);
  return deliver({{"benchmark", "determinism"}, {"runs", runs}, {"wall_s", seconds(os::now() - began)}, {"exit_code", code}},
                 arguments, digest, code);
}

Result<std::vector<nodes::DelayRule>> delays_of(const std::string& file) {
  if (file.empty()) return std::vector<nodes::DelayRule>{};
  auto text = os::read_text(file);
  if (!text) return tl::unexpected(text.error());
  return nodes::parse_delay_csv(*text, file);
}

Result<Duration> time_of(const char* option, const std::string& text) {
  auto time = nodes::parse_duration(text);
  if (!time) return fail(ErrorCode::kInvalid, time.error().text, option);
  return *time;
}

std::vector<std::string> prefixes() {
  std::vector<std::string> out;
  const char* given = std::getenv("AMENT_PREFIX_PATH");
  const std::string text = given ? given : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// As YAML, which values of parameters are.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string{c};
  return out + "'";
}

Result<ros::JobSpec> spec_of(const Arguments& arguments) {
  const JobArguments& a = arguments.job;
  ros::JobSpec spec;
  if (!a.play.empty()) spec.components.push_back({"convoy", "convoy::Player", {"-p", "file:=" + quoted(a.play)}});
  for (const JobArguments::Component& c : a.components) spec.components.push_back({c.library, c.type, c.arguments});
  if (a.timeout) {
    const auto timeout = time_of("--timeout", *a.timeout);
    if (!timeout) return tl::unexpected(timeout.error());
    if (*timeout <= Duration{0}) return fail(ErrorCode::kInvalid, "a time above 0", "--timeout");
    spec.components.push_back({"convoy", "convoy::Monitor", {"-p", fmt::format("timeout:={:.9f}", seconds(*timeout))}});
  }
  if (!arguments.record.empty()) spec.record = ros::BagSpec{.file = arguments.record};
  spec.arguments = a.ros_arguments;
  spec.prefixes = prefixes();
  if (a.start_time) {
    const auto start = time_of("--start-time", *a.start_time);
    if (!start) return tl::unexpected(start.error());
    spec.start = Instant(*start);
  }
  if (a.overdue_start) spec.built = Instant{};
  if (arguments.run.duration) {
    const auto duration = time_of("--duration", *arguments.run.duration);
    if (!duration) return tl::unexpected(duration.error());
    spec.duration = *duration;
  }
  spec.order = order_named(a.order.value_or("stable"));
  spec.seed = arguments.run.seed.value_or(1);
  auto delays = delays_of(a.delays);
  if (!delays) return tl::unexpected(delays.error());
  spec.delays = std::move(*delays);
  spec.log_level = 10 * (static_cast<int>(arguments.log_level) + 1);
  return spec;
}

int components(const Arguments& arguments, const std::atomic<bool>& interrupted) {
  auto spec = spec_of(arguments);
  if (!spec) return wrong(spec.error().message(), kUsage);
  auto made = ros::Job::make(*spec);
  if (!made) return wrong(made.error().message(), kUsage);
  ros::Job& job = **made;
  const Moment began = os::now();
  const Status ended = job.run([&] { return interrupted.load(); });
  const double wall = seconds(os::now() - began);
  const int code = !ended ? wrong(ended.error().message(), kFailed) : interrupted ? kInterrupted : job.exit_code();

  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  const std::vector<std::string> names = job.node_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back({{"library", spec->components[i].library}, {"class", spec->components[i].type}, {"node", names[i]}});
  const double simulated = seconds(job.simulated());
  fmt::print(stderr, "{} components, {} callbacks, {} messages; {:g} s simulated in {:.3g} s\n", names.size(), job.callbacks(),
             job.messages(), simulated, wall);
  return deliver({{"components", parts}, {"seed", spec->seed}, {"callbacks", job.callbacks()}, {"messages", job.messages()},
                  {"sim_s", simulated}, {"wall_s", wall}, {"digest", hex16(job.digest())}, {"exit_code", code}},
                 arguments, job.digest(), code);
}

}  // namespace

int job(const Arguments& arguments) {
  const JobArguments& a = arguments.job;
  const bool runs = !a.components.empty() || !a.play.empty();
  if (runs != a.benchmark.empty())
    return complain("a job is --component LIBRARY_OR_PACKAGE CLASS, --play BAG, or --benchmark (convoy job --help shows the options)", kUsage);
  if (!a.benchmark.empty() && (arguments.run.duration || arguments.run.seed || !a.delays.empty() || a.start_time ||
                               a.timeout || !arguments.record.empty()))
    return complain("the benchmark has its own --duration, --timeout, --seed, --delays and --start-time, and no --record", kUsage);
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  return a.benchmark.empty() ? components(arguments, interrupted) : determinism(arguments, interrupted);
}

}  // namespace convoy::apps
