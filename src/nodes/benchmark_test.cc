#include "nodes/benchmark.h"

#include <doctest/doctest.h>

namespace benchmark_test {

using convoy::TimerOrder;
using namespace convoy::nodes;
using benchmark::Start;

TEST_CASE("the benchmark's hash functions give the published check values") {
  CHECK(benchmark::splitmix64(0) == 16294208416658607535u);
  CHECK(benchmark::combine(1, 2) == 1017281325365896012u);
  CHECK(benchmark::combine(55272744, 11162456753) == 2042851535148557183u);
}

TEST_CASE("the compatible order reaches RSLCPP's published states") {
  const benchmark::Outcome out = benchmark::run(TimerOrder::kRslcpp, Start::kOverdue);

  CHECK(out.callbacks == 19011);
  CHECK(out.states == benchmark::kPublished.states);
  CHECK(out.combined == 7448837717382456148u);
}

TEST_CASE("the stable order has states of its own, by how it starts") {
  const benchmark::Outcome overdue = benchmark::run(TimerOrder::kStable, Start::kOverdue);
  const benchmark::Outcome fresh = benchmark::run(TimerOrder::kStable, Start::kDefault);

  CHECK(overdue.callbacks == 19011);
  CHECK(overdue.combined == 14807076229895937644u);
  CHECK(overdue.states == std::array<std::uint64_t, 4>{13404255130693361018u, 6314714395288068323u, 271694970909356762u,
                                                       18227695353861151360u});
  CHECK(fresh.callbacks == 19190);
  CHECK(fresh.combined == 13654575239530210506u);
}

TEST_CASE("graphs side by side in one process do not know of each other") {
  const benchmark::Outcome alone = benchmark::run(TimerOrder::kStable, Start::kDefault);

  benchmark::Benchmark first(TimerOrder::kStable, Start::kDefault), second(TimerOrder::kStable, Start::kDefault);
  benchmark::Benchmark other(TimerOrder::kRslcpp, Start::kOverdue);
  bool more = true;
  for (int i = 0; more; ++i) {
    more = first.step();
    if (i % 3 == 0) other.step();
    if (i > 5) more |= second.step();
  }

  CHECK(first.outcome().combined == alone.combined);
  CHECK(first.outcome().digest == alone.digest);
  CHECK(second.outcome().digest == alone.digest);
  CHECK(other.outcome().digest != alone.digest);
}

}  // namespace benchmark_test
