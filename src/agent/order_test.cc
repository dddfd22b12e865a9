// What happens inside an agent counts in its hash with its order, also where it leaves no other trace; and the noise of
// its encoders is its own.
#include <doctest/doctest.h>

#include <set>

#include "agent/fleet_rig.h"
#include "core/random.h"

namespace order_test {

using namespace convoy;

namespace {

using std::chrono::milliseconds;

SerialExecutor the_executor;

Setup robots(int count, DriverKind driver = DriverKind::kNone) {
  Setup setup;
  setup.seed = 11;
  setup.models = built_in_models();
  for (int i = 0; i < count; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i), spec.model = setup.models[0].name, spec.pose.p.x = 30.0 * i;
    spec.driver.kind = driver;
    setup.entities.push_back(spec);
  }
  return setup;
}

std::string field(const Agent& agent, const std::string& path) {
  for (const auto& [name, text] : agent.describe())
    if (name == path) return text;
  return "absent";
}

// One agent of its own, in a world with two others; its first tick is [0, 10 ms).
struct One {
  One() {
    grid.rebuild(world.snapshot(), world.radii(), 1);
    next.resize(tail_size(world.model_of(Slot(0))));
  }
  AgentHash tick(std::span<const Input> inputs = {}) {
    State state;
    AgentOutput out;
    constexpr Duration kTick = milliseconds(10);
    agent.advance({instant(0), kTick, Duration(0), kTick, &world, &grid, 5, true, inputs, &loads}, Slot{0}, state, next,
                  out);
    return out.hash;
  }

  Setup setup = robots(3);
  World world = *World::make(setup);
  Grid grid;
  Loads loads;
  std::vector<double> next;
  Agent agent{world.entity(Slot{0}),
              world.models()[0],
              KinematicFactory().make(*world.models()[0], world, milliseconds(10)),
              setup,
              world.snapshot().state(Slot{0}),
              instant(0)};
};

struct Coming {
  Message message;
  Duration due{};
};

AgentHash hash_of_hearing(const std::vector<Coming>& coming) {
  One dut;
  for (const Coming& one : coming)
    dut.agent.expect(std::make_shared<const Message>(one.message), instant(nanos(one.due)));
  const AgentHash hash = dut.tick();
  CHECK(field(dut.agent, "inner.pending.size") == "0");  // so the difference is not in the queue
  return hash;
}

Message word(WorldNumber from, std::uint32_t index, const char* topic = "word") {
  return {from, kNoEntity, index, instant(0), topic, {}};
}

AgentHash hash_of_inputs(const std::vector<Input>& inputs) { return One().tick(inputs); }

}  // namespace

TEST_CASE(
    "what an agent receives counts in its hash: by order, sender, number, topic and instant, though it forgets all of "
    "it") {
  const Message a = word(WorldNumber{2}, 0), b = word(WorldNumber{3}, 0);
  const AgentHash hash = hash_of_hearing({{a, milliseconds(1)}, {b, milliseconds(2)}});

  CHECK(hash_of_hearing({{b, milliseconds(2)}, {a, milliseconds(1)}}) == hash);  // they come due in the same order
  CHECK(hash_of_hearing({{b, milliseconds(1)}, {a, milliseconds(2)}}) != hash);
  CHECK(hash_of_hearing({{a, milliseconds(1)}}) != hash);
  CHECK(hash_of_hearing({{b, milliseconds(2)}}) != hash);
  CHECK(hash_of_hearing({{a, milliseconds(1)}, {b, milliseconds(3)}}) != hash);
  CHECK(hash_of_hearing({{word(WorldNumber{2}, 1), milliseconds(1)}, {b, milliseconds(2)}}) != hash);
  CHECK(hash_of_hearing({{word(WorldNumber{2}, 0, "other"), milliseconds(1)}, {b, milliseconds(2)}}) != hash);
}

TEST_CASE("messages due at one instant are delivered by sender and then by number, in whatever order they come") {
  const std::vector<Message> all{word(WorldNumber{2}, 5), word(WorldNumber{2}, 6), word(WorldNumber{3}, 0)};
  const auto in_order = [&](const std::vector<std::size_t>& order) {
    std::vector<Coming> coming;
    for (std::size_t i : order) coming.push_back({all[i], milliseconds(4)});
    return hash_of_hearing(coming);
  };
  const AgentHash hash = in_order({0, 1, 2});
  CHECK(in_order({2, 1, 0}) == hash);
  CHECK(in_order({1, 2, 0}) == hash);
  // A nanosecond apart they are delivered in that order: by number of the message alone it would be this one.
  std::vector<Coming> by_number{{all[2], milliseconds(4)}, {all[0], milliseconds(4)}, {all[1], milliseconds(4)}};
  for (std::size_t i = 0; i < 3; ++i) by_number[i].due += Duration(static_cast<std::int64_t>(i));
  CHECK(hash_of_hearing(by_number) != hash);
}

TEST_CASE("each command counts in the hash with its kind, source and order, though the last one alone is obeyed") {
  const WorldNumber me{1};
  const DriveCommand last{me, {{0.2, 0, 0}, {}}, {}, ControlSource::kDashboard};
  const DriveCommand zmq{me, {{0.1, 0, 0}, {}}, {}, ControlSource::kZmq},
      ros{me, {{0.1, 0, 0}, {}}, {}, ControlSource::kRos2};
  const SetParameter five{me, kControllerNode, "actions", "5", ControlSource::kZmq},
      six{me, kControllerNode, "actions", "6", ControlSource::kZmq};
  const SetControls controls{me, {{0, 1.0}}, ControlSource::kZmq};
  const AgentHash only_last = hash_of_inputs({Input(last)});

  CHECK(hash_of_inputs({Input(last)}) == only_last);
  CHECK(hash_of_inputs({zmq, last}) != only_last);
  CHECK(hash_of_inputs({last, last}) != only_last);
  CHECK(hash_of_inputs({controls, last}) != only_last);
  CHECK(hash_of_inputs({zmq, ros, last}) != hash_of_inputs({ros, zmq, last}));
  CHECK(hash_of_inputs({zmq, controls, last}) != hash_of_inputs({controls, zmq, last}));
  CHECK(hash_of_inputs({five, six, last}) != hash_of_inputs({six, last}));
  CHECK(hash_of_inputs({five, six, zmq, last}) != hash_of_inputs({zmq, five, six, last}));
}

TEST_CASE("inputs of one tick act in the order of the journal, also where those of others are between them") {
  const auto set = [](WorldNumber robot, const char* mask) {
    return SetParameter{robot, kControllerNode, "actions", mask, ControlSource::kZmq};
  };
  const WorldNumber a{1}, b{2}, c{3};
  const auto actions = [&](int fleets, const std::vector<Input>& inputs) {
    FleetRig rig(robots(3), fleets, the_executor);
    rig.step(inputs);
    return std::array{rig.agent(a)->actions(), rig.agent(b)->actions(), rig.agent(c)->actions()};
  };
  for (int fleets : {1, 3}) {
    CHECK(actions(fleets, {set(b, "1"), set(a, "2"), set(b, "3"), set(c, "9"), set(a, "4")}) ==
          std::array<std::uint32_t, 3>{4, 3, 9});
    CHECK(actions(fleets, {set(a, "4"), set(b, "3"), set(a, "2"), set(b, "1")}) ==
          std::array<std::uint32_t, 3>{2, 1, 0});
    // Enough that a sort which is not stable would show.
    std::vector<Input> many;
    for (int i = 0; i < 60; ++i) many.push_back(set(i % 2 ? a : c, std::to_string(100 + i).c_str()));
    CHECK(actions(fleets, many) == std::array<std::uint32_t, 3>{159, 0, 158});
  }
}

TEST_CASE(
    "the noise of a robot's encoders is its own: not another robot's, not its driver's, and whoever else is there") {
  const std::vector<Input> forward{DriveCommand{WorldNumber{1}, {{0.2, 0, 0}, {0, 0, 0.1}}, std::chrono::hours(1)},
                                   DriveCommand{WorldNumber{2}, {{0.2, 0, 0}, {0, 0, 0.1}}, std::chrono::hours(1)},
                                   DriveCommand{WorldNumber{3}, {{0.2, 0, 0}, {0, 0, 0.1}}, std::chrono::hours(1)}};
  const auto odometry = [&](int count, int fleets) {
    FleetRig rig(robots(count), fleets, the_executor);
    rig.step(std::span(forward).first(static_cast<std::size_t>(count)));
    for (int i = 0; i < 300; ++i) rig.step();
    std::vector<std::string> x;
    for (int i = 1; i <= count; ++i) x.push_back(field(*rig.agent(static_cast<WorldNumber>(i)), "inner.odometry.x"));
    return x;
  };
  const std::vector<std::string> all = odometry(3, 1);

  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 3);  // though they drive alike
  CHECK(odometry(3, 3) == all);
  CHECK(odometry(1, 1)[0] == all[0]);

  FleetRig rig(robots(3, DriverKind::kRandomWalk), 1, the_executor);
  std::set<std::string> keys;
  for (int i = 1; i <= 3; ++i) {
    const auto number = static_cast<WorldNumber>(i);
    const Agent& agent = *rig.agent(number);
    CHECK(field(agent, "inner.odometry.random.key") == std::to_string(stream_key(11, number.value(), "encoder")));
    CHECK(field(agent, "inner.random.key") == std::to_string(stream_key(11, number.value(), "driver")));
    keys.insert(field(agent, "inner.odometry.random.key")), keys.insert(field(agent, "inner.random.key"));
  }
  CHECK(keys.size() == 6);
}

TEST_CASE("a robot's driver does the same whatever its encoders read") {
  const auto way = [](double noise) {
    Setup setup = robots(1, DriverKind::kRandomWalk);
    for (Model& model : setup.models) model.encoder_noise = noise;
    FleetRig rig(setup, 1, the_executor);
    for (int i = 0; i < 400; ++i) rig.step();
    return rig.state(WorldNumber{1});
  };
  CHECK(way(0.05) == way(0));
  CHECK(way(0).pose.p.x != 0);
}

}  // namespace order_test
