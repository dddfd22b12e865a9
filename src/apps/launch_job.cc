#include "apps/launch_job.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cluster_engine.h"
#include "apps/file_tail.h"
#include "apps/launch_commands.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "apps/ros2.h"
#include "apps/server_words.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/port_secret.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr const char* kJobFile = "job.json";  // who runs it, under which name
constexpr const char* kJobs = "convoy-jobs";
constexpr const char* kRecording = "run.mcap";

constexpr Duration kLookEvery = std::chrono::milliseconds(300);  // at the server's words
constexpr Duration kLookAtOthers = std::chrono::seconds(2);      // at all ranks' files
constexpr Duration kAskEvery = std::chrono::seconds(3);          // the engine, how the job stands
constexpr Duration kObeyJob = std::chrono::seconds(30);          // from Ctrl-C to the job's cancellation
constexpr Duration kLeaveJob = std::chrono::seconds(60);         // from the server's end to the job's
constexpr std::size_t kTail = 8;                                 // lines of a lost rank's log that are shown
constexpr std::size_t kMaxJobs = 10'000;                         // in one folder

// ---- what is submitted

std::string job_name(const std::string& scenario) {
  std::string name = "convoy-" + fs::path(scenario).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return name.substr(0, 60);
}

// A folder that is not there yet.
std::string new_folder(const Arguments& a) {
  if (!a.cluster.folder.empty()) return fs::absolute(a.cluster.folder).lexically_normal().string();
  const std::string stem = fs::path(a.run.scenario).stem().string();
  for (std::size_t i = 1; i < kMaxJobs; ++i)
    if (const fs::path path = fs::absolute(fmt::format("{}/{}-{}", kJobs, stem, i)); !os::exists(path.string()))
      return path.string();
  return fs::absolute(fmt::format("{}/{}-{}", kJobs, stem, kMaxJobs)).string();
}

Status check_fits(const Arguments& a) {
  const auto no = [](const char* what, const char* why) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{} is of this machine, and --engine starts on others: {}", what, why));
  };
  if (a.web.on) return no("--web", "start convoy web beside the job, at the server's address");
  if (a.stream.on) return no("--viewer", "start convoy viewer beside the job, at the server's address");
  if (a.listen_given) return no("--listen", "`engine: {interface: ...}` says where the server listens");
  if (!a.log_dir.empty()) return no("--log-dir", "each process has a log in the job's folder");
  if (!a.credentials.audit.empty() || !a.trial.relay.empty()) return no("--audit", "start the processes by hand");
  return {};
}

// Whatever a rank reads it reads by absolute paths: it starts elsewhere.
Arguments for_ranks(Arguments a, const RankPlaces& places) {
  const auto absolute = [](std::string& path) { path = fs::absolute(path).lexically_normal().string(); };
  if (places.scenario.empty()) absolute(a.run.scenario);
  else a.run.scenario = places.scenario;
  for (std::string& folder : a.library_folders) absolute(folder);
  if (!a.credentials.file.empty()) absolute(a.credentials.file);
  if (!a.report.empty()) a.report = std::string("{attempt}/") + gang::kReport;
  if (!a.record.file.empty() && !places.recording_stays) a.record.file = std::string("{attempt}/") + kRecording;
  a.credentials.text.clear();
  return a;
}

gang::Gang gang_of(const Arguments& given, const scenario::Scenario& scenario, const RankPlaces& places) {
  const Arguments arguments = for_ranks(given, places);
  gang::Gang out;
  out.name = job_name(given.run.scenario);
  out.folder = new_folder(given);
  out.exe = places.exe;
  out.interface = scenario.run.cluster.interface;
  out.threads = given.threads;
  out.patience_s = given.trial.patience;
  const LaunchedRun run{arguments, scenario, places.exe, new_ros2_run()};
  const auto bound = [](std::vector<std::string> argv) {
    argv.insert(argv.end(), {"--bind", "{own}"});
    return argv;
  };
  out.ranks.push_back({"server", server_command(run, places.listen), {}});
  for (const std::string& name : scenario::client_names(scenario.run))
    out.ranks.push_back({name, bound(client_command(run, name, "{server}")), {}});
  for (const std::string& name : sensor_host_names(given.run.sensor_hosts))
    out.ranks.push_back({name, bound(sensor_host_command(run, name, "{server}")), {}});
  for (const scenario::Program& program : scenario.run.programs)
    if (!program.command.empty())
      out.ranks.push_back({program.name, program.command, {{"CONVOY_JOIN", "{server}/" + program.name}}});
  return out;
}

// Everything that ranks read. An error: nothing is left there. `secret`: empty: the engine hands it on.
Status make_folder(const gang::Gang& gang, const std::string& script, const std::string& script_name,
                   const std::string& secret) {
  if (auto ok = os::make_directories(fs::path(gang.folder).parent_path().string()); !ok) return ok;
  if (auto ok = os::make_private_directory(gang.folder); !ok) return ok;
  const auto write = [&]() -> Status {
    if (!secret.empty())
      if (auto ok = os::write_private_file(gang.folder + "/" + gang::kSecretFile, as_bytes(secret + "\n")); !ok)
        return ok;
    if (auto ok = os::write_file(gang.folder + "/" + gang::kGangFile, gang::text_of(gang)); !ok) return ok;
    return os::write_file(gang.folder + "/" + script_name, script);
  };
  const Status ok = write();
  std::error_code none;
  if (!ok) fs::remove_all(gang.folder, none);
  return ok;
}

// ---- what has been submitted

struct Job {
  std::string engine, job, folder, scenario;
};

// The engine's name of it, unless that is its folder, and a blank.
std::string shown(const Job& job) { return job.job == job.folder ? "" : job.job + " "; }

Status keep(const Job& job) {
  const nlohmann::json json{{"engine", job.engine}, {"job", job.job}, {"scenario", job.scenario}};
  return os::write_file(job.folder + "/" + kJobFile, json.dump(2) + "\n");
}

Result<Job> kept_job(const std::string& folder) {
  const std::string file = folder + "/" + kJobFile;
  const auto text = os::read_text(file);
  if (!text) return fail(ErrorCode::kNotFound, "'" + folder + "' is no folder of a job: " + text.error().message());
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  for (const char* field : {"engine", "job", "scenario"})
    if (!json.is_object() || !json.contains(field) || !json[field].is_string())
      return fail(ErrorCode::kInvalid, "does not say which job it is", file);
  return Job{json["engine"], json["job"], folder, json["scenario"]};
}

// The last attempt that has begun; -1: none.
int last_attempt(const std::string& folder) {
  int last = -1;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("attempt-")) last = std::max(last, std::atoi(name.c_str() + 8));
  }
  return last;
}

std::optional<gang::RankEnd> end_of(const std::string& attempt, const std::string& rank) {
  const auto text = os::read_text(gang::end_file(attempt, rank));
  if (!text) return {};
  const auto end = gang::parse_end(*text);
  return end ? *end : gang::RankEnd{kFailed, 0, "has ended"};
}

// Shows a job's run as convoy launch shows one of this machine.
class Follower {
 public:
  Follower(const Arguments& arguments, ClusterEngine& engine, gang::Gang gang, Job job, bool recording_stays,
           os::StderrLog& log)
      : arguments_(arguments),
        engine_(engine),
        gang_(std::move(gang)),
        job_(std::move(job)),
        recording_stays_(recording_stays),
        log_(log) {}
  int follow();

 private:
  struct Watched {
    FileTail log;
    bool ended = false;
  };
  void begin_attempt(int attempt);
  void look(Moment now);
  void look_at_others();
  void ask(Moment now);
  void obey(Moment now);
  Status ask_to_stop();
  void show(const std::string& rank, std::string_view line);
  bool over() const {
    return state_.phase == gang::JobPhase::kEnded || (server_end_ && os::now() - ended_at_ > kLeaveJob);
  }
  int result();
  Status fetch(const std::string& from, const std::string& to) const;
  int unfinished() const;

  const Arguments& arguments_;
  ClusterEngine& engine_;
  gang::Gang gang_;
  Job job_;
  bool recording_stays_;
  os::StderrLog& log_;
  std::atomic<bool> interrupted_{false};
  os::Supervisor sleep_;  // woken by signals
  FileTail batch_{gang_.folder + "/" + gang::kBatchLog};
  int attempt_ = -1;
  std::string folder_;  // of the attempt
  std::optional<FileTail> said_;
  std::vector<Watched> ranks_;
  ServerWords words_;
  gang::JobState state_;
  std::string shown_state_;
  std::optional<gang::RankEnd> server_end_;
  Moment asked_at_ = kNever, looked_at_ = kNever, ended_at_ = kNever, stopping_since_ = kNever;
  bool asked_to_stop_ = false, cancelled_ = false;
};

void Follower::begin_attempt(int attempt) {
  if (attempt > 0) log_.line(LogLevel::kWarn, fmt::format("the job begins again at tick 0: attempt {}", attempt));
  attempt_ = attempt;
  folder_ = gang::attempt_folder(gang_.folder, attempt);
  said_.emplace(gang::output_file(folder_, gang_.ranks[0].name));
  ranks_.clear();
  for (const gang::Rank& rank : gang_.ranks) ranks_.push_back({FileTail(gang::log_file(folder_, rank.name))});
  words_ = {};
  server_end_.reset();
}

void Follower::show(const std::string& rank, std::string_view line) {
  const std::string text(line);
  const bool ours = text.starts_with("convoy: ");
  const std::string bare = ours ? text.substr(8) : text;
  if (rank != gang_.ranks[0].name)
    return log_.line(warns_of_nodes(text) ? LogLevel::kWarn : LogLevel::kDebug, rank + ": " + bare);
  if (ours) log_.line(LogLevel::kInfo, bare);
  else os::print_error("{}\n", text);
}

void Follower::look_at_others() {
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    const std::string& name = gang_.ranks[i].name;
    ranks_[i].log.read([&](std::string_view line) { show(name, line); });
    if (ranks_[i].ended || stopping_since_ != kNever) continue;
    const auto end = end_of(folder_, name);
    ranks_[i].ended = end.has_value();
    if (!end || (end->status == 0 && end->signal == 0)) continue;
    log_.line(LogLevel::kWarn, name + " " + end->text);
    for (const std::string& line : ranks_[i].log.last(kTail)) os::print_error("  {}\n", line);
  }
}

void Follower::look(Moment now) {
  batch_.read([&](std::string_view line) {
    const bool news = !line.starts_with(gang::kAttemptLine);
    log_.line(news ? LogLevel::kWarn : LogLevel::kDebug, job_.engine + ": " + std::string(line));
  });
  if (const int last = last_attempt(gang_.folder); last > attempt_) begin_attempt(last);
  if (attempt_ < 0) return;
  const int port = words_.port;
  said_->read([&](std::string_view line) { words_.take(line); });
  if (port == 0 && words_.port != 0)
    if (const auto at = os::read_text(folder_ + "/" + gang::kServerAt))
      log_.line(LogLevel::kInfo, "server listens on " + at->substr(0, at->find('\n')));
  ranks_[0].log.read([&](std::string_view line) { show(gang_.ranks[0].name, line); });
  if (!server_end_ && (server_end_ = end_of(folder_, gang_.ranks[0].name)))
    ended_at_ = now, asked_at_ = kNever, looked_at_ = kNever;
  if (looked_at_ == kNever || now - looked_at_ >= kLookAtOthers) looked_at_ = now, look_at_others();
  if (words_.begun && !server_end_) log_.status(words_.progress, now);
}

void Follower::ask(Moment now) {
  const Duration pause = server_end_ ? std::chrono::milliseconds(500) : kAskEvery;
  if (asked_at_ != kNever && now - asked_at_ < pause) return;
  asked_at_ = now;
  const auto state = engine_.state(job_.job);
  if (!state) return log_.line(LogLevel::kWarn, state.error().message());  // it may come back
  state_ = *state;
  if (state_.phase == gang::JobPhase::kWaiting && state_.text() != shown_state_)
    log_.line(LogLevel::kInfo, "the job waits: " + state_.text());
  shown_state_ = state_.text();
}

Status Follower::ask_to_stop() {
  return engine_.shares_folder() ? os::write_file(folder_ + "/" + gang::kStop, "") : engine_.interrupt(job_.job);
}

void Follower::obey(Moment now) {
  if (!interrupted_ || cancelled_) return;
  const auto told = [&](const Status& ok) {
    if (!ok) log_.line(LogLevel::kWarn, ok.error().message());
  };
  if (stopping_since_ == kNever) {
    stopping_since_ = now, asked_at_ = kNever;
    log_.line(LogLevel::kInfo, "the run is asked to end; Ctrl-C once more leaves the job to itself");
  }
  const bool begun = attempt_ >= 0 && state_.phase == gang::JobPhase::kRunning;
  if (begun && now - stopping_since_ < kObeyJob) {
    if (!asked_to_stop_) told(ask_to_stop());
    asked_to_stop_ = true;
  } else {
    cancelled_ = true;
    told(engine_.cancel(job_.job));
  }
}

int Follower::follow() {
  os::Signals signals([this](int) {
    interrupted_ = true;
    sleep_.wake();
  });
  while (!over()) {
    const Moment now = os::now();
    engine_.bring(gang_, job_.job, gang_.folder, Bringing::kAsItComes);
    look(now);
    ask(now);
    obey(now);
    if (!over()) (void)sleep_.poll(kLookEvery);
  }
  engine_.bring(gang_, job_.job, gang_.folder, Bringing::kToTheEnd);
  look(os::now());
  if (attempt_ >= 0) look_at_others();
  log_.status("", os::now());
  if (state_.phase != gang::JobPhase::kEnded) (void)engine_.cancel(job_.job);  // a rank that does not leave
  if (auto ok = engine_.clear(job_.job); !ok) log_.line(LogLevel::kWarn, ok.error().message());
  return server_end_ ? result() : unfinished();
}

// The job has ended before its server.
int Follower::unfinished() const {
  if (stopping_since_ != kNever) return kInterrupted;
  std::string text = fmt::format("the job {}has ended before its run: {}", shown(job_), state_.text());
  if (attempt_ < 0 && !engine_.shares_folder()) return complain(text, kFailed);
  if (attempt_ < 0) text += fmt::format("; no process has written into {}: do all machines share it?", gang_.folder);
  else text += "; logs are in " + folder_;
  return complain(text, kFailed);
}

Status Follower::fetch(const std::string& from, const std::string& to) const {
  if (to.empty()) return {};
  const std::string source = folder_ + "/" + from;
  if (!os::exists(source)) return fail(ErrorCode::kNotFound, "the run has left no " + source);
  std::error_code error;
  fs::copy_file(source, to, fs::copy_options::overwrite_existing, error);
  if (error) return fail(ErrorCode::kUnavailable, "cannot copy " + source + ": " + error.message(), to);
  return {};
}

int Follower::result() {
  if (!words_.data.empty()) os::print("{}", words_.data);
  if (!words_.digest.empty()) os::print("{}\n", words_.digest);
  os::flush_stdout();
  int code = kOk;
  if (server_end_->status == kInterrupted || (interrupted_ && server_end_->signal != 0)) code = kInterrupted;
  else if (server_end_->status == kUsage) code = kUsage;
  else if (server_end_->status != 0 || server_end_->signal != 0)
    code = complain("the server " + server_end_->text + "; logs are in " + folder_, kFailed);
  if (code == kUsage || (code == kFailed && words_.digest.empty())) return code;  // there was no run
  const std::string record = recording_stays_ ? "" : arguments_.record.file;
  for (const auto& [from, to] : {std::pair{gang::kReport, arguments_.report}, std::pair{kRecording, record}})
    if (auto ok = fetch(from, to); !ok) code = complain(ok.error().message(), kFailed);
  return code;
}

// Whether a file can be written there, before a job has run for it.
Status try_output(const std::string& path) {
  if (path.empty()) return {};
  const auto file = os::OutputFile::open(path);
  return file ? Status{} : tl::unexpected<Error>(file.error());
}

}  // namespace

int launch_job(const Arguments& arguments, scenario::Scenario scenario, const std::string& exe, os::StderrLog& log) {
  const ClusterArguments& c = arguments.cluster;
  auto engine = cluster_engine(c.engine);
  if (!engine) return complain("--engine: " + engine.error().message(), kUsage);
  if (auto ok = check_fits(arguments); !ok) return complain(ok.error().message(), kUsage);
  if (!c.file.empty()) {
    auto told = scenario::load_engine_file(c.file, scenario.run.cluster);
    if (!told) return complain(told.error().message(), kUsage);
    scenario.run.cluster = std::move(*told);
  }
  const std::string settings = scenario.run.cluster.settings[c.engine];
  auto places = (*engine)->places(arguments, settings);
  if (!places) return complain(places.error().message(), kUsage);
  if (places->exe.empty()) places->exe = exe;
  gang::Gang gang = gang_of(arguments, scenario, *places);
  gang.files = places->files;
  const auto script = (*engine)->script(gang, settings);
  if (!script) return complain(script.error().message(), kUsage);
  if (c.dry_run) return os::print("{}", *script), os::flush_stdout(), kOk;
  for (const std::string& file : {arguments.report, places->recording_stays ? "" : arguments.record.file})
    if (auto ok = try_output(file); !ok) return complain(ok.error().message(), kUsage);
  if (auto ok = (*engine)->check(); !ok) return complain(ok.error().message(), kFailed);

  const std::string secret = arguments.credentials.text.empty() ? os::new_secret() : arguments.credentials.text;
  const bool shared = (*engine)->shares_folder();
  if (!shared) (*engine)->take_secret(secret);
  if (auto ok = make_folder(gang, *script, (*engine)->script_name(), shared ? secret : ""); !ok)
    return complain(ok.error().message(), kUsage);
  auto submitted = (*engine)->submit(gang.folder);
  if (!submitted) {
    std::error_code none;
    fs::remove_all(gang.folder, none);
    return complain(submitted.error().message(), kFailed);
  }
  const Job job{c.engine, *submitted, gang.folder, arguments.run.scenario};
  if (auto ok = keep(job); !ok) {
    (void)(*engine)->cancel(job.job);
    return complain(ok.error().message(), kFailed);
  }
  log.line(LogLevel::kInfo,
           fmt::format("{} job {}of {} processes, in {}", c.engine, shown(job), gang.ranks.size(), gang.folder));
  if (!c.detach) return Follower(arguments, **engine, gang, job, places->recording_stays, log).follow();
  os::print("{}\n", gang.folder);
  os::flush_stdout();
  return kOk;
}

namespace {

// A job that was submitted, as its engine knows it now.
struct FoundJob {
  Job job;
  std::unique_ptr<ClusterEngine> engine;
  gang::JobState state;
};
// Nothing, after a line: `code` is the exit code.
std::optional<FoundJob> find_job(const std::string& folder, int& code) {
  auto job = kept_job(folder);
  if (!job) return code = complain(job.error().message(), kUsage), std::nullopt;
  auto engine = cluster_engine(job->engine);
  if (!engine) return code = complain(engine.error().message(), kUsage), std::nullopt;
  auto state = (*engine)->state(job->job);
  if (!state) return code = complain(state.error().message(), kFailed), std::nullopt;
  return FoundJob{std::move(*job), std::move(*engine), std::move(*state)};
}

}  // namespace

int launch_status(const Arguments& arguments) {
  int code = kOk;
  const auto known = find_job(arguments.file, code);
  if (!known) return code;
  const auto& [job, engine, state] = *known;
  if (const auto text = os::read_text(job.folder + "/" + gang::kGangFile))
    if (const auto gang = gang::parse_gang(*text)) engine->bring(*gang, job.job, job.folder, Bringing::kToTheEnd);
  const int attempt = std::max(0, last_attempt(job.folder));
  const std::string folder = gang::attempt_folder(job.folder, attempt);
  ServerWords words;
  FileTail(gang::output_file(folder, "server")).read([&](std::string_view line) { words.take(line); });
  const auto end = end_of(folder, "server");
  const std::string run = end ? "the server " + end->text : words.begun ? words.progress : words.gathering;
  if (arguments.json) {
    const nlohmann::json out{
        {"engine", job.engine},
        {"job", job.job},
        {"state", state.state},
        {"reason", state.reason},
        {"attempt", attempt},
        {"run", run},
        {"scenario", job.scenario},
        {"digest", words.digest.empty() ? nlohmann::json() : nlohmann::json(words.digest.substr(7))}};
    os::print("{}\n", out.dump(2));
  } else {
    os::print("{} job {}{}\n", job.engine, job.job == fs::absolute(job.folder).lexically_normal() ? "" : job.job + ": ",
              state.text());
    if (!run.empty()) os::print("attempt {}: {}\n", attempt, run);
    if (!words.digest.empty()) os::print("{}\n", words.digest);
  }
  os::flush_stdout();
  return kOk;
}

int launch_cancel(const Arguments& arguments) {
  int code = kOk;
  const auto known = find_job(arguments.file, code);
  if (!known) return code;
  const auto& [job, engine, state] = *known;
  if (state.phase == gang::JobPhase::kEnded) {
    os::StderrLog(arguments.log_level).line(LogLevel::kInfo, "the job had ended already: " + state.text());
  } else if (auto ok = engine->cancel(job.job); !ok) {
    return complain(ok.error().message(), kFailed);
  }
  if (auto ok = engine->clear(job.job); !ok) return complain(ok.error().message(), kFailed);
  return kOk;
}

}  // namespace convoy::apps
