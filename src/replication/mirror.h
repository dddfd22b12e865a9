// The last state received of each entity, and its extrapolation to now.
//
// The server has one for the states that owners send, every host one for those that the server relays; both check and
// extrapolate alike. Entries are indexed by slot, like the world's snapshot; follow() keeps them so after edits.
#pragma once

#include <vector>

#include "session/drops.h"
#include "wire/live.h"
#include "world/world.h"

namespace convoy {

// A quantised state, ready to send: 25 bytes, and where its joints are. One cache line, because senders access them in
// no particular order.
struct alignas(64) MirroredState {
  WorldNumber number = kNoEntity;
  std::uint32_t version = 0;     // counts its changes
  bool received = false;         // else what every peer has from the last edit still holds: there is nothing to send
  mutable bool stale = false;    // the 25 bytes are newer than what was read from them; most are never read
  bool joints_received = false;  // with the 25 bytes
  std::uint8_t joints = 0;       // that its model has; 0 if they are too many to be sent
  std::uint32_t joints_at = 0;
  Instant stamp{};
  BatchOrigin origin;
  QuantizedState bytes{};
};
static_assert(sizeof(MirroredState) == 64);

// All of them, by slot.
struct MirroredStates {
  std::span<const MirroredState> states;
  ByteView joints;  // packed (wire/live), at the entities' joints_at
  ByteView joints_of(const MirroredState& s) const {
    return s.joints_received ? joints.subspan(s.joints_at, s.joints * kJointSize) : ByteView();
  }
};

class Mirror {
 public:
  struct Rules {
    bool check_stamps = true;                              // false: a planted bug, for tests
    Duration most_ahead = std::chrono::milliseconds(500);  // stamps beyond now and this are refused
  };
  explicit Mirror(Rules rules) : rules_(rules) {}

  // Call at first and after edits: one entry for each entity. An entity whose discontinuity count has changed was moved
  // by an edit; states received before that are discarded.
  void follow(const World& world);
  void clear() { shown_.clear(), joints_.clear(), known_.clear(), counts_.clear(), owners_.clear(); }

  struct Taken {
    std::size_t states = 0;  // that were new
    bool whole = true;       // false: something was refused that may be right once an edit or the time has come
  };
  // Takes the records of a batch from `teller`, which must own their entities (kNobody: the server, which may send all
  // but those of `me`); others are counted as drops. `each(slot, record)` is called for every record before it is
  // taken.
  template <class Each>
  Taken take(const Batch& batch, Instant now, Owner sender, Owner me, Drops& drops, const Each& each);
  // The last state received, at its stamp; if none was, the state after the last edit.
  const State& known(Slot slot) const {
    if (shown_[slot].stale) read(slot);
    return known_[slot];
  }
  bool received(Slot slot) const { return shown_[slot].received; }
  // An entity's state as a record gives it.
  State state_of(Slot slot, const std::uint8_t* record, const BatchOrigin& origin, Instant stamp) const;

  // Writes the entity's state at `now` into the snapshot: what was received, carried on. True if anything was received.
  bool reckon(World& world, Slot slot, Instant now) const;

  // Sets the state of an own entity from the world, to be sent to others. True if it has changed; false too if it does
  // not fit into 25 bytes (counted by unshown()).
  bool show(const World& world, Slot slot, Instant stamp);
  std::uint64_t unshown() const { return unshown_; }

  MirroredStates shown() const { return {shown_, joints_}; }
  std::size_t size() const { return shown_.size(); }
  Slot slot_of(WorldNumber number) const {
    return number.value() < slot_at_.size() ? slot_at_[number.value()] : kNoSlot;
  }

 private:
  void read(Slot slot) const;

  Rules rules_;
  BySlot<MirroredState> shown_;   // by slot
  Bytes joints_;                  // of all, packed
  mutable BySlot<State> known_;   // by slot; dequantised, at the stamp, unless stale
  BySlot<std::uint64_t> counts_;  // discontinuity count by slot, as of the last follow()
  BySlot<Owner> owners_;          // by slot, as of the last follow(): entities are large
  std::vector<Slot> slot_at_;     // by world number
  std::uint64_t unshown_ = 0;
};

template <class Each>
Mirror::Taken Mirror::take(const Batch& batch, Instant now, Owner sender, Owner me, Drops& drops, const Each& each) {
  if (batch.stamp > now + rules_.most_ahead || nanos(batch.stamp) < 0) {
    drops.count(nanos(batch.stamp) < 0 ? Drop::kMalformed : Drop::kFutureStamp, std::max<std::size_t>(1, batch.size()));
    return {0, nanos(batch.stamp) < 0};
  }
  Taken taken;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint8_t* record = batch.record(i);
    const Slot slot = slot_of(number_of(record));
    if (slot == kNoSlot) {
      drops.count(Drop::kUnknownEntity);
      taken.whole = false;
      continue;
    }
    if (sender != kNobody ? owners_[slot] != sender : owners_[slot] == me) {
      drops.count(Drop::kNotOwner);
      taken.whole = false;
      continue;
    }
    MirroredState& shown = shown_[slot];
    const bool elsewhere = discontinuity_of(record) != (counts_[slot] & 15);
    if (elsewhere || (rules_.check_stamps && shown.received && batch.stamp <= shown.stamp)) {
      drops.count(Drop::kStaleStamp);
      taken.whole = taken.whole && !elsewhere;
      continue;
    }
    if (batch.joints != 0 && batch.joints != shown.joints) {
      drops.count(Drop::kMalformed);
      continue;
    }
    each(slot, record);
    shown.joints_received = batch.joints != 0;
    if (shown.joints_received)
      std::memcpy(joints_.data() + shown.joints_at, record + kQuantizedSize, batch.joints * kJointSize);
    shown.stamp = batch.stamp, shown.origin = batch.origin;
    std::memcpy(shown.bytes.data(), record, kQuantizedSize);
    shown.received = shown.stale = true;
    ++shown.version;
    ++taken.states;
  }
  return taken;
}

}  // namespace convoy
