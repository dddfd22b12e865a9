// A sweep over seeds: each a whole cluster with faults. In lockstep it must come to the digest of its script's undisturbed
// run; in free mode all must see the same world in the end.
#pragma once

#include <map>
#include <string>

#include "testing/live_cluster.h"

namespace convoy::testing {

class Sweep {
 public:
  Sweep(Planted planted, bool free, bool verbose) : planted_(planted), free_(free), verbose_(verbose) {}

  // Runs a seed; what went wrong, or empty. Every twentieth is run twice: its event trace must be the same.
  std::string check(std::uint64_t seed);
  // Kinds of trouble that no seed met, of those that every larger sweep must meet; one name a line.
  std::string never_happened() const;
  // What happened how often, in how many seeds: one line a kind.
  std::string table() const;

 private:
  struct Row {
    std::uint64_t times = 0, seeds = 0;
  };
  std::string check_lockstep(std::uint64_t seed);
  std::string check_free(std::uint64_t seed);
  const Script& script(std::uint64_t number);
  const Outcome& calm(std::uint64_t number);
  void tally(const Outcome& outcome);
  void tally(const LiveOutcome& outcome);
  void add(const std::string& kind, std::uint64_t times);

  Planted planted_;
  bool free_, verbose_;
  std::map<std::uint64_t, Script> scripts_;
  std::map<std::uint64_t, Outcome> calm_;  // by script
  std::map<std::string, Row> rows_;
};

}  // namespace convoy::testing
