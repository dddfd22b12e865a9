#include "gang/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace convoy::gang {

namespace {

using Json = nlohmann::json;

// What the ranks, their files and their attempts rest on.
constexpr const char* kOurs[] = {"array",  "chdir",     "error",  "export", "export-file", "input",
                                 "ntasks", "open-mode", "output", "wrap",   "parsable",    "wait"};

bool is_option(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// What neither a script's line nor Slurm's patterns for file names take for something else.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+@:,=-").find(c) != std::string_view::npos;
  });
}

// For a line of #SBATCH.
Result<std::string> value_of(const std::string& name, const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (value.is_structured() || text.find_first_of("\n\r\"") != text.npos)
    return fail(ErrorCode::kInvalid, fmt::format("engine: slurm: {}: must be a word, a number or true", name));
  return is_plain(text) ? text : "\"" + text + "\"";
}

// The value of the field KEY=..., up to the next blank; empty: there is none.
std::string field(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return std::string(word.substr(key.size() + 1));
    at = end + 1;
  }
  return {};
}

using Options = std::vector<std::pair<std::string, Json>>;

// The script's beginning: what the user says over what stands there unasked.
Result<std::string> directives(Options options, std::string_view settings) {
  const Json given = settings.empty() ? Json::object() : Json::parse(settings, nullptr, false);
  if (!given.is_object()) return fail(ErrorCode::kInvalid, "engine: slurm: must be a map");
  for (const auto& [name, value] : given.items()) {
    if (!is_option(name))
      return fail(ErrorCode::kInvalid, "engine: slurm: '" + name + "' is no long option of sbatch, as partition is");
    if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs))
      return fail(ErrorCode::kInvalid, "engine: slurm: " + name + ": the job sets that itself");
    const auto known = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.first == name; });
    if (known == options.end()) options.emplace_back(name, value);
    else known->second = value;
  }
  std::string out = "#!/bin/bash\n";
  for (const auto& [name, value] : options) {
    if (value.is_null() || value == Json(false)) continue;
    if (value == Json(true)) {
      out += fmt::format("#SBATCH --{}\n", name);
      continue;
    }
    const auto text = value_of(name, value);
    if (!text) return tl::unexpected(text.error());
    out += fmt::format("#SBATCH --{}={}\n", name, *text);
  }
  return out;
}

Status check_plain(const std::string& path) {
  if (is_plain(path)) return {};
  return fail(ErrorCode::kInvalid, "'" + path +
                                       "' has characters that a batch script cannot hold safely; letters, digits and "
                                       "_./+@:,=- are fine");
}

// A word of a shell, whatever it holds.
std::string shell_word(const std::string& text) {
  if (!text.empty() && is_plain(text)) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

JobPhase phase_of(std::string_view state) {
  for (const char* one : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT",
                          "RESV_DEL_HOLD", "STOPPED"})
    if (state == one) return JobPhase::kWaiting;
  for (const char* one : {"RUNNING", "COMPLETING", "SUSPENDED", "RESIZING", "SIGNALING", "STAGE_OUT"})
    if (state == one) return JobPhase::kRunning;
  return JobPhase::kEnded;
}

}  // namespace

Result<std::string> slurm_script(const Gang& gang, std::string_view settings) {
  for (const std::string& path : {gang.folder, gang.exe})
    if (auto ok = check_plain(path); !ok) return tl::unexpected(ok.error());
  auto out = directives(
      {{"job-name", gang.name}, {"cpus-per-task", gang.threads}, {"no-kill", true}, {"requeue", true}}, settings);
  if (!out) return out;
  *out += fmt::format(
      "#SBATCH --ntasks={}\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={}/{}\n"
      "folder={}\n"
      "end=$folder/attempt-${{SLURM_RESTART_COUNT:-0}}/server.end\n"
      "echo \"{}${{SLURM_RESTART_COUNT:-0}} on $SLURM_JOB_NODELIST\"\n"
      "srun --kill-on-bad-exit=0 --no-kill {} rank $folder &\n"
      "ranks=$!\n"
      "# The job ends with its server; the others have a while to leave by themselves.\n"
      "while kill -0 $ranks 2>/dev/null && ! [ -e $end ]; do sleep 0.5; done\n"
      "for _ in {{1..20}}; do kill -0 $ranks 2>/dev/null || break; sleep 0.5; done\n"
      "[ -e $end ]\n",
      gang.ranks.size(), gang.folder, kBatchLog, gang.folder, kAttemptLine, gang.exe);
  return out;
}

Result<std::string> slurm_tasks_script(const Tasks& tasks, std::string_view settings) {
  if (auto ok = check_plain(tasks.folder); !ok) return tl::unexpected(ok.error());
  auto out = directives({{"job-name", tasks.name}, {"cpus-per-task", tasks.cores}, {"requeue", true}}, settings);
  if (!out) return out;
  std::string command;
  for (const std::string& word : tasks.argv) command += " " + shell_word(word);
  *out += fmt::format(
      "#SBATCH --array=0-{}{}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={}/{}\n"
      "exec{}\n",
      tasks.count - 1, tasks.at_once > 0 ? fmt::format("%{}", tasks.at_once) : "", tasks.folder, kBatchLog, command);
  return out;
}

Result<JobState> parse_slurm_job(std::string_view text) {
  std::optional<JobState> out;
  const auto weight = [](const JobState& job) {
    return job.phase == JobPhase::kRunning ? 3 : job.phase == JobPhase::kWaiting ? 2 : job.state != "COMPLETED" ? 1 : 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("JobId=", at + 1), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end;
    JobState one;
    one.state = field(line, "JobState");
    if (one.state.empty()) continue;
    if (const std::string reason = field(line, "Reason"); reason != "None") one.reason = reason;
    one.phase = phase_of(one.state);
    if (!out || weight(one) > weight(*out)) out = std::move(one);
  }
  if (!out) return fail(ErrorCode::kInvalid, "Slurm says nothing of the job's state");
  return *out;
}

std::string parse_slurm_node(std::string_view text) { return field(text, "NodeAddr"); }

}  // namespace convoy::gang
