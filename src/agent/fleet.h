// The agents of one owner with the mirror of the world they live in: advanced together from boundary to boundary.
//
//   fleet.apply(edit, now)             world edits at boundary k, the same on every host
//   fleet.open(messages)               messages handed over at k find their receivers
//   const Advance& a = fleet.advance(k, inputs)
//   ... others' states go into fleet.world().next(), then fleet.turn()
//
// Who owns what decides only where work is done. Single-threaded but for the fork and join inside advance().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "agent/agent.h"
#include "core/ports.h"

namespace convoy {

// What the owner's agents made of one tick. The states themselves are in world().next().
struct Advance {
  std::vector<Slot> slots;             // of the owned entities, ascending
  std::vector<AgentHash> hashes;       // same order
  std::vector<Message> sent;           // by (sender, index)
  std::uint32_t foreign_contacts = 0;  // first contacts with robots that other owners run
};

// What makes the parts of agents.
struct AgentParts {
  AgentParts(const PhysicsFactory& p, SoftwareFactory* s = nullptr) : physics(&p), software(s) {}
  const PhysicsFactory* physics;
  SoftwareFactory* software;  // null: this host runs no nodes, and agents that have some fail
};

class Fleet {
 public:
  Fleet(World world, const Setup& setup, Owner me, Executor& executor, const AgentParts& parts);

  World& world() { return world_; }
  const World& world() const { return world_; }
  Owner me() const { return me_; }
  Duration tick() const { return setup_.tick; }
  std::size_t agents() const { return agents_.size(); }
  std::uint64_t agent_ticks() const { return agent_ticks_; }
  std::uint64_t foreign_contacts() const { return foreign_contacts_; }

  // Makes agents for owned entities that have none. Call after owners were given.
  void take_up();
  // False: a Move's inner bytes are not those of such an agent.
  bool apply(const Edit& edit, Instant now);
  // After all edits of a boundary.
  void settle();
  // Messages of the last tick, from all agents, at the boundary k that the snapshot shows.
  void open(std::span<const Message> messages);
  const Advance& advance(Tick k, std::span<const Input> inputs);
  void turn() { world_.turn(); }

  // The inner bytes of an owned agent, to hash, checkpoint or hand over; empty if it is not owned here.
  Bytes inner(WorldNumber number) const;
  bool restore(WorldNumber number, ByteView inner);
  const Agent* agent(WorldNumber number) const;
  Agent* mine(WorldNumber number);
  const std::vector<std::unique_ptr<Agent>>& all() const { return agents_; }  // by world number
  // Answers a NodesQuestion (agent/inspect.h) about the agents' nodes. Between ticks.
  Bytes answer(ByteView question);
  // The entity was deleted, or another owner runs it now.
  void drop(WorldNumber number);

 private:
  friend struct FollowEdit;  // what it does with each kind of edit (agent/fleet_edits.h)
  using Agents = std::vector<std::unique_ptr<Agent>>;
  Agents::const_iterator place_of(WorldNumber number) const;
  enum class Begins : std::uint8_t { kAsCreated, kWhereItIs };  // of its joints: else they are where the model has them
  void make(Slot slot, Begins begins = Begins::kAsCreated);
  void refresh_carried();
  void hand_over(const Message& message);
  void hand_over(nodes::RemoteMessage message, const Message& envelope);
  void refresh_slots();
  void find_inputs(std::span<const Input> inputs);
  void advance_some(Instant begin, std::size_t first, std::size_t last);

  World world_;
  Setup setup_;  // without the map's cells
  Owner me_;
  Executor& executor_;
  AgentParts parts_;
  Agents agents_;                // by world number
  std::vector<Slot> slots_;      // of each of them
  BySlot<Agent*> agent_at_;      // by slot; null: not owned
  std::uint64_t slots_for_ = 0;  // generation of the grid for which these two hold; 0: for none
  // The inputs of the tick by agent, in journal order within each.
  std::vector<std::pair<WorldNumber, std::uint32_t>> inputs_;  // and its index in:
  std::vector<Input> inputs_in_order_;
  std::map<WorldNumber, Bytes> parts_of_;  // of a message of nodes that is too large for one, by sender
  std::uint64_t directory_version_ = 0;    // version of the directory that the agents' nodes know; 0: none
  Loads loads_;
  Grid grid_;
  Advance advance_;
  std::vector<AgentOutput> outputs_;
  std::uint64_t agent_ticks_ = 0, foreign_contacts_ = 0;
};

}  // namespace convoy
