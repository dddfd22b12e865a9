// Sends entities' states to one peer: what has changed since the peer last acknowledged it, within a budget, most
// urgent first.
//
//   sender.want(states, wanted)                     the entities that matter to this peer from now on
//   sender.write(states, round, emit)               one round: datagram payloads; emit returns the datagram's number
//   sender.acked(number)                            the peer has acknowledged that datagram
//
// What is not acknowledged after a few rounds is sent again, in its latest form.
#pragma once

#include <functional>

#include "replication/mirror.h"

namespace convoy {

class StateSender {
 public:
  struct Wanted {
    Slot slot;
    float distance = 0;    // m from what matters to the peer: the nearer, the more urgent
    bool passing = false;  // send it once only, as long as it is wanted
  };
  // Sends a payload; the number of its datagram, or 0 if it could not leave.
  using Emit = std::function<std::uint32_t(ByteView payload)>;
  struct Round {
    Instant reached{};               // how far the sender is; sent in each round, even without states
    std::size_t budget = 32 * 1024;  // bytes of states; what does not fit is the more urgent in the next round
    bool joints = true;              // send them, too
  };

  // By slot, ascending. Call it again whenever the world's entities change. Entities not in the list are forgotten.
  void want(std::span<const MirroredState> shown, std::span<const Wanted> wanted);
  // One round: a datagram or more. Returns how many states went out.
  std::size_t write(const MirroredStates& shown, const Round& round, const Emit& emit);
  void acked(std::uint32_t datagram);
  void clear() { progress_.clear(); }

  // Has the peer everything that was wanted in the last round?
  bool complete() const { return open_ == 0; }
  std::uint64_t deferred() const { return deferred_; }  // states that a budget has kept back, all rounds

 private:
  struct Progress {
    WorldNumber number = kNoEntity;
    std::uint32_t acked = 0, sent = 0;  // versions + 1; 0: none
    std::uint32_t datagram = 0;         // that carried `sent`
    std::uint32_t round = 0;            // when
    Slot slot;
    float distance = 0;
    bool passing = false;
  };
  struct Due {
    const MirroredState* shown;
    std::uint32_t progress;  // index
    std::uint32_t group;
  };
  struct Group {  // what may be in one batch
    Instant stamp{};
    BatchOrigin origin;
    std::uint8_t joints = 0;
    std::uint32_t next = 0;  // count, then place in order_
    Group() = default;
    Group(const MirroredState& s) : stamp(s.stamp), origin(s.origin), joints(s.joints_received ? s.joints : 0) {}
    bool takes(const MirroredState& s) const {
      return stamp == s.stamp && origin == s.origin && joints == (s.joints_received ? s.joints : 0);
    }
  };
  void find_due(const MirroredStates& shown);
  void keep_within(const Round& round);
  void group(Due& due);
  void put_in_order();
  void send(const Emit& emit);

  std::vector<Progress> progress_, before_;  // by world number
  std::vector<Due> due_;
  std::vector<Group> groups_;
  std::size_t last_group_ = 0;              // the group last put into, plus 1; 0: none
  std::vector<Due> order_;                  // group by group
  BatchWriter datagram_;                    // that is being filled
  std::vector<std::uint32_t> in_datagram_;  // whose states are in it
  std::uint32_t round_ = 0;
  std::size_t open_ = 0;
  std::uint64_t deferred_ = 0;
};

}  // namespace convoy
