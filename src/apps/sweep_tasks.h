// The runs of a sweep as tasks of an engine of a cluster: gathered into one job, some in each task, and what became of them
// read from its folder. The same command at work in a task: sweep_part().
//
//   jobs/N/runs.txt          a line for each run: its number in the plan, its key; task T makes the T-th handful of them
//   jobs/N/done-T.jsonl      what task T has made so far, as the journal has it
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apps/cluster_engine.h"
#include "apps/file_tail.h"
#include "apps/sweep_runs.h"
#include "os/terminal.h"
#include "sweep/journal.h"

namespace convoy::apps {

class SweepTasks final : public SweepWorkers {
 public:
  struct Setting {
    const sweep::Plan& plan;
    const Arguments& arguments;  // of the sweep
    std::string exe, scenario, folder;
    std::string settings;  // what the engine is told
    os::StderrLog& log;
  };
  SweepTasks(Setting setting, std::unique_ptr<ClusterEngine> engine)
      : s_(std::move(setting)), engine_(std::move(engine)) {}

  bool full() const override { return false; }
  bool any() const override { return !waiting_.empty(); }
  Status start(std::uint64_t index, std::uint64_t key) override;
  // The first one after some were started submits them.
  Result<std::vector<Ended>> poll(Duration wait) override;
  void stop() override;

  // What a dry run prints.
  Result<std::string> script(std::size_t runs) const;

 private:
  static constexpr Duration kAskEvery = std::chrono::seconds(3);
  std::size_t runs_of_task(std::size_t runs) const;
  gang::Tasks tasks(std::size_t runs, const std::string& folder) const;
  Status submit();
  Status ask();

  Setting s_;
  std::unique_ptr<ClusterEngine> engine_;
  std::map<std::uint64_t, std::uint64_t> waiting_;              // by key: the run's number
  std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh_;  // number and key of those that are not submitted yet
  std::string job_, folder_;                                    // of the last submission; empty: there is none
  std::vector<FileTail> done_;
  gang::JobState state_;
  Moment asked_at_{};
};

// What tasks of earlier jobs have left is taken into the journal; those jobs are ended where they still run.
Status take_in_jobs(const std::string& folder, sweep::Journal& journal, Log& log);

// Makes a task's runs, in one of an engine's jobs. Returns the exit code.
int sweep_part(const Arguments& arguments, const sweep::Plan& plan, const std::string& scenario, const std::string& exe,
               const std::vector<std::uint64_t>& keys);

}  // namespace convoy::apps
