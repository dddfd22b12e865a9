// The tick barrier: collects what hosts send of the running tick until the snapshot at its end is complete, and chains
// the digest over the boundaries.
//
//   open()                  snapshot k is final: its digest is chained, and the next one is gathered
//   states() ... done()     what hosts send of the tick
//   complete()              all is there: it is snapshot k + 1
#pragma once

#include <vector>

#include "lockstep/audience.h"
#include "lockstep/gathering.h"
#include "lockstep/opening_inputs.h"
#include "lockstep/place.h"
#include "lockstep/watchers.h"

namespace convoy {

struct BarrierOptions {
  // Planted bug, for tests: merge messages in order of arrival instead of (sender, index).
  bool sort_messages = true;
  // Planted bug, for tests: what a lost host leaves behind does not reach the journal.
  bool journal_losses = true;
};

class Barrier {
 public:
  // All outlive it.
  Barrier(Books& books, Audience& audience, RunWatchers& watchers, BarrierOptions options, std::uint64_t digest_seed);

  const LockstepPlace& place() const { return place_; }
  std::uint64_t ticks_done() const { return ticks_done_; }
  std::uint64_t digest() const { return digest_; }
  // Messages that are handed over at the boundary, in order; while a tick runs, those that it has sent so far.
  std::vector<Message>& messages() { return messages_; }

  // Other owners, other entities: who sends what is found anew when the next tick opens.
  void expect_anew() { stale_ = true; }
  // The snapshot was edited: the next states begin as a copy of it.
  void edited() { edited_ = stale_ = true; }
  // Keeps what is known of agents' insides beside an edit, which apply() carries out and returns what it spawned.
  WorldNumber edit(const Edit& edit);

  // Chains the digest of the boundary, elements' hash (0: none) included.
  void chain_digest(std::uint64_t elements);
  // For the tick that opens next.
  OpeningInputs& opening_inputs() { return inputs_; }
  // The tick begins.
  void open();
  Status states(Owner from, const Payload& payload);
  Status messages(Owner from, ByteView payload);
  Status inputs(Owner from, ByteView payload);  // commands of a host's own
  Status done(Owner from, ByteView payload);
  bool all_done() const { return gathering_.all_closed(); }
  // A host is lost: what came of this tick from it does not count, unless all of it has come.
  void lose(Owner owner, const std::vector<WorldNumber>& agents);
  // Agents lost in the tick that runs, by a journal.
  void lose(const std::vector<WorldNumber>& agents);
  // The snapshot is that of the next boundary. Returns the agents that were lost on the way to it.
  std::vector<WorldNumber> complete();
  std::vector<Manifest> manifests() const { return gathering_.manifests(); }
  void report_completed();  // to the watchers

  void reset();
  void resume_at(Tick tick, std::uint64_t digest, std::vector<AgentHash> inside, std::vector<Message> messages);

 private:
  void hold(WorldNumber number);

  Books& books_;
  Audience& audience_;
  RunWatchers& watchers_;
  BarrierOptions options_;
  LockstepPlace place_;
  std::uint64_t ticks_done_ = 0;
  std::uint64_t digest_seed_, digest_;
  BySlot<AgentHash> inside_, inside_next_;  // by slot
  OpeningInputs inputs_;
  std::vector<Message> messages_;
  std::vector<WorldNumber> lost_;  // agents to hold when the tick in progress completes
  Gathering gathering_;
  bool stale_ = true, edited_ = false;
};

}  // namespace convoy
