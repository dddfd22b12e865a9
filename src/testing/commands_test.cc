// What people command with calls is in the journal whole, and reaches the robot's agent with that tick.
#include <doctest/doctest.h>

#include <limits>

#include "testing/requests.h"
#include "testing/rig.h"

namespace commands_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

// A robot with three actuators.
Setup room() {
  Setup setup = empty_arena(10, 1);
  Model armed = built_in_models()[0];
  armed.name = "armed", armed.actuators = {"shoulder", "elbow", "wrist"};
  setup.models.push_back(armed);
  setup.entities = {robot("alpha", "armed", 0, 0, 0, DriverKind::kNone),
                    robot("beta", "armed", 2, 0, 0, DriverKind::kNone)};
  return setup;
}

Request controls(const std::string& name, const std::vector<std::pair<std::string, double>>& values) {
  Request r;
  r.mutable_set_controls()->set_name(name);
  for (const auto& [actuator, value] : values)
    r.mutable_set_controls()->add_actuators(actuator), r.mutable_set_controls()->add_values(value);
  return r;
}
Request actions(const std::string& name, std::uint32_t mask) {
  Request r;
  r.mutable_set_actions()->set_name(name), r.mutable_set_actions()->set_mask(mask);
  return r;
}
Request gains(const std::string& name, const std::string& actuator, double kp) {
  Request r;
  r.mutable_set_gains()->set_name(name);
  proto::Gain& gain = *r.mutable_set_gains()->add_gains();
  gain.set_actuator(actuator), gain.set_kp(kp);
  return r;
}
Request rule(const std::string& name, const std::string& source) {
  Request r;
  r.mutable_control_source()->add_names(name), r.mutable_control_source()->set_source(source);
  return r;
}

std::vector<Input> journalled(const Rig& rig, Tick tick) {
  std::vector<Input> inputs;
  for (const JournalEntry& entry : rig.memory.journal()) {
    CHECK(entry.tick == tick);
    REQUIRE(std::holds_alternative<Input>(entry.what));
    inputs.push_back(std::get<Input>(entry.what));
  }
  return inputs;
}

}  // namespace

TEST_CASE("controls, keys, twists and who rules: each call is in the journal as it was sent, in its order") {
  Rig rig(room(), {.paused = true});
  rig.call(step(4));
  const WorldNumber alpha{1}, beta{2};

  CHECK(rig.call(controls("beta", {{"wrist", 0.25}, {"shoulder", -1.5}})).tick() == 4);
  CHECK(rig.call(drive("alpha", 0.2, -0.5, 1.5)).tick() == 4);
  CHECK(rig.call(actions("alpha", 6)).tick() == 4);
  CHECK(rig.call(rule("beta", "zmq")).tick() == 4);
  CHECK(rig.call(controls("alpha", {{"elbow", 3}})).tick() == 4);
  CHECK(rig.memory.journal().empty());
  rig.call(step(1));

  const std::vector<Input> wanted{
      SetControls{beta, {{2, 0.25}, {0, -1.5}}, ControlSource::kDashboard},
      DriveCommand{alpha, {{0.2, 0, 0}, {0, 0, -0.5}}, std::chrono::milliseconds(1500), ControlSource::kDashboard},
      SetParameter{alpha, kControllerNode, "actions", "6", ControlSource::kDashboard},
      SetParameter{beta, kControllerNode, "source", "zmq", ControlSource::kAny},
      SetControls{alpha, {{1, 3}}, ControlSource::kDashboard}};
  CHECK(journalled(rig, 4) == wanted);
}

TEST_CASE("gains switch PD on and set what is given, and a wrong one sets nothing") {
  Rig rig(room(), {.paused = true});
  rig.call(step(4));
  const WorldNumber alpha{1};
  Request wanted = gains("alpha", "elbow", 40);
  proto::Gain& second = *wanted.mutable_set_gains()->add_gains();
  second.set_actuator("wrist"), second.set_kv(0.5), second.set_torque_limit(7);

  CHECK(rig.error_of(gains("alpha", "elbw", 1)) == "'alpha' has no actuator 'elbw'; did you mean 'elbow'?");
  CHECK(rig.error_of(gains("alpha", "elbow", -1)) == "a gain is negative, NaN or infinity");
  CHECK(rig.error_of(gains("alpha", "elbow", std::numeric_limits<double>::quiet_NaN())) ==
        "a gain is negative, NaN or infinity");
  CHECK(rig.error_of(just([](Request& r) { r.mutable_set_gains()->set_name("alpha"); })) == "no gains are given");
  CHECK(rig.call(wanted).tick() == 4);
  rig.call(step(1));

  const auto set = [&](const char* name, const char* value) {
    return Input(SetParameter{alpha, kControllerNode, name, value, ControlSource::kDashboard});
  };
  CHECK(journalled(rig, 4) == std::vector<Input>{set("mode", "pd"), set("elbow.kp", "40"), set("wrist.kv", "0.5"),
                                                 set("wrist.torque_limit", "7")});
}

TEST_CASE("controls that were given by a call change the digest of their tick and no earlier one") {
  const auto digests = [](double value) {
    Rig rig(room(), {.paused = true});
    rig.call(step(4));
    if (value != 0) REQUIRE(rig.error_of(controls("alpha", {{"elbow", value}})) == "");
    rig.call(step(3));
    return rig.memory.digests();
  };
  const auto without = digests(0), with = digests(1);
  REQUIRE(with.size() == without.size());
  for (std::size_t k = 0; k < with.size(); ++k) CHECK((with[k] == without[k]) == (k <= 4));
}

TEST_CASE("controls that make no sense are refused whole, and leave no trace") {
  Rig rig(room(), {.paused = true});
  CHECK(rig.error_of(controls("alpha", {{"elbow", 1}, {"elbo", 1}})) ==
        "'alpha' has no actuator 'elbo'; did you mean 'elbow'?");
  CHECK(rig.error_of(controls("alpha", {})) == "controls are 1 to 10000 actuators with a value each");
  CHECK(rig.error_of(controls("alpha", {{"elbow", std::numeric_limits<double>::infinity()}})) ==
        "a control is NaN or infinity");
  rig.call(step(1));
  CHECK(rig.memory.journal().empty());
}

}  // namespace commands_test
