// The control core of a door: what programs outside may do with a host's robots and with time, in any protocol.
//
//   control.follow(fleet, now);                          // a request came
//   auto id = control.sessions().open(10s, level, now);
//   control.set_mode(fleet, *id, true, done);            // done(...) now, or after ticks and answers of the server
//   control.step(fleet, {.session = *id, .ticks = 5}, done);
//
// Requests, controls and states are plain values: a door reads them from its protocol, and writes what
// `done` is given. Commands act in the first tick behind the boundary at which the world waits.
#pragma once

#include "control/bodies.h"
#include "control/commands.h"
#include "control/leases.h"
#include "control/step_watch.h"

namespace convoy::control {

inline constexpr Tick kMaxTicks = 1'000'000;  // of one step

struct ControlCoreOptions {
  std::string doors = "{}";                    // JSON: what others get to know of the door
  std::uint64_t nonce = 0;                     // in the names of sessions: another in each process
  ControlSource source = ControlSource::kAny;  // as which the robots get its commands
};

struct RobotControls {
  WorldNumber robot = kNoEntity;
  std::vector<Control> controls;
};

// Commands, then time, then robots put back before they are observed.
struct StepOrder {
  SessionId session;
  Tick ticks = 1;  // up to kMaxTicks; ignored for a session that does not step
  std::vector<RobotControls> controls;
  std::vector<Put> resets;
};

// Robots put to their beginning and from there where they are wanted.
struct ResetOrder {
  SessionId session;
  bool world = false;  // the whole of it begins a new run; else only those of `puts`
  std::vector<Put> puts;
};

// Taken: all of them or none, and those that the session has stay where they are in its order. Given back: those of them
// that it has.
struct LeaseOrder {
  SessionId session;
  bool take = true;
  std::vector<WorldNumber> robots;
};

class ControlCore {
 public:
  explicit ControlCore(ControlCoreOptions options);
  ControlCore(const ControlCore&) = delete;

  // As of a Gateway.
  void before_tick(const Fleet& fleet, std::size_t& room, std::vector<Input>& inputs);
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states);
  void after_step(const Snapshot& states) { bodies_.set_ahead(&states); }
  void at_boundary(const Fleet& fleet, const HostPosition& position);
  void on_time(const Fleet* fleet, Moment now);
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick);
  std::vector<GatewayWish> take_wishes() { return requests_.take_wishes(); }
  void answered(const Fleet* fleet, const GatewayAnswer& answer);

  // A request came: what follows is about the robots that are here now.
  void follow(const Fleet& fleet, Moment now);
  const Roster& roster() const { return roster_; }
  const Stepping& stepping() const { return stepping_; }
  const HostPosition& position() const { return stepping_.position(); }
  Sessions& sessions() { return sessions_; }
  const Leases& leases() const { return leases_; }
  Commands& commands() { return commands_; }
  Bodies& bodies() { return bodies_; }

  // Its leases and its hold on time end, and what it asked for is refused.
  void end(const SessionId& session);

  // What takes its time, and may not be asked for while full(). Each calls `done` once.
  bool full() const { return requests_.full(); }
  void run_status(const Fleet& fleet, const SessionId& session, Done done);  // its text: read_status()
  void wait(const Fleet& fleet, Tick tick, Done done);                       // until the world is at that boundary
  void ask(const Fleet& fleet, const SessionId& session, GatewayWish wish, Done done);
  void set_mode(const Fleet& fleet, const SessionId& session, bool stepped, Done done);
  void step(const Fleet& fleet, const StepOrder& order, Done done);
  void reset(const Fleet& fleet, const ResetOrder& order, Done done);
  void put(const Fleet& fleet, const SessionId& session, const Put& put, Done done);
  void lease(const Fleet& fleet, LeaseOrder order, Done done);

 private:
  void put_back(Request& request, Reset reset, std::vector<Put> puts);
  void put_all(const Fleet& fleet, Request& request, const std::vector<Put>& puts);
  void settle(const Fleet* fleet);

  ControlCoreOptions options_;
  Roster roster_;
  Sessions sessions_;
  Leases leases_;
  Stepping stepping_;
  Commands commands_;
  Bodies bodies_;
  Requests requests_;
  StepWatch watch_;
  Moment now_{};
};

// The robot of that name: unknown, or at another host.
Checked<const RobotEntry*> find_robot(const ControlCore& control, const Fleet& fleet, const std::string& name);
// The same, and the session may command it.
Checked<const RobotEntry*> find_to_command(const ControlCore& control, const Fleet& fleet, const std::string& name,
                                           const SessionId& session);
// Those that it has leased, in its order; without any lease, all of the host.
std::vector<WorldNumber> robots_of(const ControlCore& control, const SessionId& session);

}  // namespace convoy::control
