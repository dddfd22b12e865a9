// A run computed again: from a journal instead of people's calls, and from a checkpoint instead of the setup.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "lockstep/barrier.h"
#include "lockstep/opening_elements.h"

namespace convoy {

// Where a replay gets the entries of the journal from: called once at each boundary, before its edits.
class JournalFeed {
 public:
  virtual ~JournalFeed() = default;
  struct Boundary {
    std::span<const JournalEntry> entries;  // what takes effect here, in order; losses and absences are skipped
    std::vector<WorldNumber> lost;          // agents lost in the tick that begins here
    bool last = false;                      // the run ends here
  };
  virtual Boundary at(std::uint32_t run, Tick tick) = 0;
  // The world does not allow this entry of the journal.
  virtual void refused(const JournalEntry& entry, const Error& error) = 0;
};

// Where a checkpoint left a run: the world before the boundary's edits.
struct Resumption {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::uint64_t digest = 0;  // of the boundary before
  World world;
  std::vector<AgentHash> inside;       // by slot
  std::vector<Message> messages;       // handed over at this boundary
  std::map<WorldNumber, Bytes> inner;  // agents' inner bytes
  std::vector<WorldNumber> ownerless;  // entities without an agent; the others are placed anew
};

class Playback {
 public:
  // All outlive it.
  Playback(Books& books, Barrier& barrier, OpeningElements& elements)
      : books_(books), barrier_(barrier), elements_(elements) {}

  // Before the run starts.
  void replay_from(JournalFeed* feed) { feed_ = feed; }
  void resume_at(Resumption from);

  void started() { asked_at_.reset(); }
  // Agents lost in the tick that runs.
  void mark_lost(const Lost& lost) { barrier_.lose(lost.agents); }
  enum class Asked : std::uint8_t { kNothing, kEntered, kLast };
  // Enters what the feed has for the boundary at hand, once.
  Asked enter_boundary();
  // Of a resumed world: it stays without an agent until a reset.
  bool ownerless(WorldNumber number) const { return ownerless_.count(number) > 0; }
  void run_reset() { ownerless_.clear(); }
  // Inner bytes that the hosts do not have yet.
  std::map<WorldNumber, Bytes> take_resumed() { return std::exchange(resumed_, {}); }

 private:
  void enter(const JournalEntry& entry);

  Books& books_;
  Barrier& barrier_;
  OpeningElements& elements_;
  JournalFeed* feed_ = nullptr;
  std::optional<std::pair<std::uint32_t, Tick>> asked_at_;  // the boundary that the feed was asked about
  std::set<WorldNumber> ownerless_;
  std::map<WorldNumber, Bytes> resumed_;
};

}  // namespace convoy
