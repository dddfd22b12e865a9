// Who makes the runs of a sweep. SweepRuns: as processes of this machine, some at a time: started, timed, tried again, their
// metrics taken.
//
//   SweepRuns runs({.plan = plan, ...});
//   while (!interrupted && (runs.any() || more))
//     for (Ended& ended : runs.poll(100ms)) journal.add(ended.outcome);
//
// One thread, the main one: a child ends with the thread that started it.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

#include "apps/arguments.h"
#include "os/process.h"
#include "sweep/outcome.h"
#include "sweep/plan.h"

namespace convoy::apps {

// Who makes the runs of a sweep.
class SweepWorkers {
 public:
  virtual ~SweepWorkers() = default;
  virtual bool full() const = 0;  // no more is to be started just now
  virtual bool any() const = 0;   // some have been started and have not ended
  // An error: none can be started, or nothing can be written.
  virtual Status start(std::uint64_t index, std::uint64_t key) = 0;

  struct Ended {
    std::uint64_t index = 0;
    sweep::Outcome outcome;
  };
  // Waits at most so long for something to happen; those that have ended, and have been tried often enough.
  virtual Result<std::vector<Ended>> poll(Duration wait) = 0;
  // What runs is ended, and counts as never begun.
  virtual void stop() = 0;
};

class SweepRuns final : public SweepWorkers {
 public:
  struct Setting {
    const sweep::Plan& plan;
    const Arguments& arguments;  // libraries, trust
    std::string exe, scenario, folder;
    std::string making;  // a folder of these runs alone while they run, on the same disk
    int at_once = 1;
  };
  explicit SweepRuns(Setting setting);

  bool full() const override { return slots_.size() >= static_cast<std::size_t>(s_.at_once); }
  bool any() const override { return !slots_.empty(); }
  Status start(std::uint64_t index, std::uint64_t key) override;
  Result<std::vector<Ended>> poll(Duration wait) override;
  void stop() override;

 private:
  struct Slot {
    Ended run;
    std::string folder;      // of what it writes
    Moment begun{}, due{};   // this process
    bool late = false;       // it was ended for that
    nlohmann::json report;   // null: none
    std::size_t script = 0;  // which of scripts_ runs; 0 before them
    std::string printed;     // by it
  };
  Status begin(Slot& slot);
  Status spawn(Slot& slot, std::vector<std::string> argv, bool is_script);
  void end_those_that_are_late();
  // False: it goes on, with a script or once more.
  Result<bool> take(Slot& slot, const os::Death& death);
  void take_run(Slot& slot, const os::Death& death);
  void take_printed(Slot& slot, const os::Death& death);
  Status keep(const Slot& slot);

  Setting s_;
  std::vector<std::string> scripts_;   // of the metrics, each once
  std::map<std::string, Slot> slots_;  // by the child's name
  os::Supervisor family_;
};

}  // namespace convoy::apps
