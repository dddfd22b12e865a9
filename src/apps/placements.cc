#include "apps/placements.h"
#include "apps/library_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "apps/prepare.h"
#include "apps/record_file.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "core/hash.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "roles/difference.h"

namespace convoy::apps {
namespace {

constexpr std::int64_t kSeconds = 5;  // of simulated time, unless another is given, or the scenario is shorter
constexpr std::size_t kMaxProcesses = 16;

struct Placement {
  std::string name;
  std::vector<std::string> command;  // behind `convoy`, without the scenario
};

// `apart`: some of them have processes of their own.
std::vector<Placement> placements_of(std::size_t agents, bool apart) {
  const std::size_t processes = std::clamp<std::size_t>(agents, 2, kMaxProcesses);
  const std::string many = std::to_string(processes);
  std::vector<Placement> all;
  if (!apart) {
    all.push_back({"all in one process", {"run", "--hosts", "1", "--threads", "1"}});
    all.push_back({"the same once more", {"run", "--hosts", "1", "--threads", "1"}});
    all.push_back({"shuffled over threads", {"run", "--hosts", many, "--threads", "4"}});
  } else {
    all.push_back({"one host", {"launch", "--hosts", "1"}});
    all.push_back({"the same once more", {"launch", "--hosts", "1"}});
  }
  all.push_back({processes < agents ? fmt::format("{} processes", processes) : "one agent a process",
                 {"launch", "--hosts", many}});
  all.push_back({"two processes", {"launch", "--hosts", "2"}});
  all.push_back({"two, started in another order", {"launch", "--hosts", "2", "--start-order", "1"}});
  return all;
}

struct Outcome {
  std::string digest;  // empty: it did not end well
  std::vector<std::string> last_lines;
  bool interrupted = false;
};

Outcome run_one(const std::vector<std::string>& argv) {
  Outcome outcome;
  os::Supervisor family;
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) {
    interrupted = true;
    family.wake();
  });
  os::ChildOptions child;
  child.name = "run";
  child.argv = argv;
  child.on_line = [&](std::string_view line, bool to_stderr) {
    if (!to_stderr && line.substr(0, 7) == "digest ") outcome.digest = line.substr(7);
  };
  if (auto ok = family.start(std::move(child)); !ok) {
    outcome.last_lines = {ok.error().message()};
    return outcome;
  }
  while (family.running() > 0 && !interrupted)
    for (const os::Death& death : family.poll(std::chrono::milliseconds(200)))
      if (!death.exit.ok()) outcome.digest.clear(), outcome.last_lines = death.last_lines;
  if (interrupted) {
    family.stop();
    outcome = {{}, {}, true};
  }
  return outcome;
}

// Between two recorded runs; empty: no boundary differs.
Result<std::string> difference_text(const std::string& a, const std::string& b, Duration tick) {
  const auto first = open_recording(a), second = open_recording(b);
  if (!first || !second) return tl::unexpected(first ? second.error() : first.error());
  const auto found = first_difference((*first)->recording, (*second)->recording);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::string();
  const RecordedDifference& d = **found;
  return fmt::format("tick {} ({:.9g} s){}, {}: {} / {}", d.place.tick, seconds(Duration(d.place.tick * nanos(tick))),
                     d.entity.empty() ? "" : ", entity " + d.entity, d.what.field, d.what.a, d.what.b);
}

}  // namespace

int check_placements(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  const auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (scenario->run.mode == scenario::TimeMode::kFree)
    return complain("free mode has no digest to compare: use --mode lockstep", kUsage);
  // A run would have these rights by the command line alone; a check has them where it is said.
  LibraryFolders folders = library_folders(arguments);
  std::vector<std::string> would;
  if (!arguments.run.trust) {
    folders.scenarios.clear();
    for (const scenario::Program& program : scenario->run.programs)
      if (!program.command.empty()) would.push_back("start " + program.command.front());
  }
  std::vector<std::string> libraries;
  if (const auto absent = check_users_code(scenario->setup, scenario->setup.entities, folders,
                                           arguments.run.trust ? nullptr : &libraries);
      !absent.empty())
    return complain(absent);
  for (const std::string& path : libraries) would.push_back("load " + path);
  if (!would.empty())
    return complain(fmt::format("{} would {}; --trust lets it", arguments.run.scenario, fmt::join(would, ", ")),
                    kUsage);
  if (!scenario->run.wait_for.names.empty())
    return complain("wait_for names other programs, which nobody starts here", kUsage);
  for (const scenario::Program& program : scenario->run.programs)
    if (program.command.empty())
      return complain("the program of '" + program.name + "' has no command, so that nobody starts it here", kUsage);
  const auto exe = os::executable_path();
  if (!exe) return complain(exe.error().message(), kFailed);
  const auto scratch = os::TempDirectory::create("convoy-placements");
  if (!scratch) return complain(scratch.error().message(), kFailed);

  const std::vector<EntitySpec>& entities = scenario->setup.entities;
  const bool joining =
      std::any_of(entities.begin(), entities.end(), [](const EntitySpec& e) { return joins(e.components); });
  const std::vector<Placement> placements = placements_of(entities.size(), joining || !scenario->run.isolated.empty());
  const bool shorter = scenario->run.duration > Duration(0) && scenario->run.duration < std::chrono::seconds(kSeconds);
  std::string first_file, first_digest;
  int code = kOk;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const std::string file = scratch->path() + "/" + std::to_string(i) + ".mcap";
    std::vector<std::string> argv{*exe};
    argv.insert(argv.end(), placements[i].command.begin(), placements[i].command.end());
    argv.insert(argv.end(), {arguments.run.scenario, "--mode", "lockstep", "--speed", "max", "--record", file,
                             "--log-level", "error"});
    if (arguments.run.seed) argv.insert(argv.end(), {"--seed", std::to_string(*arguments.run.seed)});
    for (const std::string& set : arguments.run.set) argv.insert(argv.end(), {"--set", set});
    if (arguments.run.duration || !shorter)
      argv.insert(argv.end(), {"--duration", arguments.run.duration.value_or(fmt::format("{}s", kSeconds))});
    const Outcome outcome = run_one(argv);
    if (outcome.interrupted) return kInterrupted;
    if (outcome.digest.empty()) {
      for (const std::string& line : outcome.last_lines) os::print_error("{}\n", line);
      return complain("'" + placements[i].name + "' did not end well", kFailed);
    }
    os::print("{:<32} digest {}\n", placements[i].name, outcome.digest);
    os::flush_stdout();
    if (i == 0) {
      first_file = file, first_digest = outcome.digest;
      continue;
    }
    if (outcome.digest != first_digest) {
      const auto text = difference_text(first_file, file, scenario->setup.tick);
      if (!text) return complain(text.error().message(), kFailed);
      os::print_error("convoy: different: {} / {}: {}\n", placements[0].name, placements[i].name,
                      text->empty() ? "no boundary, but the digest" : *text);
      code = kFailed;
    }
    std::filesystem::remove(file);
  }
  return code;
}

}  // namespace convoy::apps
