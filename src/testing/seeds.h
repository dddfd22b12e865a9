// A sweep over seeds: each a whole cluster with faults that must come to the digest of its script's undisturbed run.
#pragma once

#include <map>
#include <string>

#include "testing/cluster.h"

namespace convoy::testing {

class Sweep {
 public:
  explicit Sweep(Planted planted, bool verbose) : planted_(planted), verbose_(verbose) {}

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
  const Script& script(std::uint64_t number);
  const Outcome& calm(std::uint64_t number);
  void tally(const Outcome& outcome);
  void add(const std::string& kind, std::uint64_t times);

  Planted planted_;
  bool verbose_;
  std::map<std::uint64_t, Script> scripts_;
  std::map<std::uint64_t, Outcome> calm_;  // by script
  std::map<std::string, Row> rows_;
};

}  // namespace convoy::testing
