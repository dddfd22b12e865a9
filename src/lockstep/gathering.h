// The states of the next boundary as they come in: who sends which records, whether all are there, whether hashes
// agree.
//
// The server and its followers (hosts, guests) gather the same frames with the same checks:
//
//   expect(world, sends)   after edits and joins: whose states come, in which slots
//   begin()                a tick has been opened
//   states(...)            each States frame, into world.next()
//   close(owner, done)     the server: the owner's Done fits what came
//   manifests()            the server: what made up the boundary
//   agree(manifests, ...)  a follower: the same came here
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "wire/lockstep.h"

namespace convoy {

// The boundary that is being gathered.
struct NextBoundary {
  std::uint32_t run = 0;
  Tick tick = 0;
  Duration tick_length{};
};

class Gathering {
 public:
  // Lists the slots of all owners that `sends` names. Forgets what came so far.
  void expect(const World& world, const std::function<bool(Owner)>& sends);
  // One more, which may have no agents.
  void expect(Owner owner) { senders_[owner]; }
  void begin();
  void forget(Owner owner) { senders_.erase(owner); }

  // One frame: of `from` or, if that is kNobody, of the owner that its header names. Returns the number of its records.
  // `inside`, if not empty, gets the agents' hashes by slot.
  Result<std::uint32_t> states(const Payload& payload, const NextBoundary& next, World& world,
                               std::span<AgentHash> inside = {}, Owner from = kNobody);

  // Of the server: has the owner still to send something of this tick?
  bool awaits(Owner owner) const;
  void count_messages(Owner owner, std::size_t messages) { senders_.at(owner).messages += messages; }
  // Commands of a host's own, in this tick so far.
  std::size_t count_inputs(Owner owner, std::size_t inputs) { return senders_.at(owner).inputs += inputs; }
  // The owner's part of the tick is complete, if what it reports of it is what came.
  Status close(Owner owner, const Done& done);
  bool all_closed() const;
  std::vector<Manifest> manifests() const;

  // For a follower: is what came what the server has? Agents of owners that were lost in the tick are held.
  Status agree(std::span<const Manifest> manifests, Tick tick, World& world);

 private:
  struct Sender {
    std::vector<Slot> slots;
    std::uint32_t frames = 0, records = 0;
    std::uint64_t hash = 0;  // of the frames' bytes, chained
    std::size_t messages = 0, inputs = 0;
    bool closed = false;
  };
  std::map<Owner, Sender> senders_;
};

}  // namespace convoy
