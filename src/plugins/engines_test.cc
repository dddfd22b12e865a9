// Robots that engines of users' libraries move: what they are shown, and what becomes of what they give.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "core/approx.h"
#include "plugins/engine_libraries.h"
#include "plugins/users_engine.h"
#include "sensing/users_parameters.h"

namespace engines_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

const std::string kRobots = CONVOY_SAMPLE_ROBOTS;

Model model_of(const char* type) {
  Model out = built_in_models()[0];
  out.name = "mine", out.engine.type = type, out.engine.library = kRobots;
  return out;
}
Model told(Model model, const char* name, double value) {
  UsersParameters parameters;
  parameters.set({name, UsersParameter::Kind::kNumbers, {value}, false, {}});
  model.engine.parameters = save(parameters);
  return model;
}

EngineLibraries everywhere() { return {std::make_unique<KinematicFactory>(), {.all = true}}; }

// One robot of a user's engine, and perhaps a box before it.
struct Stage {
  explicit Stage(const Model& model, bool other = false) {
    Setup setup;
    setup.models = {model, built_in_models()[4]};
    for (int i = 0; i < (other ? 2 : 1); ++i) {
      EntitySpec e;
      e.name = "r" + std::to_string(i), e.model = setup.models[static_cast<std::size_t>(i)].name, e.pose.p.x = 0.6 * i;
      setup.entities.push_back(e);
    }
    auto made = World::make(setup);
    REQUIRE_MESSAGE(made, made.error().message());
    world.emplace(std::move(*made));
    state = world->snapshot().state(Slot(0));
    tail.assign(world->snapshot().tail(Slot(0)).begin(), world->snapshot().tail(Slot(0)).end());
    physics = another();
  }
  std::unique_ptr<Physics> another() {
    auto out = libraries.make(*world->models()[0], *world, 10ms);
    out->reset(world->snapshot().state(Slot(0)));
    return out;
  }
  void tick(double speed, std::vector<Control> controls = {}) {
    std::vector<Neighbour> neighbours;
    if (world->entities().size() > 1)
      neighbours.push_back({.number = WorldNumber(2),
                            .state = &world->snapshot().state(Slot(1)),
                            .model = world->models()[1].get(),
                            .tail = world->snapshot().tail(Slot(1))});
    PhysicsInput input{.begin = now,
                       .step = 10ms,
                       .self = WorldNumber(1),
                       .command = {{speed, 0, 0}, {}},
                       .map = &world->map(),
                       .neighbours = neighbours,
                       .controls = controls,
                       .files = &world->files(),
                       .environment = &world->environment()};
    events = {};
    physics->step(input, state, tail, events);
    now += 10ms;
  }
  Bytes saved() const {
    Bytes out;
    SaveFields v(out);
    physics->save(v);
    return out;
  }
  EngineLibraries libraries = everywhere();
  std::optional<World> world;
  std::unique_ptr<Physics> physics;
  State state;
  std::vector<double> tail;
  PhysicsEvents events;
  Instant now{};
};

std::string refused(const Model& model) {
  const EngineLibraries libraries = everywhere();
  const auto ok = libraries.check(model, {}, 10ms);
  return ok ? "" : ok.error().message();
}

}  // namespace

TEST_CASE("an engine is loaded by the rule for libraries, and only with this version's tag") {
  const std::string folder = std::filesystem::path(kRobots).parent_path().string();
  const EngineLibraries nowhere(std::make_unique<KinematicFactory>(), {});
  const auto denied = nowhere.check(model_of("cart"), {}, 10ms);
  REQUIRE_FALSE(denied);
  CHECK(denied.error().code == ErrorCode::kDenied);
  CHECK(denied.error().message().find("--allow-library") != std::string::npos);
  const EngineLibraries scenarios(std::make_unique<KinematicFactory>(), {.scenarios = {folder}});
  CHECK(scenarios.check(model_of("cart"), {}, 10ms));
  CHECK(refused(model_of("card")).find("did you mean 'cart'?") != std::string::npos);
  Model other = model_of("cart");
  other.engine.library = CONVOY_SAMPLE_OTHER_ROBOTS;  // would end this program if any of its code ran
  CHECK(refused(other).find("it is built for 'convoy robot 0'") != std::string::npos);
  other.engine.library = CONVOY_SAMPLE_SENSORS;
  CHECK(refused(other).find("CONVOY_ROBOTS") != std::string::npos);
  other.engine.library.clear();
  CHECK(refused(other).find("this program has no engines of its own") != std::string::npos);
}

TEST_CASE("what is wrong with an engine's parameters, or with its model, is said before a run") {
  CHECK(refused(told(model_of("cart"), "gain", 2)).empty());
  CHECK(refused(told(model_of("cart"), "gain", 20)).find("parameters.gain: is from 0 to 10") != std::string::npos);
  CHECK(refused(told(model_of("cart"), "gan", 2)).find("did you mean 'gain'?") != std::string::npos);
  CHECK(refused(model_of("fussy")).find("mine': it has four wheels") != std::string::npos);
}

TEST_CASE("a robot goes where its engine has it go, told by commands and controls") {
  Stage dut(told(model_of("cart"), "gain", 2));
  for (int i = 0; i < 100; ++i) dut.tick(0.5);
  CHECK(dut.state.pose.p.x == approx(1));
  CHECK(dut.state.twist.v.x == approx(1));
  CHECK(dut.state.stamp == Instant(1s));
  CHECK(dut.events.distance == approx(0.01));
  CHECK(dut.events.wheel_left == approx(1));
  dut.tick(0, {{0, 0.25}});
  CHECK(dut.state.pose.p.z == 0.25);
}

TEST_CASE("what an engine keeps is saved and comes back, and a reset makes it anew") {
  Stage dut(model_of("cart"));
  for (int i = 0; i < 3; ++i) dut.tick(1);
  const Bytes before = dut.saved();
  dut.tick(1);
  CHECK(dut.saved() != before);
  auto other = dut.another();
  Reader in(before);
  CHECK(other->accepts(before));
  REQUIRE(other->load(in));
  Bytes again;
  {
    SaveFields v(again);
    other->save(v);
  }
  CHECK(again == before);
  Bytes damaged = before;
  damaged.pop_back();
  CHECK_FALSE(other->accepts(damaged));
  const Bytes fresh = Stage(model_of("cart")).saved();
  dut.physics->reset(dut.world->snapshot().state(Slot(0)));
  CHECK(dut.saved() == fresh);
  CHECK(dut.libraries.saves(model_of("cart")));
  CHECK_FALSE(dut.libraries.saves(model_of("slides")));
  CHECK(Stage(model_of("slides")).saved() != fresh);  // and keeps nothing
}

TEST_CASE("an engine sees its neighbours as bodies, and touches those alone that are there") {
  Stage dut(model_of("looks"), true);
  dut.tick(0);
  // One box of 3 kg, a prism of eight corners; gravity -9.81.
  CHECK(dut.state.pose.p.z == approx(100 + 3 + 8000 - 9.81 / 1000));
  Stage cart(model_of("cart"), true);
  cart.tick(0);
  CHECK(cart.events.touched == std::vector<WorldNumber>{WorldNumber(2)});
}

TEST_CASE("a robot of the plane stops at what nothing moves") {
  Stage dut(model_of("slides"), true);
  for (int i = 0; i < 400; ++i) dut.tick(0.5);
  CHECK(dut.state.pose.p.x < 0.6);
  CHECK(dut.state.pose.p.x > 0.1);
  CHECK(std::fabs(dut.state.twist.v.x) < 1e-3);
  CHECK(dut.events.touched == std::vector<WorldNumber>{WorldNumber(2)});
  CHECK(dut.physics->one_sided_ticks() > 100);
}

TEST_CASE("an engine that fails leaves its robot where it was, and says why once") {
  const struct {
    const char* type;
    const char* says;
  } kCases[] = {
      {"nan", "its engine gave a pose that is none"}, {"throws", "out of fuel"}, {"lazy", "moved its plane by 0.005"}};
  for (const auto& one : kCases) {
    CAPTURE(one.type);
    Stage dut(model_of(one.type));
    const State before = dut.state;
    dut.tick(1);
    CHECK(dut.events.fault.find(one.says) != std::string::npos);
    CHECK(dut.state.pose == before.pose);
    CHECK(dut.state.twist == Twist{});
    dut.tick(1);
    CHECK(dut.events.fault.empty());
    auto other = dut.another();
    const Bytes saved = dut.saved();
    Reader in(saved);
    CHECK(other->load(in));
  }
  Model absent = model_of("absent");
  Stage dut(absent);
  dut.tick(1);
  CHECK(dut.events.fault.find("no type of robots' engines 'absent'") != std::string::npos);
}

TEST_CASE("types of the program itself serve models that name no library") {
  EngineLibraries libraries = everywhere();
  Model model = model_of("own");
  model.engine.library.clear();
  CHECK_FALSE(libraries.check(model, {}, 10ms));
  struct Own final : robot::Robot {
    Own(Parameters&, const robot::Model&) {}
    static robot::Facts facts() { return {}; }
    void put(const robot::State&) override {}
    void step(robot::Surroundings&, robot::State& state) override { state.pose.p.y += 1; }
  };
  static const robot::Type types[] = {{"own", robot::maker<Own>()}};
  REQUIRE(libraries.add({types, 1}));
  CHECK(libraries.check(model, {}, 10ms));
  std::optional<Error> missing;
  const auto program = libraries.code_of(std::span(&model, 1), missing);
  REQUIRE_FALSE(program.empty());
  CHECK(program[0].name == "program with the engine 'own'");
  CHECK_FALSE(missing);
  const Model file = model_of("cart");
  CHECK(libraries.code_of(std::span(&file, 1), missing).size() == 1);
}

}  // namespace engines_test
