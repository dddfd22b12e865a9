// A door for programs outside the run to the robots of one owner: before each tick it may command them, after it it
// sees them.
//
// What it commands are inputs of that very tick. In lockstep the host says them to the server with the tick, which
// journals them there: a replay gives them back at the same tick, in the same order. It may hold the world at a boundary
// (horizon()), and ask the server for what concerns more than its robots (take_wishes()).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/fleet.h"

namespace convoy {

// Where the agents of a host stand. Runs count resets of the whole world.
struct Standing {
  std::uint32_t run = 0;
  Tick tick = 0;
  bool lockstep = false;
};

// What a gateway asks of the server, and the answer, by the same id.
struct GatewayWish {
  enum class Kind : std::uint8_t {
    kEdit,  // at the boundary where the world stands, or the next one
    kPause,
    kResume,
    kSpeed,  // `speed`: simulated seconds per second; 0: as fast as possible
    kLook,   // how the run stands; `text` is what others get to know of this gateway
  };
  std::uint64_t id = 0;
  Kind kind{};
  Edit edit;
  double speed = 0;
  std::string text;
};
struct GatewayAnswer {
  std::uint64_t id = 0;
  std::optional<Error> error;
  Tick tick = 0;     // at which it took effect
  std::string text;  // of kLook: JSON
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
  // The agents stand at boundary `reached`, and `states` has theirs.
  virtual void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) = 0;
  // Between ticks, with the host's clock; also while the run waits. `fleet`: null before there is a world.
  virtual void on_time(const Fleet* fleet, Moment now) = 0;
  virtual Moment deadline() const = 0;

  // world().snapshot() is the boundary at which all stand, edits included: there is a world now, or it was edited.
  virtual void at_boundary(const Fleet&, const Standing&) {}
  // In lockstep: the boundary beyond which the world may not go yet. Those that it has gone beyond mean the next one;
  // then held_at() says which that is.
  virtual std::optional<Tick> horizon() const { return std::nullopt; }
  // Does it hold the world, and held_at() has not said yet where?
  virtual bool awaits_held_at() const { return false; }
  virtual void held_at(const Fleet*, std::uint32_t /*run*/, Tick) {}
  // What it wants of the server, since it was asked last. The answer to an edit comes after the edit.
  virtual std::vector<GatewayWish> take_wishes() { return {}; }
  virtual void answered(const Fleet*, const GatewayAnswer&) {}
  // When one of them becomes readable, on_time() has something to do.
  virtual std::vector<int> descriptors() const { return {}; }
  // What passed and what was dropped, for the report at the end.
  virtual std::vector<GatewayCount> counts() const { return {}; }
};

inline constexpr std::size_t kMaxGatewayInputs = 4096;  // of one host in one tick

}  // namespace convoy
