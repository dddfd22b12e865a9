// Options of job. Components and ROS arguments are lists of words in which order counts: they are read by hand.
#include <algorithm>

#include "apps/command_line.h"

namespace convoy::apps {

namespace {

// A list of ROS arguments goes to one of these words.
bool ends_list(const std::string& word) {
  return word == "--" || word == "--component" || word == "--component-ros-args" || word == "--ros-args" ||
         word == "--group";
}

}  // namespace

std::optional<std::string> take_components(std::vector<std::string>& words, JobArguments& job) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size();) {
    const std::string word = words[i++];
    std::vector<std::string>* list = nullptr;
    if (word == "--component") {
      if (i + 2 > words.size() || words[i].rfind("--", 0) == 0 || words[i + 1].rfind("--", 0) == 0)
        return "--component takes two words: LIBRARY_OR_PACKAGE CLASS";
      job.components.push_back({words[i], words[i + 1], {}, job.groups.empty() ? std::string() : job.groups.back()});
      i += 2;
    } else if (word == "--group") {
      if (i == words.size() || words[i].rfind("--", 0) == 0) return "--group takes a name";
      if (job.groups.empty() && !job.components.empty())
        return "--group stands before its components, also before the first ones";
      if (std::find(job.groups.begin(), job.groups.end(), words[i]) != job.groups.end())
        return "the group '" + words[i] + "' stands here twice";
      job.groups.push_back(words[i++]);
    } else if (word == "--component-ros-args") {
      if (job.components.empty()) return "--component-ros-args stands after its --component";
      list = &job.components.back().arguments;
    } else if (word == "--") {  // ends a list, even one that has not begun
    } else if (word == "--ros-args") {
      list = &job.ros_arguments;
    } else {
      rest.push_back(word);
    }
    if (!list) continue;
    while (i < words.size() && !ends_list(words[i])) list->push_back(words[i++]);
    if (i < words.size() && words[i] == "--") ++i;
  }
  words = std::move(rest);
  return {};
}

void add_job_command(CommandLine& line) {
  Arguments& a = line.arguments;
  CLI::App& job_command = line.add(line.root(), "job", "Run ROS 2 components on simulated time", job);
  // For the help and the completion; take_components() has read them before.
  static const auto nothing_one = [](const std::string&) {};
  static const auto nothing = [](const std::vector<std::string>&) {};
  job_command
      .add_option_function<std::vector<std::string>>(
          "--component", nothing, "a component, by its library's path or its package, and its class; again for more")
      ->type_name("LIBRARY CLASS")
      ->expected(2);
  job_command
      .add_option_function<std::vector<std::string>>(
          "--component-ros-args", nothing, "ROS arguments of the component before, to the next --component or --")
      ->type_name("ARGS")
      ->expected(1);
  job_command
      .add_option_function<std::vector<std::string>>("--ros-args", nothing,
                                                     "ROS arguments for all, to the next --component or --")
      ->type_name("ARGS")
      ->expected(1);
  job_command
      .add_option_function<std::string>(
          "--group", nothing_one,
          "a name: the components after it are an agent of their own, joined to the others by delays")
      ->type_name("NAME");
  job_command.add_option("--copies", a.job.copies, "so many of the job side by side, each alone (default: 1)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}));
  job_command.add_option("--threads", a.threads, "threads that run copies and groups (default: 1)")
      ->check(CLI::Range(1, 1024));
  job_command.add_option("--hosts", a.job.hosts, "robot clients that share copies and groups (default: 1)")
      ->check(CLI::Range(1, 1000));
  job_command.add_option("--tick", a.job.tick, "how often groups exchange messages (default: half of the least delay)");
  job_command.add_option("--cut", a.job.cut, "of the benchmark: with delays, in one agent and cut into two groups")
      ->check(CLI::IsMember({2}));
  job_command.add_option("--benchmark", a.job.benchmark, "run a benchmark that knows its result")
      ->check(CLI::IsMember({"determinism", "extended"}));
  job_command
      .add_option("--order", a.job.order, "how ties of timers fall (default: stable; of the benchmark: all cases)")
      ->check(CLI::IsMember({"stable", "rslcpp"}));
  job_command.add_flag("--overdue-start", a.job.overdue_start,
                       "make the nodes at 0, so that timers are due at the start");
  job_command.add_option("--start-time", a.job.start_time,
                         "simulated time at the start, as 10s (default: the first message's that is played, else 0s)");
  job_command.add_option("--play", a.job.play, "play this bag: an MCAP file, or a folder with one");
  job_command.add_option("--record", a.record.file, "record all topics: F.mcap, or a folder; it must not be there yet");
  job_command.add_option("--timeout", a.job.timeout, "simulated time, as 60s, after which the job ends with code 1");
  job_command.add_option("--duration", a.run.duration, "simulated time, as 60s; the end is included");
  job_command.add_option("--seed", a.run.seed, "seed of the delays (default: 1)");
  job_command.add_option("--delays", a.job.delays, "delays of topics (CSV)");
  job_command.add_option("--trace", a.job.traces, "TOPIC=FILE: one delay a line, for a MEASURED row of --delays")
      ->allow_extra_args(false);
  add_strict_threads(job_command, a);
  job_command.add_option("--report", a.report, "write the report as JSON to this file");
}

}  // namespace convoy::apps
