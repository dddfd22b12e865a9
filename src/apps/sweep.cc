// convoy sweep PLAN: the runs of a plan that are missing in its folder, made here or by a cluster, and the tables of all.
#include "apps/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>

#include "apps/prepare.h"
#include "apps/report.h"
#include "apps/scenario_files.h"
#include "apps/sweep_kept.h"
#include "apps/sweep_keys.h"
#include "apps/sweep_runs.h"
#include "apps/sweep_tasks.h"
#include "core/hash.h"
#include "os/clock.h"
#include "os/file_lock.h"
#include "os/machine.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "sweep/journal.h"
#include "sweep/metric.h"
#include "sweep/summary.h"
#include "sweep/tables.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr Duration kLookEvery = std::chrono::milliseconds(100);  // at an interrupt, and for the status line
constexpr Duration kTablesEvery = std::chrono::seconds(30);      // are written while it goes on
constexpr int kTablesShare = 20;                                 // at most so small a part of the time goes there
constexpr std::size_t kMostTold = 10;                            // lines about failed runs on the terminal

// Beside the plan, or as `convoy run` finds it.
Result<std::string> scenario_of(const sweep::Plan& plan) {
  if (plan.scenario.front() == '/') return plan.scenario;
  const std::string beside = (fs::path(plan.folder) / plan.scenario).lexically_normal().string();
  for (const std::string& path : {beside, beside + ".yaml"})
    if (os::exists(path) && !fs::is_directory(path)) return path;
  auto named = scenario_path(plan.scenario);
  if (!named) return fail(named.error().code, named.error().text, plan.file + ": scenario");
  return os::exists(*named) ? named
                            : fail(ErrorCode::kNotFound, "no file '" + plan.scenario + "'", plan.file + ": scenario");
}

Status check_metrics(const sweep::Plan& plan) {
  const auto sample = nlohmann::json::parse(RunReport{}.json());
  for (const sweep::Metric& metric : plan.metrics) {
    if (auto ok = sweep::check_metric(metric, sample); !ok) return fail(ok.error().code, ok.error().text, plan.file);
    if (metric.script.empty()) continue;
    const auto rights = fs::status(metric.script).permissions();
    if (!fs::is_regular_file(metric.script))
      return fail(ErrorCode::kNotFound, "no file '" + metric.script + "'",
                  plan.file + ": metrics." + metric.name + ".script");
    if ((rights & fs::perms::owner_exec) == fs::perms::none)
      return fail(ErrorCode::kInvalid, metric.script + " is no program: chmod +x makes it one",
                  plan.file + ": metrics." + metric.name + ".script");
  }
  return {};
}

std::string time_left(double s) {
  if (s < 90) return fmt::format("{:.0f} s left", std::ceil(s));
  if (s < 5400) return fmt::format("{:.0f} min left", std::ceil(s / 60));
  return fmt::format("{:.1f} h left", s / 3600);
}

class Sweep {
 public:
  Sweep(const Arguments& arguments, sweep::Plan plan, std::string scenario, std::string exe)
      : a_(arguments),
        plan_(std::move(plan)),
        scenario_(std::move(scenario)),
        kept_(arguments.sweep.out),
        log_(arguments.log_level),
        exe_(std::move(exe)) {}

  int run();

 private:
  int at_once() const { return a_.sweep.at_once > 0 ? a_.sweep.at_once : std::max(1, os::cores() / plan_.threads); }
  Status hire();     // who makes the runs
  Status prepare();  // folder, lock, journal
  Status make_missing();
  Status make_again(std::vector<std::uint64_t>& differ);
  bool same_again(const sweep::Outcome& before, const sweep::Outcome& again) const;
  // Runs those that `next` gives until it gives none, or an interrupt.
  Status make(const std::function<std::optional<std::uint64_t>()>& next, std::uint64_t all,
              const std::function<Status(const SweepWorkers::Ended&)>& ended);
  Status write_tables() {
    return sweep::write_tables(
        plan_, *journal_, [this](std::uint64_t i) { return keys_[i]; }, a_.sweep.out);
  }
  std::uint64_t scenario_hash() const {
    const auto file = os::read_file(scenario_);
    return file ? hash64(*file) : 0;
  }
  void tell(const SweepWorkers::Ended& ended);
  int close(const std::vector<std::uint64_t>& differ);

  const Arguments& a_;
  sweep::Plan plan_;
  std::string scenario_;
  KeptRuns kept_;
  os::StderrLog log_;
  std::string exe_;
  std::unique_ptr<SweepWorkers> runs_;
  std::uint64_t begun_with_ = 0;     // hash of the scenario's file: runs of another are not mixed in
  std::vector<std::uint64_t> keys_;  // of the plan's runs
  std::optional<os::FileLock> lock_;
  std::optional<sweep::Journal> journal_;
  std::atomic<bool> interrupted_{false};
  std::size_t told_ = 0;
};

Status Sweep::hire() {
  const std::string& engine = a_.cluster.engine;
  if (engine.empty()) {
    runs_ = std::make_unique<SweepRuns>(
        SweepRuns::Setting{plan_, a_, exe_, scenario_, a_.sweep.out, a_.sweep.out + "/making", at_once()});
    return {};
  }
  auto made = cluster_engine(engine);
  if (!made) return fail(made.error().code, "--engine: " + made.error().text);
  ScenarioArguments first = a_.run;  // of which the scenario's section is wanted, which no axis changes
  first.scenario = scenario_, first.set = plan_.settings_of(plan_.run(0));
  const auto scenario = load_scenario(first);
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  scenario::ClusterOptions told = scenario->run.cluster;
  if (!a_.cluster.file.empty()) {
    auto file = scenario::load_engine_file(a_.cluster.file, told);
    if (!file) return tl::unexpected(file.error());
    told = std::move(*file);
  }
  auto tasks = std::make_unique<SweepTasks>(
      SweepTasks::Setting{plan_, a_, exe_, scenario_, a_.sweep.out, told.settings[engine], log_}, std::move(*made));
  if (const auto script = tasks->script(keys_.size()); !script) return tl::unexpected(script.error());
  else if (a_.cluster.dry_run) os::print("{}", *script);
  runs_ = std::move(tasks);
  return {};
}

Status Sweep::prepare() {
  const std::string& folder = a_.sweep.out;
  if (auto ok = os::make_directories(folder); !ok) return ok;
  auto lock = os::FileLock::take(folder + "/lock");
  if (!lock) return fail(lock.error().code, lock.error().text, lock.error().code == ErrorCode::kState ? folder : "");
  lock_.emplace(std::move(*lock));
  if (auto ok = kept_.put_back_all(); !ok) return ok;
  const auto text = os::read_text(plan_.file);
  if (!text) return tl::unexpected(text.error());
  if (auto ok = os::write_file(folder + "/plan.yaml", *text); !ok) return ok;
  auto journal = sweep::Journal::open(folder + "/runs.jsonl", keys_);
  if (!journal) return tl::unexpected(journal.error());
  journal_.emplace(std::move(*journal));
  return take_in_jobs(folder, *journal_, log_);
}

Status Sweep::make(const std::function<std::optional<std::uint64_t>()>& next, std::uint64_t all,
                   const std::function<Status(const SweepWorkers::Ended&)>& ended) {
  const Moment begun = os::now();
  Moment tables = begun + kTablesEvery;
  std::uint64_t done = 0, failed = 0;
  std::optional<std::uint64_t> coming = next();
  while (!interrupted_ && (runs_->any() || coming)) {
    for (; coming && !runs_->full(); coming = next()) {
      if (scenario_hash() != begun_with_)
        return fail(ErrorCode::kState, "has changed while the sweep ran; the same command begins anew", scenario_);
      if (auto ok = runs_->start(*coming, keys_[*coming]); !ok) return ok;
    }
    const auto over = runs_->poll(kLookEvery);
    if (!over) return tl::unexpected(over.error());
    for (const SweepWorkers::Ended& one : *over) {
      ++done, failed += !one.outcome.done;
      if (auto ok = ended(one); !ok) return ok;
    }
    const Moment now = os::now();
    const std::string left =
        done == 0
            ? ""
            : ", " + time_left(seconds(now - begun) / static_cast<double>(done) * static_cast<double>(all - done));
    log_.status(fmt::format("{} of {} runs{}{}", done, all, failed > 0 ? fmt::format(", {} failed", failed) : "", left),
                now);
    if (now < tables) continue;
    if (auto ok = write_tables(); !ok) return ok;
    tables = os::now() + std::max<Duration>(kTablesEvery, kTablesShare * (os::now() - now));
  }
  log_.status("", os::now());
  return {};
}

void Sweep::tell(const SweepWorkers::Ended& ended) {
  if (ended.outcome.done || ++told_ > kMostTold) return;
  std::string line = fmt::format("run {} {}", ended.index, ended.outcome.error);
  if (!ended.outcome.log.empty()) line += "; " + ended.outcome.log.back();
  log_.line(LogLevel::kWarn, line);
}

Status Sweep::make_missing() {
  std::uint64_t missing = 0;
  for (const std::uint64_t key : keys_) missing += !journal_->done(key);
  if (missing < keys_.size())
    log_.line(LogLevel::kInfo, fmt::format("{} of {} runs are there", keys_.size() - missing, keys_.size()));
  std::uint64_t at = 0;
  const auto next = [&]() -> std::optional<std::uint64_t> {
    while (at < keys_.size() && journal_->done(keys_[at])) ++at;
    return at < keys_.size() ? std::optional(at++) : std::nullopt;
  };
  return make(next, missing, [&](const SweepWorkers::Ended& ended) {
    tell(ended);
    return journal_->add(ended.outcome);
  });
}

// In all that the digest determines.
bool Sweep::same_again(const sweep::Outcome& before, const sweep::Outcome& again) const {
  return before.done == again.done && before.digest == again.digest &&
         std::all_of(plan_.metrics.begin(), plan_.metrics.end(), [&](const sweep::Metric& m) {
           return !sweep::is_determined(m) || before.values.at(m.name) == again.values.at(m.name);
         });
}

// A part of the runs that are done once more, evenly over the plan; those that came to another digest, or to other values.
Status Sweep::make_again(std::vector<std::uint64_t>& differ) {
  std::vector<std::uint64_t> done;
  for (std::uint64_t i = 0; i < keys_.size(); ++i)
    if (journal_->done(keys_[i])) done.push_back(i);
  const auto part =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(done.size()) * a_.sweep.check_repeat / 100));
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < part; ++i) chosen.push_back(done[i * done.size() / part]);
  for (const std::uint64_t i : chosen)
    if (auto ok = kept_.set_aside(keys_[i]); !ok) return ok;
  std::uint64_t at = 0;
  const auto next = [&]() -> std::optional<std::uint64_t> {
    return at < part ? std::optional(chosen[at++]) : std::nullopt;
  };
  auto ok = make(next, part, [&](const SweepWorkers::Ended& ended) -> Status {
    const std::uint64_t key = keys_[ended.index];
    const auto before = journal_->outcome_of(key);
    if (!before) return tl::unexpected(before.error());
    const bool same = same_again(*before, ended.outcome);
    if (auto put = kept_.put_back(key, !same); !put || same) return put;
    differ.push_back(ended.index);
    log_.line(LogLevel::kError,
              fmt::format("run {} came to {} before, and to {} once more{}", ended.index,
                          before->digest.value_or("no digest"), ended.outcome.digest.value_or("no digest"),
                          plan_.keep.any() ? "; what is kept of that: " + kept_.again(key) : ""));
    return {};
  });
  if (ok && !interrupted_)
    log_.line(LogLevel::kInfo,
              fmt::format("{} runs were made once more, {} came to something else", part, differ.size()));
  return ok;
}

int Sweep::close(const std::vector<std::uint64_t>& differ) {
  const auto summary = sweep::summarize(plan_, a_.sweep.out);
  if (!summary) return complain(summary.error().message(), kFailed);
  if (a_.json) {
    os::print("{}\n", nlohmann::ordered_json{{"runs", summary->planned},
                                             {"done", summary->done},
                                             {"failed", summary->failed},
                                             {"missing", summary->missing()},
                                             {"differ", differ},
                                             {"folder", a_.sweep.out}}
                          .dump());
  } else {
    os::print("{} runs: {} done, {} failed, {} missing; {}/results.csv\n", summary->planned, summary->done,
              summary->failed, summary->missing(), a_.sweep.out);
  }
  if (interrupted_) return kInterrupted;
  for (const sweep::MetricSummary& metric : summary->metrics)
    if (summary->done > 0 && metric.all.count == 0)
      return complain("metrics." + metric.name + ": no run has a number there", kFailed);
  return summary->failed > 0 || !differ.empty() ? kFailed : kOk;
}

int Sweep::run() {
  begun_with_ = scenario_hash();
  const auto keys = sweep_keys(plan_, scenario_, a_);
  if (!keys) return complain(keys.error());
  keys_ = *keys;
  if (a_.sweep.list) {
    for (std::uint64_t i = 0; i < keys_.size(); ++i)
      os::print("{} {} {}\n", i, hex16(keys_[i]), fmt::join(plan_.settings_of(plan_.run(i)), " "));
    return kOk;
  }
  if (!a_.sweep.part.empty()) return sweep_part(a_, plan_, scenario_, exe_, keys_);
  if (auto ok = hire(); !ok) return complain(ok.error().message(), kUsage);
  if (a_.cluster.dry_run) return kOk;
  if (auto ok = prepare(); !ok) return complain(ok.error().message(), kUsage);
  os::Signals signals([&](int) { interrupted_ = true; });
  std::vector<std::uint64_t> differ;
  auto ok = make_missing();
  if (ok && !interrupted_ && a_.sweep.check_repeat > 0) ok = make_again(differ);
  runs_->stop();
  if (const auto put = kept_.put_back_all(); ok && !put) ok = put;
  if (const auto taken = take_in_jobs(a_.sweep.out, *journal_, log_); ok && !taken) ok = taken;
  if (const auto written = write_tables(); ok && !written) ok = written;
  if (!ok) return complain(ok.error().message(), kFailed);
  return close(differ);
}

}  // namespace

int sweep_run(const Arguments& arguments) {
  auto plan = sweep::read_plan(plan_path(arguments.sweep.plan));
  if (!plan) return complain(plan.error().message(), kUsage);
  for (const std::string& set : arguments.run.set) plan->settings.push_back(set);
  if (auto ok = check_metrics(*plan); !ok) return complain(ok.error().message(), kUsage);
  const auto scenario = scenario_of(*plan);
  if (!scenario) return complain(scenario.error().message(), kUsage);
  const auto exe = os::executable_path();
  if (!exe) return complain(exe.error().message(), kUsage);
  Arguments with = arguments;
  if (with.sweep.out.empty()) with.sweep.out = fs::path(plan->file).stem().string() + ".sweep";
  return Sweep(with, std::move(*plan), *scenario, *exe).run();
}

int sweep_show(const Arguments& arguments) {
  const std::string& folder = arguments.sweep.out;
  auto plan = sweep::read_plan(folder + "/plan.yaml");
  if (!plan) return complain(plan.error().message(), kUsage);
  auto summary = sweep::summarize(*plan, folder);
  if (!summary) return complain(summary.error().message(), kUsage);
  if (!arguments.sweep.page.empty()) {
    if (auto ok = os::write_file(arguments.sweep.page, sweep::page_of(*plan, *summary)); !ok)
      return complain(ok.error().message(), kFailed);
    os::print("{}\n", arguments.sweep.page);
    return kOk;
  }
  os::print("{}", sweep::text_of(*plan, *summary));
  return kOk;
}

}  // namespace convoy::apps
