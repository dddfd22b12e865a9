// A gateway connects outside programs to the robots of one host.
//
// Before each tick it may command them, after each tick it reads their states. Commands are inputs of that tick: in
// lockstep the host sends them to the server, which journals them, so that a replay has them at the same tick in the
// same order. In free mode it may command them before each physics step. A gateway may also hold the run at a boundary
// (horizon()), and send requests to the server (take_wishes()).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/fleet.h"

namespace convoy {

// The boundary that the agents of a host have reached. `run` counts resets of the whole world.
struct HostPosition {
  std::uint32_t run = 0;
  Tick tick = 0;
  bool lockstep = false;
};

// A request to the server; the answer has the same id.
struct GatewayWish {
  enum class Kind : std::uint8_t {
    kEdit,  // at the current boundary, or at the next one if a tick is running
    kPause,
    kResume,
    kSpeed,  // `speed`: simulated seconds per second; 0: as fast as possible
    kQuery,  // asks for the state of the run; `text` is published to the other hosts' gateways
    kCall,   // any call that the client may make: `text` is JSON (roles/wishes.h), and so is the answer's
  };
  std::uint64_t id = 0;
  Kind kind{};
  Edit edit;
  double speed = 0;
  std::string text;
  std::string holder{};  // of kEdit and kCall: as whom, for leases
};
struct GatewayAnswer {
  std::uint64_t id = 0;
  std::optional<Error> error;
  Tick tick = 0;     // at which it took effect
  std::string text;  // of kQuery: JSON; of kCall the reply, which says itself whether it was refused
};

struct GatewayCount {
  std::string name;  // "zmq_received"
  std::uint64_t count = 0;
  bool dropped = false;
};

class Gateway {
 public:
  virtual ~Gateway() = default;
  // Tick k begins; world().snapshot() is boundary k. Appends at most kMaxGatewayInputs inputs to agents of the fleet.
  virtual void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) = 0;
  // The agents are at boundary `reached`, and `states` has theirs.
  virtual void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) = 0;
  // Free mode: within a tick the agents are about to make their next physics step (Fleet::physics_step()), or have made
  // one. Commands act from that step on. `states` has where the agents are now; the boundary is still the last one.
  virtual void before_step(const Fleet&, std::vector<Input>& /*inputs*/) {}
  virtual void after_step(const Fleet&, const Snapshot& /*states*/) {}
  // Between ticks, and in free mode between steps, with the host's clock; also while the run waits. `fleet`: null
  // before there is a world.
  virtual void on_time(const Fleet* fleet, Moment now) = 0;
  virtual Moment deadline() const = 0;

  // The snapshot is complete at this boundary, edits included. Called when there is a world, and after each edit.
  virtual void at_boundary(const Fleet&, const HostPosition&) {}
  // Lockstep: the last boundary that the run may reach now; nothing: no limit. If the run is past it already, the
  // server holds the next boundary instead, and held_at() is called with that one.
  virtual std::optional<Tick> horizon() const { return std::nullopt; }
  // Does it hold the world, and wait for held_at() to report where?
  virtual bool awaits_held_at() const { return false; }
  virtual void held_at(const Fleet*, std::uint32_t /*run*/, Tick) {}
  // Requests since the last call. The answer to an edit comes when the edit has been applied here.
  virtual std::vector<GatewayWish> take_wishes() { return {}; }
  virtual void answered(const Fleet*, const GatewayAnswer&) {}
  // The client takes part no more, and nothing else is called but counts().
  virtual void left() {}
  // Takes samples of this host's sensors for programs outside; null: it takes none. The same one all its life.
  virtual SampleTaker* taker() { return nullptr; }
  // When one of them becomes readable, on_time() has something to do.
  virtual std::vector<int> descriptors() const { return {}; }
  // What passed and what was dropped, for the report at the end.
  virtual std::vector<GatewayCount> counts() const { return {}; }
};

inline constexpr std::size_t kMaxGatewayInputs = 4096;  // of one host in one tick

}  // namespace convoy
