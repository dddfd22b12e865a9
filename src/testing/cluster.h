// A whole cluster in one process from one seed: a server, its hosts, a network with faults, an attacker.
//
//   const Plan plan = plan_of(seed);                       // what kind of run this seed is
//   const Outcome outcome = run(plan, script, parts);
//   const Outcome calm = run(undisturbed(plan.script), script, parts);   // outcome.digest == calm.digest
//
// After a host was lost for good the run is another; then the calm run is fed with its journal (`replay`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/fleet.h"
#include "testing/script.h"
#include "testing/trouble.h"

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
  std::uint32_t image_chunk = static_cast<std::uint32_t>(kMaxChunk);
  Duration fault_every{0};           // mean; 0: no faults
  std::vector<Mischief> mischief{};  // that there may be
  std::vector<Tick> pauses{};        // boundaries at which somebody pauses the run for a while
  Tick cut_at = -1;                  // one cut at least
  Tick kill_at = -1;
  std::size_t kill_host = 0;
  Duration return_after{0};  // 0: never; else a new process comes so long after, under the same name
  bool kill_closes = false;  // its links break, as where a process dies; else nothing is heard of it any more
  LeavePolicy leave = LeavePolicy::kFreeze;
  bool stranger = false;  // an attacker with wrong tokens and with garbage
  Planted planted = Planted::kNone;
};

// `end`: of its script, a boundary.
Plan plan_of(std::uint64_t seed, std::uint64_t script, Tick end);
// Few hosts, no faults, no latency: what the digest of a script is.
Plan undisturbed(std::uint64_t script, std::size_t hosts = 0);
std::string describe(const Plan& plan);

struct Outcome {
  std::string failure;  // empty: the run came to its end in order
  std::uint64_t digest = 0;
  std::vector<std::uint64_t> digests;  // by boundary
  std::uint64_t messages = 0;          // hash of all messages in the order in which they were handed over
  std::uint64_t trace = 0;
  Tick ticks = 0;
  TroubleCounts troubles{};
  std::map<std::string, std::uint64_t> events;  // what else it went through, and what was done to its world
  std::map<std::string, std::uint64_t> drops;   // server's and hosts'
  std::vector<JournalEntry> journal;
  bool killed = false;
};

// `parts` are what all hosts compute with. `replay`, if given, takes the place of the script's steps. `verbose` prints what
// the roles log, to stderr.
Outcome run(const Plan& plan, const Script& script, const AgentParts& parts,
            const std::vector<JournalEntry>* replay = nullptr, bool verbose = false);
// With kinematic robots.
Outcome run(const Plan& plan, const Script& script);

}  // namespace convoy::testing
