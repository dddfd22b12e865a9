// Who is shown a run in free mode: the recorder, tests. The counterpart of lockstep's RunWatcher.
#pragma once

#include <span>

#include "replication/mirror.h"
#include "wire/journal.h"
#include "world/code_file.h"

namespace convoy {

class LiveWatcher {
 public:
  virtual ~LiveWatcher() = default;
  // In each round of the server, when a run begins, and at its end. `told` has what the owners have last told of their
  // robots; the states in `world` are carried on from that.
  virtual void shown(std::uint32_t run, Tick tick, Instant now, const World& world, const Mirror& told) = 0;
  // An edit, input or change of an element, as soon as it has taken effect or was passed on. Its tick is the server's.
  virtual void entered(const JournalEntry& entry) = 0;
  // All of users' code that is known to take part; whenever there is more of it.
  virtual void code(std::span<const CodeFile>) {}
};

}  // namespace convoy
