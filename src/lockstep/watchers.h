// The watchers of a run in lockstep: recorder, a replay's comparison, tests.
#pragma once

#include <span>
#include <vector>

#include "wire/journal.h"
#include "wire/lockstep.h"
#include "world/code_file.h"
#include "world/world.h"

namespace convoy {

// Called in this order at each boundary.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  // Snapshot k is complete, edits are not yet applied. `inside` by slot, `sent` in order.
  virtual void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                         std::span<const Message> sent) = 0;
  virtual void entered(const JournalEntry& entry) = 0;
  virtual void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
                       std::span<const AgentHash> inside) = 0;
  virtual void checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) = 0;
  // All of users' code that is known to take part; whenever there is more of it, at any moment.
  virtual void code(std::span<const CodeFile>) {}
};

class RunWatchers {
 public:
  void add(RunWatcher* watcher) { all_.push_back(watcher); }
  // True while they are being shown a snapshot: what they submit waits until all have seen it.
  bool busy() const { return busy_; }

  void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message> sent) {
    busy_ = true;
    for (RunWatcher* watcher : all_) watcher->completed(run, tick, world, inside, sent);
    busy_ = false;
  }
  void entered(const JournalEntry& entry) {
    for (RunWatcher* watcher : all_) watcher->entered(entry);
  }
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
               std::span<const AgentHash> inside) {
    for (RunWatcher* watcher : all_) watcher->chained(run, tick, digest, world, inside);
  }
  void code(std::span<const CodeFile> files) {
    for (RunWatcher* watcher : all_) watcher->code(files);
  }
  void checkpointed(const InnerBytes& inner) {
    for (RunWatcher* watcher : all_) watcher->checkpointed(inner.run, inner.tick, inner);
  }

 private:
  std::vector<RunWatcher*> all_;
  bool busy_ = false;
};

}  // namespace convoy
