#include "apps/sweep_runs.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "apps/file_tail.h"
#include "apps/flag_variables.h"
#include "apps/sweep_kept.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "sweep/metric.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPrinted = 1u << 20;              // bytes that a script prints
constexpr Duration kFarewell = std::chrono::seconds(2);     // from SIGTERM to SIGKILL
constexpr Duration kFarOff = std::chrono::hours(24 * 365);  // where there is no time limit

Status put_into_place(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return fail(ErrorCode::kUnavailable, error.message(), to);
  return {};
}

// What is there of its log: the captured lines, or the end of the file.
std::vector<std::string> last_lines_of(const os::Death& death, const std::string& log) {
  if (!death.last_lines.empty() || !os::exists(log)) return death.last_lines;
  return FileTail(log).last(sweep::kLogTail);
}

// As an engine calls this machine, which may have several names.
std::string node_name() {
  for (const char* name : {"CONVOY_NODE", "SLURMD_NODENAME"})
    if (const char* given = std::getenv(name); given != nullptr && *given != '\0') return given;
  return os::host_name();
}

void forget(const std::string& path) {
  std::error_code none;
  fs::remove_all(path, none);
}

}  // namespace

SweepRuns::SweepRuns(Setting setting) : s_(std::move(setting)) {
  for (const sweep::Metric& m : s_.plan.metrics)
    if (!m.script.empty() && std::find(scripts_.begin(), scripts_.end(), m.script) == scripts_.end())
      scripts_.push_back(m.script);
}

Status SweepRuns::start(std::uint64_t index, std::uint64_t key) {
  const std::string name = fmt::format("run {}", index);
  Slot& slot = slots_[name];
  slot.run.index = index, slot.run.outcome.key = key;
  slot.folder = fmt::format("{}/{}", s_.making, index);
  return begin(slot);
}

Status SweepRuns::begin(Slot& slot) {
  forget(slot.folder);
  if (auto ok = os::make_directories(slot.folder); !ok) return ok;
  sweep::Outcome fresh;
  fresh.key = slot.run.outcome.key, fresh.attempts = slot.run.outcome.attempts + 1, fresh.node = node_name();
  slot.run.outcome = std::move(fresh);
  slot.report = nullptr, slot.script = 0;
  std::vector<std::string> argv{s_.exe,
                                "run",
                                s_.scenario,
                                "--report",
                                slot.folder + "/report.json",
                                "--log-level",
                                "warn",
                                "--threads",
                                std::to_string(s_.plan.threads)};
  for (const std::string& setting : s_.plan.settings_of(s_.plan.run(slot.run.index)))
    argv.insert(argv.end(), {"--set", setting});
  if (s_.plan.keep.recording || s_.plan.has_scripts()) argv.insert(argv.end(), {"--record", slot.folder + "/run.mcap"});
  for (const std::string& folder : s_.arguments.library_folders) argv.insert(argv.end(), {"--allow-library", folder});
  if (s_.arguments.run.trust) argv.emplace_back("--trust");
  if (s_.arguments.run.strict_threads) argv.emplace_back("--strict-threads");
  return spawn(slot, std::move(argv), false);
}

Status SweepRuns::spawn(Slot& slot, std::vector<std::string> argv, bool is_script) {
  slot.begun = os::now();
  slot.due = slot.begun + (s_.plan.time_limit > Duration{0} ? s_.plan.time_limit : kFarOff);
  slot.late = false;
  slot.printed.clear();
  os::ChildOptions child;
  child.name = fmt::format("run {}", slot.run.index);
  child.argv = std::move(argv);
  for (const char* variable : kFlagVariables) child.environment.emplace_back(variable, "");
  if (is_script) {
    child.on_line = [printed = &slot.printed](std::string_view line, bool to_stderr) {
      if (!to_stderr && printed->size() < kMostPrinted) printed->append(line).append("\n");
    };
  } else {
    child.out = os::Output::kDiscard;  // its digest is in its report
    if (s_.plan.keep.log) child.err = os::Output::kFile, child.err_file = slot.folder + "/log.txt";
  }
  return family_.start(std::move(child));
}

void SweepRuns::end_those_that_are_late() {
  const Moment now = os::now();
  for (auto& [name, slot] : slots_) {
    if (now < slot.due) continue;
    family_.signal(name, slot.late ? SIGKILL : SIGTERM);
    slot.late = true, slot.due = now + kFarewell;
  }
}

Result<std::vector<SweepWorkers::Ended>> SweepRuns::poll(Duration wait) {
  for (const auto& [name, slot] : slots_) wait = std::min(wait, std::max(slot.due - os::now(), Duration{0}));
  const std::vector<os::Death> deaths = family_.poll(wait);
  std::vector<Ended> out;
  for (const os::Death& death : deaths) {
    const auto slot = slots_.find(death.name);
    if (slot == slots_.end()) continue;
    const auto over = take(slot->second, death);
    if (!over) return tl::unexpected(over.error());
    if (!*over) continue;
    out.push_back(std::move(slot->second.run));
    forget(slot->second.folder);
    slots_.erase(slot);
  }
  end_those_that_are_late();
  return out;
}

void SweepRuns::take_run(Slot& slot, const os::Death& death) {
  sweep::Outcome& outcome = slot.run.outcome;
  outcome.process_s = seconds(os::now() - slot.begun);
  if (const auto text = os::read_text(slot.folder + "/report.json"))
    slot.report = nlohmann::json::parse(*text, nullptr, false);
  if (!slot.report.is_object()) slot.report = nullptr;
  const auto number = [&](const char* name) {
    return slot.report.is_object() && slot.report.contains(name) && slot.report[name].is_number()
               ? slot.report[name].get<double>()
               : 0.0;
  };
  outcome.wall_s = number("wall_s"), outcome.cpu_s = number("server_cpu_s");
  if (slot.report.is_object() && slot.report["digest"].is_string()) outcome.digest = slot.report["digest"];
  if (death.exit.signal == 0) outcome.exit_code = death.exit.status;
  for (const sweep::Metric& m : s_.plan.metrics)
    outcome.values[m.name] = m.script.empty() ? sweep::value_at(slot.report, m.path).dump() : "null";
  outcome.done = death.exit.ok() && slot.report.is_object();
  if (outcome.done) return;
  outcome.error = slot.late ? fmt::format("took longer than {:g} s", seconds(s_.plan.time_limit)) : death.exit.text();
  if (slot.late) outcome.exit_code.reset(), outcome.digest.reset();
  outcome.log = last_lines_of(death, slot.folder + "/log.txt");
}

void SweepRuns::take_printed(Slot& slot, const os::Death& death) {
  sweep::Outcome& outcome = slot.run.outcome;
  const std::string& script = scripts_[slot.script - 1];
  const auto wrong = [&](std::string why) {
    outcome.done = false, outcome.error = script + " " + std::move(why), outcome.log = death.last_lines;
  };
  if (slot.late) return wrong(fmt::format("took longer than {:g} s", seconds(s_.plan.time_limit)));
  if (!death.exit.ok()) return wrong(death.exit.text());
  const auto printed = nlohmann::json::parse(slot.printed, nullptr, false);
  if (printed.is_discarded()) return wrong("printed no number, and no JSON");
  for (const sweep::Metric& m : s_.plan.metrics) {
    if (m.script != script) continue;
    const nlohmann::json value = m.path.empty() ? printed : sweep::value_at(printed, m.path);
    if (value.is_structured()) return wrong("printed more than one value: metrics." + m.name + ".field names one");
    if (value.is_null()) return wrong("printed no '" + m.path + "'");
    outcome.values[m.name] = value.dump();
  }
}

Result<bool> SweepRuns::take(Slot& slot, const os::Death& death) {
  if (slot.script == 0) take_run(slot, death);
  else take_printed(slot, death);
  if (slot.report.is_object() && slot.report.value("build", "") != engines::build_text())
    return fail(ErrorCode::kState,
                s_.exe + " was replaced by another build while the sweep ran; the same command begins anew");
  sweep::Outcome& outcome = slot.run.outcome;
  if (outcome.done && slot.script < scripts_.size()) {
    const std::string& next = scripts_[slot.script++];
    auto ok = spawn(slot, {next, slot.folder + "/run.mcap", slot.folder + "/report.json"}, true);
    return ok ? Result<bool>(false) : tl::unexpected(ok.error());
  }
  const bool hopeless = slot.script == 0 && death.exit.status == kUsage;  // it would say the same again
  if (!outcome.done && !hopeless && outcome.attempts <= s_.plan.retries) {
    auto ok = begin(slot);
    return ok ? Result<bool>(false) : tl::unexpected(ok.error());
  }
  if (auto ok = keep(slot); !ok) return tl::unexpected(ok.error());
  return true;
}

Status SweepRuns::keep(const Slot& slot) {
  const auto& keep = s_.plan.keep;
  if (!keep.any()) return {};
  const std::string folder = KeptRuns(s_.folder).of(slot.run.outcome.key);
  forget(folder);
  if (auto ok = os::make_directories(folder); !ok) return ok;
  const std::pair<bool, const char*> files[] = {
      {keep.report, "report.json"}, {keep.recording, "run.mcap"}, {keep.log, "log.txt"}};
  for (const auto& [kept, name] : files)
    if (const std::string from = slot.folder + "/" + name; kept && os::exists(from))
      if (auto ok = put_into_place(from, folder + "/" + name); !ok) return ok;
  return {};
}

void SweepRuns::stop() {
  family_.stop({std::chrono::milliseconds(300), std::chrono::milliseconds(300)});
  slots_.clear();
  forget(s_.making);
}

}  // namespace convoy::apps
