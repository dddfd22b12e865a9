#include "adapters/ros2/simulation_parameters.h"

#include "adapters/ros2/ask.h"

namespace convoy::ros2 {

namespace {

constexpr const char* kSpeed = "speed";
constexpr double kFastest = 1000;

std::optional<double> speed_in(const Answer& status) {
  const Json told = status.data();
  const auto speed = told.find(kSpeed);
  if (status.error || speed == told.end() || !speed->is_number()) return std::nullopt;
  return speed->get<double>();
}

}  // namespace

void SimulationParameters::proceed(const Fleet& fleet) {
  if (parameters_ || asked_) return;
  asked_ = true;
  ask(here_.control, fleet, "world", Json::object(), {}, [this](const Answer& world) {
    if (world.error || !here_.fleet) return void(asked_ = false);
    ask(here_.control, *here_.fleet, "status", Json::object(), {},
        [this, scenario = world.data().value("name", "")](const Answer& status) {
          asked_ = false;
          const std::optional<double> speed = speed_in(status);
          if (speed && here_.fleet) open(*here_.fleet, scenario, *speed);
        });
  });
}

void SimulationParameters::open(const Fleet& fleet, const std::string& scenario, double at_first) {
  parameters_ = std::make_unique<NodeParameters>(here_, node_);
  const auto tell = [&](const char* name, const nodes::ParameterValue& value, const char* description) {
    nodes::ParameterDescriptor descriptor;
    descriptor.description = description, descriptor.read_only = true;
    parameters_->declare(name, value, std::move(descriptor));
  };
  tell("use_sim_time", true, "stamps are simulated time");
  tell("scenario", scenario, "the name of the run's scenario");
  tell("seed", static_cast<std::int64_t>(fleet.world().seed()), "of the run; one of 2^63 or more is shown below zero");
  tell("tick", static_cast<double>(nanos(fleet.tick())) / 1e9, "s of simulated time");
  nodes::ParameterDescriptor speed;
  speed.description = "of simulated time in real time's; 0: as fast as possible";
  speed.doubles = nodes::ParameterRange<double>{0, kFastest, 0};
  parameters_->declare(kSpeed, at_first, std::move(speed));
  parameters_->on_set([this](const auto& wanted, const auto& done) { set(wanted, done); });
  parameters_->on_get([this](const auto& then) { refresh(then); });
}

// Of several values of one request the last counts.
void SimulationParameters::set(const NodeParameters::Parameters& wanted, const NodeParameters::Done& done) {
  if (!here_.fleet) return done({false, kRunNotBegun});
  const double speed = std::get<double>(wanted.back().value);  // all others are read-only
  ask(here_.control, *here_.fleet, "speed", {{"factor", speed}}, {}, [done](const Answer& answer) {
    done(answer.error ? nodes::SetResult{false, answer.error->text} : nodes::SetResult{});
  });
}

// It may have been set at another door.
void SimulationParameters::refresh(const std::function<void()>& then) {
  if (!here_.fleet) return then();
  ask(here_.control, *here_.fleet, "status", Json::object(), {}, [this, then](const Answer& answer) {
    if (const std::optional<double> speed = speed_in(answer)) parameters_->update(kSpeed, *speed);
    then();
  });
}

}  // namespace convoy::ros2
