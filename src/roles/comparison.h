// Compares a run, boundary by boundary, with a recording of it, and names the first difference by tick, entity and field.
//
// At each boundary it compares the entities, the words of states and joints, and the hashes of inner bytes and of
// messages sent; after the edits those that agents asked for, the states again, the elements, the structure and the
// digest. A hash names no field,
// so when one differs the inner bytes of the next checkpoint are compared field by field.
#pragma once

#include "agent/fleet.h"
#include "lockstep/conductor.h"
#include "record/recording.h"

namespace convoy {

struct Difference {
  Place place;
  std::string entity;  // its name; empty when it is none's
  std::string field;   // "pose.p.x", "joint wheel_left_joint position", "inner.random.counter", "digest", ...
  std::string recorded, replayed;
  std::string text(Duration tick) const;  // "tick 137 (1.37 s), burger_walk3, pose.p.x: 1.5 recorded, 1.6 replayed"
};

class Comparison final : public RunWatcher {
 public:
  // Begins at `from`, a boundary of the recording's chunk `chunk`.
  Comparison(const Recording& recording, Place from, std::size_t chunk, const AgentParts& parts);

  void completed(std::uint32_t run, Tick tick, const World& world, std::span<const AgentHash> inside,
                 std::span<const Message> sent) override;
  void entered(const JournalEntry& entry) override;
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
               std::span<const AgentHash> inside) override;
  void checkpointed(std::uint32_t run, Tick tick, const InnerBytes& inner) override;

  // The world did not allow an entry of the journal.
  void refused(const JournalEntry& entry, const Error& error);

  const std::optional<Difference>& difference() const { return difference_; }
  const std::optional<Error>& trouble() const { return trouble_; }  // the recording cannot be read on
  std::uint64_t boundaries() const { return boundaries_; }
  std::uint64_t digests() const { return digests_; }

 private:
  const Recording::Item* next(RecordKind kind, Place place);
  void differ(Difference difference);
  bool compare(const World& world, std::span<const AgentHash> inside, bool agents);
  void compare_words(const World& world, Slot slot, std::size_t at);
  void compare_elements(Place place, std::span<const std::uint64_t> there);
  void compare_asked(Place place, const World& world);
  void compare_worlds(Place place, const Bytes& image, const World& world);
  void name_field(Place place, const World& world);

  const Recording& recording_;
  AgentParts parts_;
  Recording::Cursor cursor_;
  BoundaryCoder coder_;
  Boundary recorded_;
  std::optional<Difference> difference_;
  std::vector<ElementChanged> elements_;  // of this boundary
  std::vector<AskedEdit> asked_;          // of this boundary
  WorldNumber unnamed_ = kNoEntity;       // the agent whose inner state differs, in a field not yet known
  Place inner_at_{0, -1};
  std::map<WorldNumber, Bytes> inner_;  // of the last checkpoint here
  std::optional<Error> trouble_;
  std::uint64_t boundaries_ = 0, digests_ = 0;
};

}  // namespace convoy
