// RSLCPP's determinism benchmark without an operating system: every build of it must reach the same states.
//
//   convoy_nodes_probe [--fleets N]      checks the three known combined hashes, prints "digest <16 hex>" of them and of a
//                                        run with delays; N benchmarks in turn, an instant each (1), which must agree
//
// It links core and nodes only, so that tools/probe_matrix.sh can build it with every compiler.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "nodes/benchmark.h"

using namespace convoy;
using namespace convoy::nodes;
using benchmark::Start;

namespace {

// The outcome of all of `count` benchmarks that run side by side, or none if they differ.
std::optional<benchmark::Outcome> side_by_side(int count, TimerOrder order, Start start,
                                               const std::vector<DelayRule>& delays = {}) {
  std::vector<std::unique_ptr<benchmark::Benchmark>> all;
  for (int i = 0; i < count; ++i) all.push_back(std::make_unique<benchmark::Benchmark>(order, start, delays));
  for (bool more = true; more;) {
    more = false;
    for (auto& one : all) more |= one->step();
  }
  const benchmark::Outcome first = all[0]->outcome();
  for (auto& one : all)
    if (one->outcome().digest != first.digest || one->outcome().combined != first.combined) return std::nullopt;
  return first;
}

// Every kind of delay, by topic, publisher, link and service; normal ones are drawn with our own logarithm and sine.
std::vector<DelayRule> every_delay() {
  using std::chrono::microseconds;
  using Kind = Delay::Kind;
  return {
      {.name = "/t1", .delay = {.kind = Kind::kConstant, .low = microseconds(1700)}},
      {.name = "/t2", .delay = {.kind = Kind::kNormal, .low = microseconds(9000), .high = microseconds(4000)}},
      {.name = "/t3",
       .publisher = "/b",
       .delay = {.kind = Kind::kUniform, .low = Duration(1), .high = microseconds(60000)}},
      {.name = "/t5",
       .publisher = "/d",
       .subscriber = "/a",
       .delay = {.kind = Kind::kTrace, .samples = {microseconds(3), Duration(0), microseconds(41000)}}},
      {.of = DelayRule::Of::kRequest,
       .name = "/s1",
       .delay = {.kind = Kind::kNormal, .low = microseconds(500), .high = microseconds(900)}},
      {.of = DelayRule::Of::kResponse, .name = "/s1", .delay = {.kind = Kind::kUniform, .high = microseconds(120000)}}};
}

}  // namespace

int main(int argc, char** argv) {
  int fleets = 1;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--fleets") && i + 1 < argc) fleets = std::max(1, std::atoi(argv[++i]));
    else return std::fprintf(stderr, "probe: unknown option %s\n", argv[i]), 2;
  }
  struct Known {
    const char* name;
    TimerOrder order;
    Start start;
    std::uint64_t combined, callbacks;
  };
  static constexpr Known kKnown[] = {
      {"order rslcpp, overdue start", TimerOrder::kRslcpp, Start::kOverdue, benchmark::kPublished.combined, 19011},
      {"order stable, overdue start", TimerOrder::kStable, Start::kOverdue, benchmark::kStableOverdue, 19011},
      {"order stable, default start", TimerOrder::kStable, Start::kDefault, benchmark::kStableDefault, 19190},
  };
  std::uint64_t digest = 0;
  for (const Known& known : kKnown) {
    const auto out = side_by_side(fleets, known.order, known.start);
    if (!out) return std::printf("FAILED: %s: copies differ\n", known.name), 1;
    std::printf("%s: %llu after %llu callbacks\n", known.name, static_cast<unsigned long long>(out->combined),
                static_cast<unsigned long long>(out->callbacks));
    if (out->combined != known.combined || out->callbacks != known.callbacks)
      return std::printf("FAILED: expected %llu after %llu\n", static_cast<unsigned long long>(known.combined),
                         static_cast<unsigned long long>(known.callbacks)),
             1;
    digest = chain(chain(digest, out->digest), out->combined);
  }
  const auto delayed = side_by_side(fleets, TimerOrder::kStable, Start::kDefault, every_delay());
  if (!delayed) return std::printf("FAILED: with delays: copies differ\n"), 1;
  std::printf("with every kind of delay: %llu after %llu callbacks\n",
              static_cast<unsigned long long>(delayed->combined), static_cast<unsigned long long>(delayed->callbacks));
  digest = chain(chain(digest, delayed->digest), delayed->combined);
  std::printf("digest %s\n", hex16(digest).c_str());
}
