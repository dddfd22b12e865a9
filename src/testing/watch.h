// Records for tests at each boundary: every agent's hash, and the least distance of footprints.
#pragma once

#include <map>

#include "lockstep/conductor.h"

namespace convoy::testing {

// Two footprints that were apart may come to overlap by no more than this, m: docs/determinism.md.
inline constexpr double kMostOverlap = 1e-9;

// Widest separation of two footprints over the axes of both, m; negative: they overlap. Written apart from the product's
// own, with libm.
double separation(const World& world, Slot a, Slot b);
// Of the two footprints that are nearest to each other; a large number if there is only one.
double closest(const World& world);

class Watch final : public RunWatcher {
 public:
  std::map<Tick, std::map<WorldNumber, std::uint64_t>> agents;  // state and all that is inside
  std::map<WorldNumber, double> way;                            // m, straight from boundary to boundary
  double least_gap = 1e9;                                       // m

  void completed(std::uint32_t, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message>) override;
  void entered(const JournalEntry&) override {}
  void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

 private:
  std::map<WorldNumber, Vec3> last_;
};

}  // namespace convoy::testing
