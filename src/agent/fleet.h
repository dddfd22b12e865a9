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
#include <optional>
#include <vector>

#include "agent/agent.h"
#include "agent/element_view.h"
#include "agent/fleet_orders.h"
#include "agent/fleet_pictures.h"
#include "agent/fleet_rays.h"
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
  AgentParts(const PhysicsFactory& p, SoftwareFactory* s = nullptr, const RayCasters* r = nullptr,
             SampleTaker* t = nullptr, UsersSensors* u = nullptr, PictureMaker* m = nullptr)
      : physics(&p), software(s), rays(r), taker(t), sensors(u), pictures(m) {}
  const PhysicsFactory* physics;
  SoftwareFactory* software;     // null: this host runs no nodes, and agents that have some fail
  const RayCasters* rays;        // null: this host casts none, and takes no run with sensors that do
  SampleTaker* taker;            // null: only nodes take samples
  UsersSensors* sensors;         // null: robots have sensors of Convoy's own types alone
  PictureMaker* pictures;        // null: this host draws none, and takes no run with cameras
  SampleMeter* meter = nullptr;  // null: nobody wants to know what samples take
  // ns since any moment, for Counts::busy_ns and Done::busy_ns, since no clock is read here; empty: they stay 0.
  std::function<std::uint64_t()> stopwatch;
};

// Inputs by agent, in journal order within each.
class InputsByAgent {
 public:
  void take(std::span<const Input> inputs);
  std::span<const Input> of(WorldNumber agent) const;

 private:
  std::vector<std::pair<WorldNumber, std::uint32_t>> places_;  // and its index among those given
  std::vector<Input> in_order_;
};

class Fleet {
 public:
  Fleet(World world, const Setup& setup, Owner me, Executor& executor, const AgentParts& parts);

  World& world() { return world_; }
  const World& world() const { return world_; }
  Owner me() const { return me_; }
  Duration tick() const { return setup_.tick; }
  struct Counts {
    std::uint64_t agent_ticks = 0, foreign_contacts = 0;
    std::uint64_t ticks = 0, busy_ns = 0;  // advanced, and the time that it took; for people, never for the run
  };
  const Counts& counts() const { return counts_; }

  // Makes agents for owned entities that have none. Call after owners were given.
  void take_up();
  // False: a Move's inner bytes are not those of such an agent.
  bool apply(const Edit& edit, Instant now);
  // After all edits of a boundary.
  void settle();
  // Messages of the last tick, from all agents, at the boundary k that the snapshot shows.
  void open(std::span<const Message> messages);
  // Samples that other hosts compute.
  FleetOrders& orders() { return sight_.orders; }
  // Tick k up to `to`, counted from its beginning; nothing: to its end. In free mode it may come in parts: the agents
  // make the physics steps that begin in the part, with inputs that act from its beginning on. Robots whose physics has
  // one step a tick are at k+1 after the first; where all are is in world().next(). The result is there after the last
  // part.
  const Advance& advance(Tick k, std::span<const Input> inputs, std::optional<Duration> to = {});
  // How far the tick in progress has come; 0: none is.
  Duration reached() const { return progress_.reached; }
  void turn() { world_.turn(), progress_.ahead = false; }
  // Its agents are beyond the boundary that its world shows: from the beginning of a tick on until turn(). What a robot
  // feels and senses cannot be told then.
  bool ahead() const { return progress_.ahead; }

  // The inner bytes of an owned agent, to hash, checkpoint or hand over; empty if it is not owned here.
  Bytes inner(WorldNumber number) const;
  const Agent* agent(WorldNumber number) const;
  Agent* mine(WorldNumber number);
  const std::vector<std::unique_ptr<Agent>>& all() const { return agents_; }  // by world number
  // Another number whenever some of them have come, gone or been made anew; no other fleet of this process has it.
  std::uint64_t roll() const { return roll_.number; }
  // Answers a NodesQuestion (agent/inspect.h) about the agents. What they feel and sense: only where it is not ahead().
  Bytes answer(ByteView question);
  // What an agent finds at the boundary between ticks; `grid` is filled for it, and rays are cast or pictures drawn if it
  // needs them; pictures until the next call, and at once those of the cameras that are named.
  enum class Looks : std::uint8_t { kNone, kCast, kDraw };
  AgentTick at_boundary(Slot slot, Grid& grid, Looks looks, CameraShots cameras = {}) const;
  // The entity was deleted, or another owner runs it now.
  void drop(WorldNumber number);

 private:
  friend Duration clock_start(const Fleet& fleet);
  // Without the map's cells, files and entities, which the world has.
  friend const Setup& setup_of(const Fleet& fleet) { return fleet.setup_; }
  friend struct FollowEdit;  // what it does with each kind of edit (agent/fleet_edits.h)
  using Agents = std::vector<std::unique_ptr<Agent>>;
  Agents::const_iterator place_of(WorldNumber number) const;
  enum class Begins : std::uint8_t { kAsCreated, kWhereItIs };  // of its joints: else they are where the model has them
  void make(Slot slot, Begins begins = Begins::kAsCreated);
  void others();  // the agents are others
  void refresh_carried();
  void hand_over(const Message& message);
  void hand_over(nodes::RemoteMessage message, const Message& envelope);
  void refresh_slots();
  void advance_some(Instant begin, Duration to, std::size_t first, std::size_t last);

  World world_;
  Setup setup_;  // without the map's cells
  Owner me_;
  Executor& executor_;
  AgentParts parts_;
  Agents agents_;  // by world number
  struct {
    std::uint64_t number = 0;     // as roll()
    std::vector<Slot> slots;      // of each of them
    BySlot<Agent*> at;            // by slot; null: not owned
    std::uint64_t slots_for = 0;  // generation of the grid for which these two hold; 0: for none
  } roll_;
  InputsByAgent inputs_;  // of the part of a tick in progress
  struct Inbox {
    std::map<WorldNumber, Bytes> parts;  // of a message of nodes that is too large for one, by sender
    ElementView elements;                // of outside programs
  };
  Inbox inbox_;
  std::uint64_t directory_version_ = 0;  // version of the directory that the agents' nodes know; 0: none
  Loads loads_;
  Grid grid_;
  struct Sight {
    FleetRays rays;  // shapes and trees, made when they are first needed
    FleetPictures pictures;
    FleetOrders orders;
    std::shared_ptr<Exposures> asked;  // for who asks between ticks
  };
  mutable Sight sight_;
  Advance advance_;
  std::vector<AgentOutput> outputs_;
  struct Progress {
    Duration reached{0};  // within the tick
    bool ahead = false;
  };
  Progress progress_;
  Counts counts_;
};

// The time from one physics step to the next, of all agents together; fleet.tick(): all have one step a tick. But at
// least kShortestStep: a model may step every few microseconds, and so often nobody looks at the network.
inline constexpr Duration kShortestStep = std::chrono::milliseconds(1);
Duration physics_step(const Fleet& fleet);

// What clocks of robots' software show at instant 0: the scenario's nodes.start.
Duration clock_start(const Fleet& fleet);

}  // namespace convoy
