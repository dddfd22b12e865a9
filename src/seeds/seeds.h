// A sweep over seeds: each a whole cluster with faults. In lockstep it must come to the digest of its script's undisturbed
// run; in free mode all must see the same world in the end.
#pragma once

#include <map>
#include <string>

#include "seeds/kind.h"
#include "testing/live_cluster.h"

namespace convoy::testing {

class Sweep {
 public:
  // `physics` outlives it.
  Sweep(Kind kind, Cast cast, const PhysicsFactory& physics, Planted planted, bool verbose)
      : kind_(kind), cast_(std::move(cast)), physics_(physics), planted_(planted), verbose_(verbose) {
    expect_all();
  }

  // Runs a seed; what went wrong, or empty. Every twentieth is run twice: its event trace must be the same.
  std::string check(std::uint64_t seed);
  // What no seed met, of that which every larger sweep must meet; one name a line.
  std::string never_happened() const;
  // What happened how often, in how many seeds: one line a kind.
  std::string table() const;

 private:
  struct Row {
    std::uint64_t times = 0, seeds = 0;
  };
  struct Played {
    Outcome outcome;
    Stories stories;
  };
  void expect_all();
  std::string check_lockstep(std::uint64_t seed);
  std::string check_free(std::uint64_t seed);
  Played play(const Plan& plan, const std::vector<JournalEntry>* replay = nullptr, bool verbose = false) const;
  const Script& script(std::uint64_t number);
  const Played& calm();  // of the script at hand
  template <class OutcomeOfMode>
  void tally(const OutcomeOfMode& outcome);
  void add(const std::string& kind, std::uint64_t times);

  Kind kind_;
  Cast cast_;
  const PhysicsFactory& physics_;
  Planted planted_;
  bool verbose_;
  std::optional<Script> script_;  // the last one: a few seeds in a row share it
  std::optional<Played> calm_;    // its undisturbed run
  std::map<std::string, Row> rows_;
};

}  // namespace convoy::testing
