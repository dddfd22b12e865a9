#include "apps/sweep_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/hash.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/signals.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "runs.txt";
constexpr const char* kSubmitted = "job";             // engine and number, a word each
constexpr std::size_t kFewTasks = 200;                // of a job, unless it is said how many runs each makes
constexpr Duration kTold = std::chrono::seconds(2);   // from a run's end by a signal to ours by the same
constexpr Duration kGone = std::chrono::seconds(30);  // for a cancelled job to end

std::string jobs_of(const std::string& folder) { return folder + "/jobs"; }
std::string done_file(const std::string& job, std::size_t task) { return fmt::format("{}/done-{}.jsonl", job, task); }

struct Listed {
  std::uint64_t index = 0, key = 0;
};

// Of a task: `per` lines from its first one on.
Result<std::vector<Listed>> runs_of(const std::string& job, std::size_t task, std::size_t per) {
  const std::string file = job + "/" + kRuns;
  std::ifstream in(file);
  if (!in)
    return fail(
        ErrorCode::kNotFound,
        fmt::format("is not to be read on {}: the sweep's folder must be shared by all machines", os::host_name()),
        file);
  std::vector<Listed> out;
  std::string line;
  for (std::size_t at = 0; out.size() < per && std::getline(in, line); ++at) {
    if (at < task * per) continue;
    Listed one;
    if (std::sscanf(line.c_str(), "%lu %lx", &one.index, &one.key) != 2)
      return fail(ErrorCode::kInvalid, "is no list of runs", file);
    out.push_back(one);
  }
  return out;
}

std::optional<std::size_t> task_number() {
  for (const char* name : {"CONVOY_TASK", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      return static_cast<std::size_t>(std::strtoul(value, nullptr, 10));
  return {};
}

// Ends a job that may still run, and waits for that.
void end_job(ClusterEngine& engine, const std::string& job, Log& log) {
  const auto ended = [&] {
    const auto state = engine.state(job);
    if (!state || state->phase != gang::JobPhase::kEnded) return false;
    if (auto ok = engine.clear(job); !ok) log.line(LogLevel::kWarn, ok.error().message());
    return true;
  };
  if (ended()) return;
  if (auto ok = engine.cancel(job); !ok) log.line(LogLevel::kWarn, ok.error().message());
  os::Supervisor sleep;
  for (const Moment end = os::now() + kGone; os::now() < end; (void)sleep.poll(std::chrono::milliseconds(300)))
    if (ended()) return;
  log.line(LogLevel::kWarn, "job " + job + " does not end");
}

}  // namespace

Status SweepTasks::start(std::uint64_t index, std::uint64_t key) {
  waiting_[key] = index;
  fresh_.emplace_back(index, key);
  return {};
}

std::size_t SweepTasks::runs_of_task(std::size_t runs) const {
  const std::size_t asked = static_cast<std::size_t>(s_.arguments.sweep.runs_per_task);
  const std::size_t most_tasks = asked > 0 ? gang::kMaxTasks : kFewTasks;
  return std::max({std::size_t{1}, asked, (runs + most_tasks - 1) / most_tasks});
}

gang::Tasks SweepTasks::tasks(std::size_t runs, const std::string& folder) const {
  const Arguments& a = s_.arguments;
  const auto absolute = [](const std::string& path) { return fs::absolute(path).lexically_normal().string(); };
  const std::size_t per = runs_of_task(runs);
  gang::Tasks out;
  out.name = "convoy-sweep", out.folder = folder;
  out.count = (runs + per - 1) / per;
  out.at_once = static_cast<std::size_t>(std::max(0, a.sweep.at_once));
  out.cores = s_.plan.threads;
  out.argv = {s_.exe,
              "sweep",
              "run",
              absolute(s_.plan.file),
              "--out",
              absolute(s_.folder),
              "--part",
              folder,
              "--runs-per-task",
              std::to_string(per),
              "--log-level",
              "warn"};
  for (const std::string& set : a.run.set) out.argv.insert(out.argv.end(), {"--set", set});
  for (const std::string& library : a.library_folders)
    out.argv.insert(out.argv.end(), {"--allow-library", absolute(library)});
  if (a.run.trust) out.argv.emplace_back("--trust");
  if (a.run.strict_threads) out.argv.emplace_back("--strict-threads");
  return out;
}

Result<std::string> SweepTasks::script(std::size_t runs) const {
  return engine_->script(tasks(runs, fs::absolute(jobs_of(s_.folder) + "/1").lexically_normal().string()), s_.settings);
}

Status SweepTasks::submit() {
  if (auto ok = engine_->check(); !ok) return ok;
  std::string folder;
  for (int number = 1; folder.empty() || os::exists(folder); ++number)
    folder = fs::absolute(fmt::format("{}/{}", jobs_of(s_.folder), number)).lexically_normal().string();
  const gang::Tasks what = tasks(fresh_.size(), folder);
  const auto script = engine_->script(what, s_.settings);
  if (!script) return tl::unexpected(script.error());
  if (auto ok = os::make_directories(folder); !ok) return ok;
  std::string runs;
  for (const auto& [index, key] : fresh_) runs += fmt::format("{} {}\n", index, hex16(key));
  if (auto ok = os::write_file(folder + "/" + kRuns, runs); !ok) return ok;
  if (auto ok = os::write_file(folder + "/" + engine_->script_name(), *script); !ok) return ok;
  const auto job = engine_->submit(folder);
  if (!job) {
    std::error_code none;
    fs::remove_all(folder, none);
    return tl::unexpected(job.error());
  }
  job_ = *job, folder_ = folder, state_ = {}, asked_at_ = os::now();
  if (auto ok = os::write_file(folder + "/" + kSubmitted, s_.arguments.cluster.engine + " " + job_ + "\n"); !ok)
    return ok;
  done_.clear();
  for (std::size_t i = 0; i < what.count; ++i) done_.emplace_back(done_file(folder, i));
  s_.log.line(LogLevel::kInfo, fmt::format("{} job {} of {} tasks for {} runs, in {}", s_.arguments.cluster.engine,
                                           job_, what.count, fresh_.size(), folder));
  fresh_.clear();
  return {};
}

Status SweepTasks::ask() {
  if (state_.phase == gang::JobPhase::kEnded || os::now() - asked_at_ < kAskEvery) return {};
  asked_at_ = os::now();
  const auto state = engine_->state(job_);
  if (!state) return s_.log.line(LogLevel::kWarn, state.error().message()), Status{};  // it may come back
  state_ = *state;
  return {};
}

Result<std::vector<SweepWorkers::Ended>> SweepTasks::poll(Duration wait) {
  if (!fresh_.empty())
    if (auto ok = submit(); !ok) return tl::unexpected(ok.error());
  if (auto ok = ask(); !ok) return tl::unexpected(ok.error());
  const bool ended = state_.phase == gang::JobPhase::kEnded;  // before the files are read
  std::vector<Ended> out;
  for (FileTail& file : done_)
    file.read([&](std::string_view line) {
      auto outcome = sweep::parse_outcome(line);
      const auto run = outcome ? waiting_.find(outcome->key) : waiting_.end();
      if (run == waiting_.end()) return;
      out.push_back({run->second, std::move(*outcome)});
      waiting_.erase(run);
    });
  if (!out.empty() || waiting_.empty()) return out;
  if (!ended) {
    os::Supervisor sleep;
    (void)sleep.poll(std::max<Duration>(wait, std::chrono::milliseconds(300)));
    return out;
  }
  std::string why;
  for (const std::string& line : FileTail(folder_ + "/" + gang::kBatchLog).last(1)) why = "; " + line;
  return fail(
      ErrorCode::kUnavailable,
      fmt::format("job {} has ended ({}) and has not made {} of its runs{}; the same command makes those that are "
                  "missing",
                  job_, state_.text(), waiting_.size(), why));
}

void SweepTasks::stop() {
  if (!job_.empty() && !waiting_.empty()) end_job(*engine_, job_, s_.log);
  waiting_.clear(), fresh_.clear();
}

Status take_in_jobs(const std::string& folder, sweep::Journal& journal, Log& log) {
  std::error_code none;
  for (const auto& place : fs::directory_iterator(jobs_of(folder), none)) {
    const std::string job = place.path().string();
    if (const auto text = os::read_text(job + "/" + kSubmitted)) {
      const std::size_t blank = text->find(' ');
      if (auto engine = cluster_engine(text->substr(0, blank)); engine && blank != text->npos)
        end_job(**engine, text->substr(blank + 1, text->size() - blank - 2), log);
    }
    for (const auto& file : fs::directory_iterator(job, none)) {
      if (!file.path().filename().string().starts_with("done-")) continue;
      Status ok;
      FileTail(file.path().string()).read([&](std::string_view line) {
        const auto outcome = sweep::parse_outcome(line);
        if (!ok || !outcome || !journal.is_of(outcome->key)) return;
        if (!journal.known(outcome->key) || (outcome->done && !journal.done(outcome->key))) ok = journal.add(*outcome);
      });
      if (!ok) return ok;
    }
    fs::remove_all(job, none);
  }
  return {};
}

int sweep_part(const Arguments& a, const sweep::Plan& plan, const std::string& scenario, const std::string& exe,
               const std::vector<std::uint64_t>& keys) {
  const std::string& job = a.sweep.part;
  const auto task = task_number();
  if (!task) return complain("no engine says which task this is", kUsage);
  const auto listed = runs_of(job, *task, static_cast<std::size_t>(a.sweep.runs_per_task));
  if (!listed) return complain(listed.error().message(), kFailed);
  std::vector<std::uint64_t> own;
  for (const Listed& one : *listed) {
    if (one.index >= keys.size() || keys[one.index] != one.key)
      return complain(
          fmt::format("run {} is another one on {} than where the sweep was started: the build, the scenario "
                      "or a file that it names differs",
                      one.index, os::host_name()),
          kFailed);
    own.push_back(one.key);
  }
  auto journal = sweep::Journal::open(done_file(job, *task), own);  // a task that is begun again goes on
  if (!journal) return complain(journal.error().message(), kFailed);
  SweepRuns runs({plan, a, exe, scenario, a.sweep.out, fmt::format("{}/making-{}", job, *task),
                  std::max(1, os::cores() / plan.threads)});
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) { interrupted = true; });
  // Whoever ends this task may end its runs as well, and sooner than we hear of it: these count as never begun.
  os::Supervisor sleep;
  const auto ended_with_us = [&](const sweep::Outcome& outcome) {
    const bool struck = !outcome.done && outcome.exit_code.value_or(kInterrupted) == kInterrupted;
    for (const Moment end = os::now() + kTold; struck && !interrupted && os::now() < end;)
      (void)sleep.poll(std::chrono::milliseconds(20));
    return struck && interrupted;
  };
  Status ok;
  for (std::size_t next = 0; ok && !interrupted && (next < listed->size() || runs.any());) {
    for (; ok && next < listed->size() && !runs.full(); ++next)
      if (const Listed& one = (*listed)[next]; !journal->known(one.key)) ok = runs.start(one.index, one.key);
    if (!ok || !runs.any()) continue;
    const auto ended = runs.poll(std::chrono::milliseconds(100));
    if (!ended) ok = tl::unexpected(ended.error());
    for (std::size_t i = 0; ok && i < ended->size(); ++i)
      if (const sweep::Outcome& outcome = (*ended)[i].outcome; !ended_with_us(outcome)) ok = journal->add(outcome);
  }
  runs.stop();
  if (!ok) return complain(ok.error().message(), kFailed);
  return interrupted ? kInterrupted : kOk;
}

}  // namespace convoy::apps
