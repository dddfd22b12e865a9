// convoy job: ROS 2 components from shared libraries, on simulated time.
#include <fmt/format.h>
#include <convoy_ros/benchmark.hpp>
#include <convoy_ros/job.hpp>
#include <convoy_ros/robot.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "apps/job_agents.h"
#include "apps/report.h"
#include "apps/software.h"
#include "core/hash.h"
#include "nodes/benchmark.h"
#include "nodes/delay_csv.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/signals.h"
#include "os/standard_streams.h"
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

TimerOrder order_named(const std::string& name) { return name == "rslcpp" ? TimerOrder::kRslcpp : TimerOrder::kStable; }

int wrong(const std::string& text, int code) { return complain(os::escape_line(text), code); }

// The report to its file and, with --json, to stdout; then the digest as the last line.
int deliver(const nlohmann::ordered_json& report, bool json, ReportFile& file, std::uint64_t digest, int code) {
  if (json) os::print("{}\n", report.dump(1));
  os::print("digest {}\n", hex16(digest));
  os::flush_stdout();
  if (!file) return code;
  const auto ok = file->write(as_bytes(report.dump(1) + "\n"));
  return ok ? code : wrong(ok.error().message(), kFailed);
}

bool in_agents(const Arguments& arguments) {
  const JobArguments& a = arguments.job;
  return a.copies > 1 || a.hosts > 1 || arguments.threads > 1 || !a.groups.empty() || a.cut > 0;
}

// Log lines of the run itself would be printed between those of the nodes.
struct Quiet final : Log {
  void line(LogLevel level, const std::string& text) override {
    if (level >= LogLevel::kWarn) complain(text, kFailed);
  }
};

// The benchmark in several agents: copies of it, each whole or cut into groups.
Result<std::vector<ros::DeterminismOutcome>> determinism_in_agents(const Arguments& arguments, const Case& c, bool cut,
                                                                   const std::atomic<bool>& interrupted) {
  const JobArguments& a = arguments.job;
  auto nodes = ros::DeterminismNodes::load(a.copies);
  if (!nodes) return tl::unexpected(nodes.error());
  JobAgentsSpec spec;
  spec.copies = a.copies, spec.hosts = a.hosts, spec.threads = arguments.threads;
  spec.rules.start = std::chrono::seconds(10);
  spec.rules.overdue_start = c.overdue;
  spec.rules.order = order_named(c.order);
  spec.rules.digest_messages = true;
  if (cut) {
    spec.tick = std::chrono::milliseconds(1);
    spec.rules.end = std::chrono::seconds(100);
    spec.rules.delays = ros::determinism_delays();
  }
  for (std::uint32_t group = cut ? 1 : 0; group <= (cut ? 2u : 0u); ++group) {
    JobGroup& made = spec.groups.emplace_back(JobGroup{cut ? "part" + std::to_string(group) : "benchmark", {}});
    for (const ros::Component& part : (*nodes)->components(group))
      made.components.push_back({part.library, part.type, part.arguments});
  }
  ros::RobotNodesOptions options;
  options.libraries.all = true;
  options.before_node = [&](const Entity& e) { (*nodes)->begin(cut ? e.kind->domain : e.kind->domain - 1); };
  ros::RobotNodes software(options);
  Quiet quiet;
  auto ran = run_agents(spec, software, quiet, interrupted);
  if (!ran) return tl::unexpected(ran.error());
  for (const Ending& e : ran->endings)
    if (!e.why.empty()) return fail(ErrorCode::kState, e.why, e.name);
  std::vector<ros::DeterminismOutcome> outcomes;
  for (std::size_t copy = 0; copy < a.copies; ++copy) {
    outcomes.push_back((*nodes)->outcome(copy));
    outcomes.back().digest = ran->digest;
  }
  return outcomes;
}

Result<std::vector<ros::DeterminismOutcome>> determinism_of(const Arguments& arguments, const Case& c, bool cut,
                                                            const std::atomic<bool>& interrupted) {
  if (in_agents(arguments)) return determinism_in_agents(arguments, c, cut, interrupted);
  auto alone = ros::run_determinism(order_named(c.order), c.overdue, [&] { return interrupted.load(); });
  if (!alone) return tl::unexpected(alone.error());
  return std::vector{*alone};
}

// With delays, cut into two groups, against the same delays in one agent.
std::vector<Case> cases_of(const Arguments& arguments, const std::atomic<bool>& interrupted,
                           std::optional<Error>& trouble) {
  const JobArguments& a = arguments.job;
  if (a.cut > 0) {
    auto whole = ros::run_determinism_delayed([&] { return interrupted.load(); });
    if (!whole) return trouble = whole.error(), std::vector<Case>{};
    return {{"stable", false, whole->combined, whole->callbacks, nullptr}};
  }
  std::vector<Case> cases;
  for (const Case& c : kCases)  // RSLCPP's own order is known with its own start alone
    if (!a.order || (*a.order == c.order && (*a.order != "stable" || a.overdue_start == c.overdue))) cases.push_back(c);
  return cases;
}

int determinism(const Arguments& arguments, const std::atomic<bool>& interrupted, ReportFile& report) {
  const JobArguments& a = arguments.job;
  if (a.cut > 0 && (a.order || a.overdue_start)) return complain("--cut has its own order and start", kUsage);
  if (a.overdue_start && !a.order) return complain("--overdue-start of the benchmark goes with --order stable", kUsage);
  const Moment began = os::now();
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  std::string table = fmt::format("{:<7} {:<8} {:>9} {:>20} {:>20} {:>20} {:>20} {:>20}\n", "order", "start",
                                  "callbacks", "A", "B", "C", "D", "combined");
  std::uint64_t digest = 0;
  bool all = true;
  std::optional<Error> trouble;
  for (const Case& c : cases_of(arguments, interrupted, trouble)) {
    auto are = determinism_of(arguments, c, a.cut > 0, interrupted);
    if (!are) return wrong(are.error().message(), kFailed);
    if (interrupted) return kInterrupted;
    const char* start = c.overdue ? "overdue" : "default";
    for (std::size_t copy = 0; copy < are->size(); ++copy) {
      const ros::DeterminismOutcome& is = (*are)[copy];
      const bool matches = as_known(c, is);
      if (!matches)
        complain(fmt::format("{}, {}, copy {}: {} after {} callbacks is not the known {} after {}", c.order, start,
                             copy, is.combined, is.callbacks, c.combined, c.callbacks),
                 kFailed);
      table += fmt::format("{:<7} {:<8} {:>9} {:>20} {:>20}\n", c.order, start, is.callbacks, fmt::join(is.states, " "),
                           is.combined);
      runs.push_back({{"order", c.order},
                      {"start", start},
                      {"copy", copy},
                      {"callbacks", is.callbacks},
                      {"states", is.states},
                      {"combined", is.combined},
                      {"digest", hex16(is.digest)},
                      {"matches", matches}});
      digest = is.digest, all = all && matches;
    }
  }
  if (trouble) return wrong(trouble->message(), kFailed);
  const int code = all ? kOk : kFailed;
  if (!arguments.json) os::print("{}", table);
  return deliver({{"benchmark", "determinism"},
                  {"copies", a.copies},
                  {"hosts", a.hosts},
                  {"threads", arguments.threads},
                  {"groups", std::max(a.cut, 1)},
                  {"runs", runs},
                  {"wall_s", seconds(os::now() - began)},
                  {"exit_code", code}},
                 arguments.json, report, digest, code);
}

// Our own benchmark: what it comes to is known, from every compiler.
int extended(const Arguments& arguments, const std::atomic<bool>& interrupted, ReportFile& report) {
  if (in_agents(arguments) || arguments.job.order || arguments.job.overdue_start)
    return complain("the extended benchmark runs in one agent, with its own order and start", kUsage);
  struct Known {
    bool delayed;
    std::uint64_t combined, callbacks;
  };
  static constexpr Known kKnown[] = {{false, 15010101733327664143u, 45543}, {true, 3943110897393561142u, 81997}};
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  std::uint64_t digest = 0;
  bool all = true;
  for (const Known& known : kKnown) {
    auto is = ros::run_extended(known.delayed, [&] { return interrupted.load(); });
    if (!is) return wrong(is.error().message(), kFailed);
    if (interrupted) return kInterrupted;
    const bool matches = is->combined == known.combined && is->callbacks == known.callbacks;
    const char* delays = known.delayed ? "delays" : "no delays";
    if (!matches)
      complain(fmt::format("{}: {} after {} callbacks is not the known {} after {}", delays, is->combined,
                           is->callbacks, known.combined, known.callbacks),
               kFailed);
    if (!arguments.json) os::print("{:<9} {:>6} callbacks  combined {}\n", delays, is->callbacks, is->combined);
    runs.push_back({{"delays", known.delayed},
                    {"callbacks", is->callbacks},
                    {"combined", is->combined},
                    {"digest", hex16(is->digest)},
                    {"matches", matches}});
    digest = is->digest, all = all && matches;
  }
  const int code = all ? kOk : kFailed;
  return deliver({{"benchmark", "extended"}, {"runs", runs}, {"exit_code", code}}, arguments.json, report, digest,
                 code);
}

// The rules of a delay file; traces, as TOPIC=FILE, are for its MEASURED rows.
Result<std::vector<DelayRule>> delays_of(const JobArguments& a) {
  nodes::DelayTraces traces;
  for (const std::string& given : a.traces) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == given.size())
      return fail(ErrorCode::kInvalid, "'" + given + "' is not TOPIC=FILE", "--trace");
    const std::string file = given.substr(equals + 1);
    auto text = os::read_text(file);
    if (!text) return tl::unexpected(text.error());
    auto trace = nodes::parse_delay_trace(*text, file);
    if (!trace) return tl::unexpected(trace.error());
    traces[given.substr(0, equals)] = std::move(*trace);
  }
  if (a.delays.empty()) {
    if (!traces.empty()) return fail(ErrorCode::kInvalid, "a trace is for a MEASURED row of --delays", "--trace");
    return std::vector<DelayRule>{};
  }
  auto text = os::read_text(a.delays);
  if (!text) return tl::unexpected(text.error());
  return nodes::parse_delay_csv(*text, a.delays, traces);
}

Result<Duration> time_of(const char* option, const std::string& text) {
  auto time = nodes::parse_duration(text);
  if (!time) return fail(ErrorCode::kInvalid, time.error().text, option);
  return *time;
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
  if (!arguments.record.file.empty()) spec.record = ros::BagSpec{.file = arguments.record.file};
  spec.arguments = a.ros_arguments;
  spec.prefixes = ament_prefixes();
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
  auto delays = delays_of(a);
  if (!delays) return tl::unexpected(delays.error());
  spec.delays = std::move(*delays);
  spec.log_level = 10 * (static_cast<int>(arguments.log_level) + 1);
  return spec;
}

int components(const Arguments& arguments, const std::atomic<bool>& interrupted, ReportFile& report) {
  auto spec = spec_of(arguments);
  if (!spec) return wrong(spec.error().message(), kUsage);
  auto made = ros::Job::make(*spec);
  if (!made) return wrong(made.error().message(), kUsage);
  ros::Job& job = **made;
  const Moment began = os::now();
  // Progress is for people at a terminal; the clock is asked now and then.
  os::StderrLog log(arguments.log_level);
  std::uint64_t asked = 0;
  const Status ended = job.run([&] {
    if ((++asked & 1023) == 0) {
      const double done = seconds(job.simulated());
      log.status(spec->duration ? fmt::format("{:.1f} of {:g} s simulated", done, seconds(*spec->duration))
                                : fmt::format("{:.1f} s simulated", done),
                 os::now());
    }
    return interrupted.load();
  });
  log.status("", os::now());
  const double wall = seconds(os::now() - began);
  const int code = !ended ? wrong(ended.error().message(), kFailed) : interrupted ? kInterrupted : job.exit_code();

  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  const std::vector<std::string> names = job.node_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(
        {{"library", spec->components[i].library}, {"class", spec->components[i].type}, {"node", names[i]}});
  const double simulated = seconds(job.simulated());
  os::print_error("{} components, {} callbacks, {} messages; {:g} s simulated in {:.3g} s\n", names.size(),
                  job.callbacks(), job.messages(), simulated, wall);
  return deliver({{"components", parts},
                  {"seed", spec->seed},
                  {"callbacks", job.callbacks()},
                  {"messages", job.messages()},
                  {"sim_s", simulated},
                  {"wall_s", wall},
                  {"digest", hex16(job.digest())},
                  {"exit_code", code}},
                 arguments.json, report, job.digest(), code);
}

// The least that messages between groups take, or an error that names the rule without one.
Result<Duration> least_delay(const std::vector<DelayRule>& rules) {
  std::optional<Duration> least;
  for (const DelayRule& rule : rules) {
    Duration low = rule.delay.low;
    if (rule.delay.kind == Delay::Kind::kTrace)
      low = *std::min_element(rule.delay.samples.begin(), rule.delay.samples.end());
    if (rule.delay.kind == Delay::Kind::kNormal || low < std::chrono::microseconds(2))
      return fail(ErrorCode::kInvalid, "groups are joined by delays of at least 2 us; this one may be shorter",
                  rule.where);
    least = std::min(least.value_or(low), low);
  }
  return least.value_or(std::chrono::milliseconds(2));
}

// The components are those of the command line, with a player before and a monitor behind, if options ask for them.
std::string group_of(const JobArguments& a, std::size_t i, const ros::JobSpec& job) {
  const std::size_t first = a.play.empty() ? 0 : 1;
  if (i < first || i - first >= a.components.size() || job.components.empty()) return a.groups.front();
  return a.components[i - first].group;
}

Result<JobAgentsSpec> agents_spec(const Arguments& arguments, const ros::JobSpec& job) {
  const JobArguments& a = arguments.job;
  JobAgentsSpec spec;
  spec.copies = a.copies, spec.hosts = a.hosts, spec.threads = arguments.threads, spec.seed = job.seed;
  spec.rules.start = job.start.value_or(Instant{}).time_since_epoch();
  spec.rules.overdue_start = a.overdue_start;
  spec.rules.order = job.order;
  spec.rules.digest_messages = true;
  spec.rules.end = job.duration.value_or(Duration(-1));
  spec.rules.delays = job.delays;
  for (const std::string& name : a.groups.empty() ? std::vector<std::string>{"job"} : a.groups) {
    JobGroup& group = spec.groups.emplace_back(JobGroup{name, {}});
    for (std::size_t i = 0; i < job.components.size(); ++i)  // what the options add goes to the first group
      if (a.groups.empty() || group_of(a, i, job) == name)
        group.components.push_back({job.components[i].library, job.components[i].type, job.components[i].arguments});
    if (!valid_name(name))
      return fail(ErrorCode::kInvalid, "'" + name + "' is no name: letters, digits and _, a letter first", "--group");
    if (group.components.empty())
      return fail(ErrorCode::kInvalid, "the group '" + name + "' has no components", "--group");
  }
  if (a.groups.size() > 1) {
    if (!job.duration) return fail(ErrorCode::kInvalid, "groups need an end, as --duration 10s", "--group");
    const auto least = least_delay(job.delays);
    if (!least) return tl::unexpected(least.error());
    spec.tick = *least / 2;
  }
  if (a.tick) {
    const auto tick = time_of("--tick", *a.tick);
    if (!tick) return tl::unexpected(tick.error());
    if (*tick < std::chrono::microseconds(1)) return fail(ErrorCode::kInvalid, "a tick is at least 1 us", "--tick");
    spec.tick = *tick;
  }
  return spec;
}

int agents(const Arguments& arguments, const std::atomic<bool>& interrupted, ReportFile& report) {
  if (!arguments.record.file.empty()) return complain("--record writes one file, of a job in one agent", kUsage);
  auto job = spec_of(arguments);
  if (!job) return wrong(job.error().message(), kUsage);
  // Made once in one agent: what is wrong with it is reported before anything runs, and a player gives when it begins.
  {
    auto made = ros::Job::make(*job);
    if (!made) return wrong(made.error().message(), kUsage);
    job->start = (*made)->start();
  }
  auto spec = agents_spec(arguments, *job);
  if (!spec) return wrong(spec.error().message(), kUsage);
  ros::RobotNodesOptions options{
      job->prefixes, job->log_level, job->arguments, {}, {.all = true}};  // named by the user
  ros::RobotNodes software(options);
  const Moment began = os::now();
  Quiet quiet;
  auto ran = run_agents(*spec, software, quiet, interrupted);
  if (!ran) return wrong(ran.error().message(), kFailed);
  const double wall = seconds(os::now() - began), simulated = seconds(ran->simulated);
  int code = interrupted ? kInterrupted : kOk;
  nlohmann::ordered_json endings = nlohmann::ordered_json::array(), parts = nlohmann::ordered_json::array();
  for (const Ending& e : ran->endings) {
    if (!e.why.empty()) wrong(e.name + ": " + e.why, e.exit_code);
    if (code == kOk) code = e.exit_code;
    endings.push_back({{"name", e.name}, {"exit_code", e.exit_code}, {"error", e.why}});
  }
  if (code == kUsage) return code;  // an agent's nodes could not be made
  std::uint64_t callbacks = 0, messages = 0;
  for (const auto& agent : ran->agents) {
    callbacks += agent.callbacks, messages += agent.published;
    parts.push_back({{"name", agent.name},
                     {"callbacks", agent.callbacks},
                     {"messages", agent.published},
                     {"digest", hex16(agent.digest)}});
  }
  for (std::size_t i = spec->groups.size(); i < ran->agents.size(); ++i)
    if (const auto& first = ran->agents[i % spec->groups.size()]; ran->agents[i].digest != first.digest) {
      complain("the copies " + first.name + " and " + ran->agents[i].name + " differ: their components share something",
               kFailed);
      break;
    }
  os::print_error("{} agents on {} hosts x {} threads, {} callbacks, {} messages; {:g} s simulated in {:.3g} s\n",
                  ran->agents.size(), spec->hosts, spec->threads, callbacks, messages, simulated, wall);
  return deliver({{"copies", spec->copies},
                  {"groups", spec->groups.size()},
                  {"hosts", spec->hosts},
                  {"threads", spec->threads},
                  {"seed", spec->seed},
                  {"agents", parts},
                  {"ended", endings},
                  {"callbacks", callbacks},
                  {"messages", messages},
                  {"sim_s", simulated},
                  {"wall_s", wall},
                  {"digest", hex16(ran->digest)},
                  {"exit_code", code}},
                 arguments.json, report, ran->digest, code);
}

}  // namespace

int job(const Arguments& arguments) {
  const JobArguments& a = arguments.job;
  const bool runs = !a.components.empty() || !a.play.empty();
  if (runs != a.benchmark.empty())
    return complain(
        "a job is --component LIBRARY_OR_PACKAGE CLASS, --play BAG, or --benchmark (convoy job --help shows the "
        "options)",
        kUsage);
  if (!a.benchmark.empty() && (arguments.run.duration || arguments.run.seed || !a.delays.empty() || a.start_time ||
                               a.timeout || !arguments.record.file.empty()))
    return complain(
        "the benchmark has its own --duration, --timeout, --seed, --delays and --start-time, and no --record", kUsage);
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  if (a.cut > 0 && a.benchmark.empty())
    return complain("--cut is for the benchmark; a job's parts are named by --group", kUsage);
  auto report = report_to(arguments.report);
  if (!report) return wrong(report.error().message(), kUsage);
  if (!a.benchmark.empty())
    return a.benchmark == "extended" ? extended(arguments, interrupted, *report)
                                     : determinism(arguments, interrupted, *report);
  return in_agents(arguments) ? agents(arguments, interrupted, *report) : components(arguments, interrupted, *report);
}

}  // namespace convoy::apps
