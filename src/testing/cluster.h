// A whole cluster in one process from one seed: a server, its hosts, a network with faults, an attacker.
//
//   const Plan plan = plan_of(seed);                       // what kind of run this seed is
//   const Outcome outcome = run(plan, make_script(plan.script));
//   const Outcome calm = run(undisturbed(plan.script), ...);   // outcome.digest == calm.digest
//
// After a host was lost for good the run is another; then the calm run is fed with its journal (`replay`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testing/script.h"
#include "testing/sim_net.h"

namespace convoy::testing {

// Bugs put in on purpose, to see that the seeds notice.
enum class Planted : std::uint8_t {
  kNone,
  kDedupe,
  kOrdering,
  kTokens,
  kResend,
  kGaps,
  kCorrupt,
  kLosses,
  kChecksum,
  kStamps
};
const char* name_of(Planted planted);
std::optional<Planted> planted_of(const std::string& name);

struct HostPlan {
  std::string name;
  PathProfile path;
  Moment start{};
  bool expected = true;      // the run waits for it; else it comes late
  std::uint64_t pieces = 0;  // seed of the order in which its executor runs pieces; 0: one piece
};

struct Plan {
  std::uint64_t seed = 0, script = 0;
  std::vector<HostPlan> hosts;  // in the order in which they were set up
  Duration liveness{0};         // 0: off
  bool datagrams = false;       // hosts register a datagram endpoint
  bool resend_all = false;      // channels resend generously, so that duplicates come
  Duration fault_every{0};      // mean; 0: no faults
  Tick cut_at = -1;             // one cut at least
  Tick kill_at = -1;
  std::size_t kill_host = 0;
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool stranger = false;  // an attacker with wrong tokens and with garbage
  Planted planted = Planted::kNone;
};

Plan plan_of(std::uint64_t seed);
// Few hosts, no faults, no latency: what the digest of a script is.
Plan undisturbed(std::uint64_t script, std::size_t hosts = 0);
std::string describe(const Plan& plan);

// What the cluster went through, beside the network's troubles.
struct Events {
  std::uint64_t reconnects = 0, resent = 0, duplicates = 0, slow_starts = 0, late_joins = 0, carried_across = 0,
                lost_hosts = 0;
  std::uint64_t lost_mid_tick = 0, wrong_tokens = 0, garbage = 0, contacts = 0, messages = 0, confirmed_datagrams = 0;
};

struct Outcome {
  std::string failure;  // empty: the run came to its end in order
  std::uint64_t digest = 0;
  std::vector<std::uint64_t> digests;  // by boundary
  std::uint64_t messages = 0;          // hash of all messages in the order in which they were handed over
  std::uint64_t trace = 0;
  Tick ticks = 0;
  TroubleCounts troubles{};
  Events events;
  std::map<std::string, std::uint64_t> drops;  // server's and hosts'
  std::vector<JournalEntry> journal;
  bool killed = false;
};

// `replay`, if given, takes the place of the script's steps. `verbose` prints what the roles log, to stderr.
Outcome run(const Plan& plan, const Script& script, const std::vector<JournalEntry>* replay = nullptr,
            bool verbose = false);

}  // namespace convoy::testing
