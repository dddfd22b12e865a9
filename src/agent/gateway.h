// A door for programs outside the run to the robots of one owner: before each tick it may command them, after it it
// sees them.
//
// What it commands are inputs of that very tick. In lockstep the host says them to the server with the tick, which
// journals them there: a replay gives them back at the same tick, in the same order.
#pragma once

#include <string>
#include <vector>

#include "agent/fleet.h"

namespace convoy {

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
  // What passed and what was dropped, for the report at the end.
  virtual std::vector<GatewayCount> counts() const { return {}; }
};

inline constexpr std::size_t kMaxGatewayInputs = 4096;  // of one host in one tick

}  // namespace convoy
