// The digest of a run: one 64-bit hash that covers every agent, every message and every edit up to a boundary.
//
//   agent hash   = XXH3(words of the state, inner hash, hash of what it sent in the tick, words of the tail)
//   boundary     = XXH3(tick, structure hash, (number, agent hash) in world-number order)
//   digest k     = XXH3(digest k-1, boundary k)
//
// The inner hash is the XXH3 of the agent's saved inner bytes: driver, random counters, odometry, pending messages and
// the order of what happened inside. An entity without an agent has the inner hash 0.
#pragma once

#include <cstdint>
#include <span>

#include "core/fields.h"
#include "world/world.h"

namespace convoy {

struct AgentHash {
  std::uint64_t inner = 0;  // of the inner bytes
  std::uint64_t sent = 0;   // of the messages that left in the tick
  friend bool operator==(const AgentHash&, const AgentHash&) = default;
};
template <class V, MaybeConst<AgentHash> T>
void fields(V& v, T& h) {
  v("inner", h.inner), v("sent", h.sent);
}

std::uint64_t agent_hash(const State& state, std::span<const double> tail, const AgentHash& inside);

// The digest before boundary 0: what the run is a function of, but for where things run.
std::uint64_t digest_seed(const Setup& setup);

// The digest after boundary `tick`; `inside` by slot.
std::uint64_t next_digest(std::uint64_t digest, Tick tick, const World& world, std::span<const AgentHash> inside);

}  // namespace convoy
