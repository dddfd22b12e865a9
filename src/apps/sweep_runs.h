// The runs of a sweep as processes of this machine, some at a time: started, timed, tried again, their metrics taken.
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

class SweepRuns {
 public:
  struct Setting {
    const sweep::Plan& plan;
    const Arguments& arguments;  // libraries, trust
    std::string exe, scenario, folder;
    int at_once = 1;
  };
  explicit SweepRuns(Setting setting);

  bool full() const { return slots_.size() >= static_cast<std::size_t>(s_.at_once); }
  bool any() const { return !slots_.empty(); }
  // An error: no process can be started, or nothing can be written.
  Status start(std::uint64_t index, std::uint64_t key);

  struct Ended {
    std::uint64_t index = 0;
    sweep::Outcome outcome;
  };
  // Waits at most so long for something to happen; those that have ended, and have been tried often enough.
  Result<std::vector<Ended>> poll(Duration wait);
  // What runs is ended, and counts as never begun.
  void stop();

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
