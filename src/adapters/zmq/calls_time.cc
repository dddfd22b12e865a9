// Calls about time: modes, steps, and what concerns the whole run.
#include <fmt/format.h>

#include <cmath>

#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"
#include "core/speed.h"

namespace convoy::zmq {

namespace {

Checked<std::optional<std::int64_t>> read_count(const Call& call, const char* field) {
  const auto it = call.request.find(field);
  if (it == call.request.end() || it->is_null()) return std::nullopt;
  const double value = it->is_number() ? it->get<double>() : 0;
  if (!(value >= 1 && value <= static_cast<double>(control::kMaxTicks)) || value != std::floor(value))
    return refuse("bad_value", std::string(field) + " is a whole number from 1 to 1000000");
  return static_cast<std::int64_t>(value);
}

// Physics steps of the caller's robots, or ticks.
Checked<Tick> ticks_of(const Call& call) {
  const auto ticks = read_count(call, "ticks");
  if (!ticks) return tl::unexpected(ticks.error());
  if (*ticks) return **ticks;
  const auto steps = read_count(call, "n_steps");
  if (!steps) return tl::unexpected(steps.error());
  const std::int64_t tick = nanos(call.fleet.tick());
  std::optional<std::int64_t> step;
  for (WorldNumber number : robots_of(call)) {
    const control::RobotEntry* robot = call.control.roster().find(number);
    const std::int64_t own = robot ? nanos(robot->panel.step) : tick;
    if (step.value_or(own) != own)
      return refuse("bad_value", "robots of this session differ in their timestep: say ticks instead of n_steps");
    step = own;
  }
  const std::int64_t length = steps->value_or(1) * step.value_or(tick);
  if (length % tick != 0)
    return refuse("bad_value",
                  fmt::format("n_steps of {} ns are not a whole number of ticks of {} ns", step.value_or(tick), tick));
  return length / tick;
}

}  // namespace

void set_mode(Call& call) {
  const auto it = call.request.find("mode");
  if (it == call.request.end() || !it->is_string())
    return call.reply.refuse({"missing_field", "mode is stepped or live"});
  const std::string mode = it->get<std::string>();
  const bool stepped = mode == "stepped" || mode == "direct";
  if (!stepped && mode != "live" && mode != "freerun")
    return call.reply.refuse({"bad_mode", "mode is stepped or live"});
  const char* previous = call.control.stepping().steps(call.caller) ? "stepped" : "live";
  call.control.set_mode(call.fleet, call.caller, stepped,
                        call.reply.once_reached([&control = call.control, previous, stepped](
                                                    const Reply& reply, const control::Reached& reached) {
                          reply.ok({{"previous_mode", previous},
                                    {"current_mode", stepped ? "stepped" : "live"},
                                    {"tick", control.position().tick},
                                    {"run", control.position().run},
                                    {"time", time_of(control, *reached.fleet)}});
                        }));
}

void set_paused(Call& call) {
  const auto it = call.request.find("paused");
  if (it == call.request.end() || !it->is_boolean())
    return call.reply.refuse({"missing_field", "paused is true or false"});
  const bool paused = it->get<bool>();
  GatewayWish wish;
  wish.kind = paused ? GatewayWish::Kind::kPause : GatewayWish::Kind::kResume;
  call.control.ask(call.fleet, call.caller, std::move(wish),
                   call.reply.once_reached([paused](const Reply& reply, const control::Reached& reached) {
                     reply.ok({{"paused", paused}, {"tick", reached.tick}});
                   }));
}

void set_sim_speed(Call& call) {
  const auto it = call.request.find("percent");
  if (it == call.request.end() || !it->is_number()) return call.reply.refuse({"missing_field", "percent is a number"});
  const double percent = it->get<double>();
  if (percent != 0 && !is_speed(percent / 100))
    return call.reply.refuse({"bad_value", "percent is from 0.1 to 100000, or 0 for as fast as possible"});
  GatewayWish wish;
  wish.kind = GatewayWish::Kind::kSpeed, wish.speed = percent / 100;
  call.control.ask(call.fleet, call.caller, std::move(wish),
                   call.reply.once_reached([percent](const Reply& reply, const control::Reached&) {
                     reply.ok({{"percent", percent}});
                   }));
}

void step(Call& call) {
  control::StepOrder order;
  order.session = call.caller;
  if (call.control.stepping().steps(call.caller)) {
    const auto ticks = ticks_of(call);
    if (!ticks) return call.reply.refuse(ticks.error());
    order.ticks = *ticks;
  }
  auto shown = read_shown(call);
  if (!shown) return call.reply.refuse(shown.error());
  auto controls = read_controls(call);
  if (!controls) return call.reply.refuse(controls.error());
  auto resets = read_reset_after(call);
  if (!resets) return call.reply.refuse(resets.error());
  order.controls = std::move(*controls), order.resets = std::move(*resets);
  call.control.step(call.fleet, order, observation(call, std::move(*shown)));
}

}  // namespace convoy::zmq
