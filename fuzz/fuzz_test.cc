#include <doctest/doctest.h>

#include <string>

#include "fuzz/targets.h"

namespace fuzz_test {

using namespace convoy;
using namespace convoy::fuzz;

// More of them, and by coverage: scripts/deep.sh --part fuzz.
constexpr std::uint64_t kMutations = 2000;

TEST_CASE("every target understands its sound inputs, and lives through thousands that are made of them") {
  for (const Target& target : kTargets) {
    const std::string name = target.name;
    CAPTURE(name);
    const std::vector<Bytes> seeds = target.seeds();
    REQUIRE_FALSE(seeds.empty());
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      CAPTURE(i);
      CHECK(target.run(seeds[i]));
    }
    std::uint64_t understood = 0;
    for (std::uint64_t n = 0; n < kMutations; ++n) understood += target.run(mutated(seeds, n)) ? 1 : 0;
    CHECK(understood < kMutations);  // that all were would be news
    target.run({});
  }
}

}  // namespace fuzz_test
