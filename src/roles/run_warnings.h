// What the server says about a run that does not go on as it should: who is missing, slow or late, and which robots stand.
#pragma once

#include <map>
#include <string>

#include "lockstep/conductor.h"
#include "session/life_links.h"

namespace convoy {

class RunWarnings {
 public:
  // `conductor`: the run, in lockstep; else null. `after`: from a wait's begin to the first line about it, and from one line
  // to the next. All outlive it.
  RunWarnings(const Run& run, const Conductor* conductor, const LifeLinks& life, Duration after, Log& log)
      : run_(run), conductor_(conductor), life_(life), after_(after), log_(log) {}

  // Before the run begins. `names`: who is not there; may be empty.
  void awaits(const std::string& names, Moment now);
  // Once it has begun.
  void on_time(Moment now);
  Moment deadline() const { return slow_ == kNever ? kNever : slow_ + after_; }

 private:
  void name_slow(Moment now);
  void name_missed(Moment now);
  void name_faults();

  const Run& run_;
  const Conductor* conductor_;
  const LifeLinks& life_;
  Duration after_;
  Log& log_;
  Moment slow_ = kNever;  // somebody has been waited for since then, or since the last line
  std::uint64_t slow_tick_ = 0;
  std::map<std::string, std::uint64_t> missed_;  // deadlines that were named, by program
  Moment missed_named_ = kNever;
  std::size_t faults_named_ = 0;
};

}  // namespace convoy
