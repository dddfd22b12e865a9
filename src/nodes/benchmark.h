// RSLCPP's synthetic determinism benchmark, written directly on the kernel: four nodes whose states depend on the order
// of every callback (TUMFTM/rslcpp, arXiv 2601.07052; ids, initial states and constants are the published ones).
#pragma once

#include <array>
#include <memory>

#include "core/fields.h"
#include "nodes/graph.h"
#include "nodes/plain_type.h"

namespace convoy::nodes::benchmark {

struct UInt64 {
  std::uint64_t data = 0;
};
template <class V, MaybeConst<UInt64> T>
void fields(V& v, T& m) {
  v("data", m.data);
}
struct TriggerRequest {
  std::uint8_t structure_needs_at_least_one_member = 0;
};
template <class V, MaybeConst<TriggerRequest> T>
void fields(V& v, T& m) {
  v("nothing", m.structure_needs_at_least_one_member);
}
struct TriggerResponse {
  bool success = false;
  std::string message;
};
template <class V, MaybeConst<TriggerResponse> T>
void fields(V& v, T& m) {
  v("success", m.success), v("message", m.message);
}

std::uint64_t splitmix64(std::uint64_t x);
std::uint64_t combine(std::uint64_t h1, std::uint64_t h2);

struct Outcome {
  std::array<std::uint64_t, 4> states{};  // of A, B, C and D
  std::uint64_t combined = 0;
  std::uint64_t callbacks = 0;  // without those of the monitor
  std::uint64_t digest = 0;     // of the graph
};

enum class Start {
  kDefault,  // nodes are built at T0
  kOverdue,  // nodes are built at 0, as RSLCPP does: every timer fires at T0
};

inline constexpr Outcome kPublished{
    {3924739178523851918u, 416215330994369847u, 18314823502387776320u, 1601759294353606794u},
    7448837717382456148u,
    19011};
inline constexpr std::uint64_t kStableOverdue = 14807076229895937644u;  // combined; 19011 callbacks
inline constexpr std::uint64_t kStableDefault = 13654575239530210506u;  // combined; 19190 callbacks

// 100 s of simulated time from T0 = 10 s. Several can run side by side: step() runs one instant, false at the end.
class Benchmark {
 public:
  Benchmark(TimerOrder order, Start start, std::vector<DelayRule> delays = {});
  ~Benchmark();
  bool step();
  Outcome outcome() const;

 private:
  struct Nodes;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Nodes> nodes_;
};

Outcome run(TimerOrder order, Start start);

}  // namespace convoy::nodes::benchmark
