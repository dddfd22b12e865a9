#include "adapters/ros2/simulation_time.h"

#include <simulation_interfaces/srv/get_simulation_state.hpp>
#include <simulation_interfaces/srv/reset_simulation.hpp>
#include <simulation_interfaces/srv/set_simulation_state.hpp>
#include <simulation_interfaces/srv/step_simulation.hpp>

#include "adapters/ros2/partial_reset.h"

namespace convoy::ros2 {

namespace {

namespace sim_srv = simulation_interfaces::srv;
using simulation_interfaces::msg::SimulationState;
using GetSimState = Served<sim_srv::GetSimulationState>;
using SetSimState = Served<sim_srv::SetSimulationState>;
using Resets = Served<sim_srv::ResetSimulation>;
using Steps = Served<sim_srv::StepSimulation>;

constexpr int kScopes = sim_srv::ResetSimulation::Request::SCOPE_TIME | sim_srv::ResetSimulation::Request::SCOPE_STATE |
                        sim_srv::ResetSimulation::Request::SCOPE_SPAWNED;

}  // namespace

SimulationTime::SimulationTime(SimulationServices& services) : here_(services.here()) {
  services.add<sim_srv::GetSimulationState>("get_simulation_state", [this](auto&, const auto&, const auto& respond) {
    stand([respond](const SimResult& result, const Standing& now) {
      auto out = with<GetSimState::Response>(result);
      out.state.state = now.state;
      respond(out);
    });
  });
  services.add<sim_srv::SetSimulationState>(
      "set_simulation_state", [this](auto&, const auto& request, const auto& respond) {
        set_state(request.state.state, [respond](const SimResult& r) { respond(with<SetSimState::Response>(r)); });
      });
  services.add<sim_srv::ResetSimulation>("reset_simulation", [this](auto&, const auto& request, const auto& respond) {
    reset(request.scope, [respond](const SimResult& r) { respond(with<Resets::Response>(r)); });
  });
  services.add<sim_srv::StepSimulation>("step_simulation", [this](auto&, const auto& request, const auto& respond) {
    step(request.steps, [respond](const SimResult& r) { respond(with<Steps::Response>(r)); });
  });
}

void SimulationTime::stand(const Stands& then) {
  if (!here_.fleet) return then(not_begun(), {});
  ask(here_.control, *here_.fleet, "status", Json::object(), {}, [this, then](const Answer& answer) {
    Standing now;
    if (answer.error) {
      const bool over = answer.error->code == ErrorCode::kState;
      now.state = SimulationState::STATE_QUITTING;
      return then(over ? done(answer.error->text) : result_of(answer.error), now);
    }
    const Json told = answer.data();
    now.run = told.value("run", 0U), now.tick = told.value("tick", Tick{0});
    const bool paused = told.value("phase", "") == "paused";
    if (!paused) now.state = SimulationState::STATE_PLAYING;
    else if (now.tick > 0 || paused_run_ == now.run) now.state = SimulationState::STATE_PAUSED;
    else now.state = SimulationState::STATE_STOPPED;
    then(done(), now);
  });
}

// ---------------------------------------------------------------------------------------------------- transitions

void SimulationTime::set_state(std::uint8_t wanted, const Respond& respond) {
  if (wanted > SimulationState::STATE_QUITTING)
    return respond(refused(SetSimState::Response::INCORRECT_TRANSITION,
                           "the run can be stopped, played, paused and ended, and nothing else"));
  stand([this, wanted, respond](const SimResult& result, const Standing& from) {
    if (result.result != SimResult::RESULT_OK) return respond(result);
    if (from.state == wanted)
      return respond(refused(SetSimState::Response::ALREADY_IN_TARGET_STATE, "it is in that state already"));
    if (from.state == SimulationState::STATE_QUITTING)
      return respond(refused(SetSimState::Response::INCORRECT_TRANSITION, "the run is over"));
    if (!here_.fleet) return respond(not_begun());
    change(from, wanted, [respond](SimResult done) {
      if (done.result != SimResult::RESULT_OK) done.result = SetSimState::Response::STATE_TRANSITION_ERROR;
      respond(std::move(done));
    });
  });
}

void SimulationTime::change(const Standing& from, std::uint8_t wanted, const Respond& respond) {
  const auto plain = [respond](const Answer& answer) { respond(result_of(answer.error)); };
  switch (wanted) {
    case SimulationState::STATE_PLAYING: return ask(here_.control, *here_.fleet, "resume", Json::object(), {}, plain);
    case SimulationState::STATE_QUITTING: return ask(here_.control, *here_.fleet, "stop", Json::object(), {}, plain);
    case SimulationState::STATE_STOPPED: return stop(from.state == SimulationState::STATE_PAUSED, respond);
    default: break;
  }
  if (from.state == SimulationState::STATE_PLAYING) return pause(respond);
  paused_run_ = from.run;
  respond(done());
}

// Until the world is where it stops.
void SimulationTime::pause(const Respond& respond) {
  ask(here_.control, *here_.fleet, "pause", Json::object(), {}, [this, respond](const Answer& answer) {
    if (answer.error || !here_.fleet) return respond(answer.error ? result_of(answer.error) : not_begun());
    if (here_.control.full()) return respond(failed("too many requests are under way"));
    here_.control.wait(*here_.fleet, answer.tick(), [this, respond, tick = answer.tick()](const auto& reached) {
      if (!reached) return respond(failed(reached.error().message));
      rest(tick, respond);
    });
  });
}

// In free mode this client may be there a little sooner than the server.
void SimulationTime::rest(Tick tick, const Respond& respond) {
  stand([this, tick, respond](const SimResult& result, const Standing& now) {
    if (result.result != SimResult::RESULT_OK || now.state == SimulationState::STATE_QUITTING) return respond(result);
    if (now.state == SimulationState::STATE_PLAYING) return respond(failed("the run was resumed meanwhile"));
    if (now.tick < tick) return rest(tick, respond);
    if (now.tick == 0) paused_run_ = now.run;
    respond(done());
  });
}

void SimulationTime::stop(bool paused, const Respond& respond) {
  if (paused) return reset_all(respond);
  pause([this, respond](const SimResult& result) {
    if (result.result != SimResult::RESULT_OK) return respond(result);
    reset_all(respond);
  });
}

// ---------------------------------------------------------------------------------------------------- resets, steps

// A time that has gone by cannot be taken from what happened in it: with the time all is reset.
void SimulationTime::reset(std::uint8_t scope, const Respond& respond) {
  using Request = Resets::Request;
  if (scope == Request::SCOPE_DEFAULT || scope == Request::SCOPE_ALL) return reset_all(respond);
  if ((scope & ~kScopes) != 0)
    return respond(failed("scope " + std::to_string(scope) + " is made of bits that no scope has"));
  if ((scope & Request::SCOPE_TIME) != 0) return reset_all(respond);
  PartialReset::begin(here_, {(scope & Request::SCOPE_STATE) != 0, (scope & Request::SCOPE_SPAWNED) != 0}, respond);
}

void SimulationTime::reset_all(const Respond& respond) {
  if (!here_.fleet) return respond(not_begun());
  ask(here_.control, *here_.fleet, "reset", Json::object(), {}, [this, respond](const Answer& answer) {
    if (!answer.error) paused_run_.reset();
    respond(result_of(answer.error));
  });
}

void SimulationTime::step(std::uint64_t steps, const Respond& respond) {
  if (!here_.fleet) return respond(not_begun());
  ask(here_.control, *here_.fleet, "step", {{"ticks", steps}}, {}, [this, respond](const Answer& answer) {
    if (answer.error) return respond(failed(answer.error->text));
    stand([respond](const SimResult& result, const Standing& now) {
      if (result.result != SimResult::RESULT_OK) return respond(result);
      const bool paused = now.state == SimulationState::STATE_PAUSED || now.state == SimulationState::STATE_STOPPED;
      respond(paused ? done() : failed("the run was resumed, or ended, before the steps were done"));
    });
  });
}

}  // namespace convoy::ros2
