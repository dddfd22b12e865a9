// A whole cluster in free mode from one seed: real time, datagrams that get lost, links that break, callers.
//
//   const LiveOutcome outcome = run(live_plan_of(seed, number), make_wild_script(number, cast).setup);
//
// For some seconds all goes on at once. Then the links behave (datagrams never do), the run is paused, and when all has
// arrived each host must see the world as the server does; see same_view.h. Each call must have run exactly once, with
// the true outcome; see live_calls.h.
#pragma once

#include "testing/cluster.h"

namespace convoy::testing {

struct LivePlan {
  std::uint64_t seed = 0, script = 0;
  std::vector<HostPlan> hosts;
  PathProfile callers;
  Duration liveness{0};
  Duration length{0};       // of the wild part
  Duration fault_every{0};  // mean
  std::vector<Mischief> mischief{};
  double speed = 1;
  bool slow = false;  // the world waits for a host that is too far behind
  bool kill = false;
  std::size_t kill_host = 0;
  Duration kill_after{0};
  Duration return_after{0};  // 0: never
  bool kill_closes = false;  // both as in Plan
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool stranger = false, resend_all = false;
  Planted planted = Planted::kNone;
};

LivePlan live_plan_of(std::uint64_t seed, std::uint64_t script);
std::string describe(const LivePlan& plan);

struct LiveOutcome {
  std::string failure;
  std::uint64_t trace = 0;
  TroubleCounts troubles{};
  std::map<std::string, std::uint64_t> events;
  std::map<std::string, std::uint64_t> drops;  // server's and hosts'
};

LiveOutcome run(const LivePlan& plan, const Setup& setup, bool verbose = false);

}  // namespace convoy::testing
