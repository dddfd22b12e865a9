#include "gang/slurm.h"

#include <doctest/doctest.h>

namespace convoy::gang {

namespace slurm_test {

Gang three() {
  Gang out{.name = "convoy-hello", .folder = "/shared/hello-1", .exe = "/opt/convoy", .threads = 4};
  out.ranks = {{"server", {"x"}, {}}, {"host0", {"x"}, {}}, {"host1", {"x"}, {}}};
  return out;
}
std::string script(std::string_view settings) {
  const auto out = slurm_script(three(), settings);
  REQUIRE_MESSAGE(out, (out ? "" : out.error().message()));
  return *out;
}
std::string refused(std::string_view settings) {
  const auto out = slurm_script(three(), settings);
  REQUIRE(!out);
  return out.error().message();
}
bool has(const std::string& text, const std::string& line) { return text.find("\n" + line + "\n") != text.npos; }

TEST_CASE("a script asks for a task a rank, with its threads, and keeps the job when a node is lost") {
  const std::string text = script("");
  CHECK(text.starts_with("#!/bin/bash\n"));
  for (const char* line :
       {"#SBATCH --job-name=convoy-hello", "#SBATCH --ntasks=3", "#SBATCH --cpus-per-task=4", "#SBATCH --no-kill",
        "#SBATCH --requeue", "#SBATCH --open-mode=append", "#SBATCH --output=/shared/hello-1/batch.log",
        "srun --kill-on-bad-exit=0 --no-kill /opt/convoy rank $folder &"})
    CHECK_MESSAGE(has(text, line), line);
}

TEST_CASE("what the user says goes into the script as it is, and over what stands there unasked") {
  const std::string text = script(R"({"partition": "main", "time": "00:10:00", "exclusive": true, "nodes": 3,
                                      "requeue": false, "cpus-per-task": 8, "comment": "a run; of two"})");
  for (const char* line : {"#SBATCH --partition=main", "#SBATCH --time=00:10:00", "#SBATCH --exclusive",
                           "#SBATCH --nodes=3", "#SBATCH --cpus-per-task=8", "#SBATCH --comment=\"a run; of two\""})
    CHECK_MESSAGE(has(text, line), line);
  CHECK(text.find("--requeue") == text.npos);
  CHECK(text.find("--cpus-per-task=4") == text.npos);
}

TEST_CASE("what a script cannot hold, or the job sets itself, is refused") {
  CHECK(refused("[]") == "engine: slurm: must be a map");
  CHECK(refused(R"({"ntasks": 7})") == "engine: slurm: ntasks: the job sets that itself");
  CHECK(refused(R"({"Partition": "x"})") == "engine: slurm: 'Partition' is no long option of sbatch, as partition is");
  CHECK(refused(R"({"nodes": [1]})") == "engine: slurm: nodes: must be a word, a number or true");
  CHECK(refused(R"({"comment": "a\nrm -rf /"})") == "engine: slurm: comment: must be a word, a number or true");
  CHECK(refused(R"({"comment": "\"; rm"})") == "engine: slurm: comment: must be a word, a number or true");
  Gang odd = three();
  odd.folder = "/home/a user/jobs; rm -rf $HOME";
  CHECK(!slurm_script(odd, ""));
}

TEST_CASE("a job's state is read as scontrol shows it") {
  const auto job = parse_slurm_job(
      "JobId=12 JobName=convoy-hello UserId=root(0) Priority=4294901756 Nice=0 JobState=PENDING Reason=Resources "
      "Dependency=(null) Requeue=1 Restarts=2 BatchFlag=1 ExitCode=0:0\n");
  REQUIRE(job);
  CHECK(job->phase == JobPhase::kWaiting);
  CHECK(job->text() == "PENDING (Resources)");
  for (const auto& [word, phase] : {std::pair{"RUNNING", JobPhase::kRunning},
                                    {"COMPLETING", JobPhase::kRunning},
                                    {"COMPLETED", JobPhase::kEnded},
                                    {"NODE_FAIL", JobPhase::kEnded},
                                    {"REQUEUED", JobPhase::kWaiting},
                                    {"TIMEOUT", JobPhase::kEnded}}) {
    const auto state = parse_slurm_job(std::string("JobId=1 JobState=") + word + " Reason=None\n");
    REQUIRE(state);
    CHECK_MESSAGE(state->phase == phase, word);
    CHECK(state->text() == word);
  }
  CHECK(!parse_slurm_job("slurm_load_jobs error"));
}

TEST_CASE("tasks are an array, with so many at once, and any word of theirs is one word of the shell") {
  const Tasks tasks{.name = "convoy-sweep",
                    .folder = "/shared/s",
                    .argv = {"/opt/convoy", "sweep", "it's $HOME", ""},
                    .count = 40,
                    .at_once = 8,
                    .cores = 2};
  const auto text = slurm_tasks_script(tasks, R"({"partition": "main"})");
  REQUIRE(text);
  for (const char* line : {"#SBATCH --array=0-39%8", "#SBATCH --ntasks=1", "#SBATCH --cpus-per-task=2",
                           "#SBATCH --partition=main", "exec /opt/convoy sweep 'it'\\''s $HOME' ''"})
    CHECK_MESSAGE(has(*text, line), *text);
}

TEST_CASE("an array's state is that of the task that tells most") {
  const auto state = [](std::initializer_list<const char*> tasks) {
    std::string text;
    for (const char* task : tasks) text += std::string("JobId=7 ArrayJobId=7 JobState=") + task + " Reason=None\n";
    const auto out = parse_slurm_job(text);
    REQUIRE(out);
    return out->state;
  };
  CHECK(state({"COMPLETED", "PENDING", "RUNNING"}) == "RUNNING");
  CHECK(state({"COMPLETED", "PENDING", "FAILED"}) == "PENDING");
  CHECK(state({"COMPLETED", "NODE_FAIL", "COMPLETED"}) == "NODE_FAIL");
  CHECK(state({"COMPLETED", "COMPLETED"}) == "COMPLETED");
}

TEST_CASE("a node's address is read as scontrol shows it") {
  CHECK(parse_slurm_node("NodeName=n1 Arch=x86_64 NodeAddr=127.0.0.11 NodeHostName=here Version=22.05.8\n") ==
        "127.0.0.11");
  CHECK(parse_slurm_node("Node n9 not found\n").empty());
}

}  // namespace slurm_test

}  // namespace convoy::gang
