#include "control/control_core.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::control {

namespace {

GatewayWish edit_of(const std::string& holder, Edit edit) {
  return {0, GatewayWish::Kind::kEdit, std::move(edit), 0, {}, holder};
}

Request request_of(const SessionId& session, Done done, Moment now) {
  Request out;
  out.session = session, out.done = std::move(done), out.since = now;
  return out;
}

}  // namespace

ControlCore::ControlCore(ControlCoreOptions options)
    : options_(std::move(options)),
      sessions_(options_.nonce),
      leases_(sessions_),
      commands_(options_.source),
      watch_(requests_, stepping_, sessions_, options_.doors) {
  (void)requests_.wish({0, GatewayWish::Kind::kQuery, {}, 0, options_.doors});  // all shall know where we are
}

// ---------------------------------------------------------------------------------------------------- the gateway

void ControlCore::before_tick(const Fleet& fleet, std::size_t& room, std::vector<Input>& inputs) {
  follow(fleet, now_);
  commands_.give(room, inputs);
}

void ControlCore::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  bodies_.set_ahead(position().lockstep ? &states : nullptr);
  stepping_.reached(reached);
  watch_.ticked();
  settle(&fleet);
}

void ControlCore::at_boundary(const Fleet& fleet, const HostPosition& position) {
  bodies_.set_ahead(nullptr);
  leases_.follow(fleet.world());
  if (stepping_.at_boundary(position)) {
    commands_.forget_motion();
    requests_.give_up([](const Request&) { return Refusal{Reason::kWasReset, "the world was reset meanwhile"}; });
  }
  settle(&fleet);
}

void ControlCore::on_time(const Fleet* fleet, Moment now) {
  now_ = now;
  watch_.on_time(now);
  for (const SessionId& id : sessions_.silent(now))
    if (!requests_.any_of(id)) end(id);
  settle(fleet);
}

void ControlCore::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  if (run != position().run) return;
  for (const SessionId& id : stepping_.held_at(run, tick)) requests_.held_at(id, tick);
  settle(fleet);
}

void ControlCore::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  watch_.answered(answer);
  if (fleet) roster_.follow(*fleet);  // it may be about a robot that has come
  requests_.answered(answer);
  settle(fleet);
}

void ControlCore::follow(const Fleet& fleet, Moment now) {
  now_ = now;
  roster_.follow(fleet);
  leases_.follow(fleet.world());
  commands_.follow(roster_, leases_);
}

// A session whose request is under way is not silent. What a Done asks for is settled with the others.
void ControlCore::settle(const Fleet* fleet) {
  if (!fleet || requests_.answering()) return;
  requests_.reached(position().tick, now_);
  requests_.settle(*fleet);
  for (const SessionId& id : requests_.sessions()) sessions_.hear(id, now_);
  requests_.sweep();
}

void ControlCore::end(const SessionId& session) {
  if (const std::vector<WorldNumber> held = leases_.of(session); !held.empty() && !sessions_.shared(session)) {
    const std::string& holder = sessions_.holder(session);
    (void)requests_.wish(edit_of(holder, Lease{held, holder, Lease::Kind::kGiveBack}));
  }
  leases_.forget(session);
  stepping_.leave(session);
  requests_.end(session, {Reason::kSessionOver, "the session has ended"});
  sessions_.close(session);
}

// -------------------------------------------------------------------------------------------------------- requests

void ControlCore::run_status(const Fleet& fleet, const SessionId& session, Done done) {
  ask(fleet, session, {0, GatewayWish::Kind::kQuery, {}, 0, options_.doors}, std::move(done));
}

void ControlCore::wait(const Fleet& fleet, Tick tick, Done done) {
  requests_.add(request_of({}, std::move(done), now_)).until = tick;
  settle(&fleet);
}

void ControlCore::ask(const Fleet& fleet, const SessionId& session, GatewayWish wish, Done done) {
  wish.holder = sessions_.holder(session);
  requests_.ask(requests_.add(request_of(session, std::move(done), now_)), std::move(wish));
  settle(&fleet);
}

void ControlCore::set_mode(const Fleet& fleet, const SessionId& session, bool stepped, Done done) {
  if (stepped && !position().lockstep)
    return done(
        refuse(Reason::kBadMode, "time in free mode goes on by itself; run the scenario in lockstep to step it"));
  Request& request = requests_.add(request_of(session, std::move(done), now_));
  if (!stepped) {
    stepping_.leave(session);
  } else if (!stepping_.steps(session)) {
    request.until = stepping_.enter(session);
    request.until_held = !request.until;
  }
  settle(&fleet);
}

void ControlCore::step(const Fleet& fleet, const StepOrder& order, Done done) {
  const bool steps = stepping_.steps(order.session);
  if (steps && !stepping_.rests(order.session))
    return done(refuse(Reason::kNotReady, "another step of this session is under way"));
  EXPECTS(order.ticks >= 0 && order.ticks <= kMaxTicks);
  for (const RobotControls& one : order.controls) commands_.set_controls(one.robot, one.controls);
  Request& request = requests_.add(request_of(order.session, std::move(done), now_));
  if (steps) request.until = stepping_.allow(order.session, order.ticks);
  if (!order.resets.empty())
    request.then = [this, puts = order.resets](const Fleet&, Request& reached) {
      Reset reset;
      for (const Put& put : puts) reset.entities.push_back(put.robot);
      put_back(reached, std::move(reset), puts);
    };
  settle(&fleet);
}

void ControlCore::reset(const Fleet& fleet, const ResetOrder& order, Done done) {
  if (order.world && leases_.others_than(order.session))
    return done(refuse(Reason::kLeased, "other sessions have leased robots: name those that you want to reset"));
  Request& request = requests_.add(request_of(order.session, std::move(done), now_));
  Reset reset;  // of all, unless some are named
  if (!order.world)
    for (const Put& put : order.puts) reset.entities.push_back(put.robot);
  if (order.world || !order.puts.empty()) put_back(request, std::move(reset), order.puts);
  settle(&fleet);
}

void ControlCore::put(const Fleet& fleet, const SessionId& session, const Put& put, Done done) {
  put_all(fleet, requests_.add(request_of(session, std::move(done), now_)), {put});
  settle(&fleet);
}

void ControlCore::lease(const Fleet& fleet, LeaseOrder order, Done done) {
  Request& request = requests_.add(request_of(order.session, std::move(done), now_));
  const std::string& holder = sessions_.holder(order.session);
  std::vector<WorldNumber> robots = order.take ? leases_.not_of(order.session, order.robots) : std::move(order.robots);
  if (!order.take) std::erase_if(robots, [&](WorldNumber robot) { return leases_.holder(robot) != holder; });
  if (!robots.empty()) {
    const Lease::Kind kind = order.take ? Lease::Kind::kTake : Lease::Kind::kGiveBack;
    requests_.ask(request, edit_of(holder, Lease{robots, holder, kind}));
    request.then = [this, take = order.take, session = order.session, robots](const Fleet& now, Request&) {
      if (take) leases_.took(session, robots);
      leases_.follow(now.world());
      commands_.follow(roster_, leases_);  // what comes now counts as whom it is now
    };
  }
  settle(&fleet);
}

// Puts robots to their beginning, and from there where they are wanted.
void ControlCore::put_back(Request& request, Reset reset, std::vector<Put> puts) {
  requests_.ask(request, edit_of(sessions_.holder(request.session), std::move(reset)));
  request.then = [this, puts = std::move(puts)](const Fleet& fleet, Request& reached) {
    put_all(fleet, reached, puts);
  };
}

void ControlCore::put_all(const Fleet& fleet, Request& request, const std::vector<Put>& puts) {
  for (const Put& put : puts) {
    const RobotEntry* robot = roster_.find(put.robot);
    if (!robot) {
      request.refused = Refusal{Reason::kUnknownRobot, "a robot has gone meanwhile"};
      continue;
    }
    Bodies::Move move = bodies_.move(fleet, *robot, put, position().tick);
    if (!move.fits) request.refused = Refusal{Reason::kBadValue, "'" + robot->name + "' cannot be put there"};
    else if (move.edit) requests_.ask(request, edit_of(sessions_.holder(request.session), std::move(*move.edit)));
  }
}

// ----------------------------------------------------------------------------------------------------------- names

Checked<const RobotEntry*> find_robot(const ControlCore& control, const Fleet& fleet, const std::string& name) {
  if (const RobotEntry* robot = control.roster().find(name)) return robot;
  if (fleet.world().find(name) == kNoSlot)
    return refuse(Reason::kUnknownRobot, "there is no robot '" + name.substr(0, 140) + "'");
  return refuse(Reason::kElsewhere, "'" + name + "' lives at another client");
}

Checked<const RobotEntry*> find_to_command(const ControlCore& control, const Fleet& fleet, const std::string& name,
                                           const SessionId& session) {
  const auto robot = find_robot(control, fleet, name);
  if (robot)
    if (const auto ok = control.leases().check(**robot, session); !ok) return tl::unexpected(ok.error());
  return robot;
}

std::vector<WorldNumber> robots_of(const ControlCore& control, const SessionId& session) {
  std::vector<WorldNumber> out = control.leases().of(session);
  if (out.empty())
    for (const RobotEntry& robot : control.roster().all()) out.push_back(robot.number);
  return out;
}

}  // namespace convoy::control
