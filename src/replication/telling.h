// What one peer has been told of entities' states, and what it is told next: what has changed since it last said that it
// got it, within a budget, most urgent first.
//
//   telling.begin(wanted)                           who matters to this peer now
//   telling.write(shown, budget, emit)              datagram payloads; emit returns the datagram's number
//   telling.acked(number)                           the peer has that datagram
//
// Datagrams may be lost: what was sent and is not acknowledged after a few rounds is sent again, in its latest form.
#pragma once

#include <functional>

#include "replication/mirror.h"

namespace convoy {

class Telling {
 public:
  struct Wanted {
    Slot slot = 0;
    float distance = 0;  // m from what the peer cares about: the nearer, the more urgent
  };
  // Sends a batch; the number of its datagram, or 0 if it could not leave.
  using Emit = std::function<std::uint32_t(ByteView payload)>;

  // One round. `wanted` by slot, ascending. At most `budget` bytes of payload; what does not fit is the more urgent in the next
  // round. Returns how many states went out. What is not wanted any more is forgotten.
  std::size_t write(std::span<const Shown> shown, std::span<const Wanted> wanted, std::size_t budget, const Emit& emit);
  void acked(std::uint32_t datagram);
  void clear() { told_.clear(); }

  // Has the peer everything that was wanted in the last round?
  bool complete() const { return open_ == 0; }
  std::uint64_t deferred() const { return deferred_; }  // states that a budget has kept back, all rounds

 private:
  struct Told {
    WorldNumber number = kNoEntity;
    std::uint32_t acked = 0, sent = 0;  // versions + 1; 0: none
    std::uint32_t datagram = 0;         // that carried `sent`
    std::uint32_t round = 0;            // when
  };
  struct Due {
    Slot slot;
    std::uint32_t told;   // index
    float urgency;
  };
  struct Open {           // a batch that is being filled
    Instant stamp{};
    BatchOrigin origin;
    Bytes bytes;
    std::vector<std::uint32_t> told;
  };
  void put(const Shown& shown, std::uint32_t told, const Emit& emit);
  void send(Open& batch, const Emit& emit);

  std::vector<Told> told_, before_;  // by world number
  std::vector<Due> due_;
  std::vector<Open> batches_;
  std::uint32_t round_ = 0;
  std::size_t open_ = 0;
  std::uint64_t deferred_ = 0;
};

}  // namespace convoy
