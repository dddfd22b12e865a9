// Samples that other hosts compute: whoever does, and whenever they come, the run is the same.
#include <doctest/doctest.h>

#include "agent/fleet_rig.h"
#include "core/pose.h"
#include "sensing/presets.h"

namespace orders_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Owner kHost{77};

// Two waffles that drive, each with sensors that may sample elsewhere: where it is, each 20 ms, 40 ms late, and a fix each
// 30 ms; and with odometry, which may not. All samples count.
Setup driving(Distribution distribution) {
  Setup setup;
  setup.models = built_in_models();
  setup.sensors.digest = true;
  for (const char* name : {"a", "b"}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_waffle";
    spec.pose.p.y = name[0] == 'a' ? 0 : 3;
    for (const char* type : {"pose", "fix", "odom"}) spec.sensors.push_back(*sensor_of(type));
    spec.sensors[0].period = 20ms, spec.sensors[0].latency = 40ms, spec.sensors[1].period = 30ms;
    GnssModel noisy;
    noisy.horizontal = 0.5;
    spec.sensors[1].parameters = save(noisy);
    for (SensorSpec& one : spec.sensors) one.distribution = distribution;
    setup.entities.push_back(spec);
  }
  return setup;
}

std::vector<Input> drive() {
  return {DriveCommand{WorldNumber(1), {{0.2, 0, 0}, {0, 0, 1}}, 10s},
          DriveCommand{WorldNumber(2), {{0.1, 0, 0}, {0, 0, 0}}, 10s}};
}

// Another host: a copy of the world at each boundary, without agents, which computes what was ordered some ticks later.
class SensorHost {
 public:
  // `every`: of what is ordered, one in so many is never sent.
  SensorHost(FleetRig& rig, const Setup& setup, Tick late, int every = 0)
      : rays_(nullptr), pictures_(nullptr), maker_(rays_, pictures_, executor_) {
    rig.before_tick = [this, &rig, setup, late, every](Fleet& fleet, Tick k, std::span<const Input> inputs) {
      for (std::uint32_t robot : {1u, 2u})
        for (std::uint32_t sensor : {0u, 1u, 2u}) fleet.orders().give(WorldNumber(robot), sensor, kHost);
      deliver(fleet, k, late);
      if (fleet.orders().awaits(rig.now())) {
        CHECK(fleet.orders().late(rig.now()) == std::vector{kHost});
        made_up += fleet.orders().make_up(kHost, maker_);
      }
      CHECK_FALSE(fleet.orders().awaits(rig.now()));
      for (auto& [host, orders] : fleet.orders().take(k, inputs)) {
        CHECK(host == kHost);
        auto samples = maker_.make(orders, rig.world(), setup, rig.now());
        for (std::size_t i = 0; i < orders.size(); ++i)
          if (every == 0 || ++ordered % every != 0) sent_.push_back({k, name_of(orders[i]), std::move(*samples[i])});
      }
    };
  }

  int ordered = 0;
  std::size_t filled = 0, made_up = 0;

 private:
  struct Sent {
    Tick at;
    SampleName name;
    SampleData data;
  };
  void deliver(Fleet& fleet, Tick k, Tick late) {
    std::erase_if(sent_, [&](Sent& one) {
      if (one.at + late > k) return false;
      filled += fleet.orders().fill(one.at, one.name, std::move(one.data)) ? 1 : 0;
      return true;
    });
  }

  SerialExecutor executor_;
  FleetRays rays_;
  FleetPictures pictures_;
  SampleMaker maker_;
  std::vector<Sent> sent_;
};

// The digest of a second, with a robot that comes, one that goes, and a sensor that is changed in between.
std::uint64_t second(FleetRig& rig) {
  const std::vector<Input> inputs = drive();
  GnssModel other;
  other.horizontal = 7;
  const Input change = SetSensor{.entity = WorldNumber(1), .sensor = "fix", .parameters = save(other)};
  EntitySpec third;
  third.name = "c", third.model = "turtlebot3_burger";
  third.pose.p.y = 6;
  for (int k = 0; k < 100; ++k) {
    if (k == 31) REQUIRE(rig.edit(Spawn{third, Owner(1)}));
    if (k == 53) REQUIRE(rig.edit(Delete{WorldNumber(2)}));
    if (k == 71) REQUIRE(rig.edit(Reset{{WorldNumber(1)}}));
    rig.step(k == 0 ? std::span(inputs) : k == 42 ? std::span(&change, 1) : std::span<const Input>());
  }
  return rig.digest();
}

}  // namespace

TEST_CASE("samples may be computed by another host, late or never: the run is the same") {
  SerialExecutor executor;
  const Setup setup = driving(Distribution::kClientOnly);
  FleetRig alone(setup, 1, executor);
  const std::uint64_t expected = second(alone);

  SUBCASE("in time") {
    FleetRig rig(setup, 1, executor);
    SensorHost host(rig, setup, 1);
    CHECK(second(rig) == expected);
    CHECK(host.filled > 100);
    CHECK(host.made_up == 0);
  }
  SUBCASE("too late, so that they are made up for, and come to nobody") {
    FleetRig rig(setup, 1, executor);
    SensorHost host(rig, setup, 4);
    CHECK(second(rig) == expected);
    CHECK(host.made_up > 40);
  }
  SUBCASE("some are lost") {
    FleetRig rig(setup, 1, executor);
    SensorHost host(rig, setup, 1, 3);
    CHECK(second(rig) == expected);
    CHECK(host.made_up > 30);
    CHECK(host.filled > 30);
  }
  SUBCASE("two fleets share the robots") {
    FleetRig rig(setup, 2, executor);
    SensorHost host(rig, setup, 1);
    CHECK(second(rig) == expected);
  }
}

TEST_CASE(
    "where nobody waits, late samples are put off, newer ones left out meanwhile, and those of a lost host dropped") {
  SerialExecutor executor;
  Setup setup = driving(Distribution::kClientOnly);
  setup.sensors.digest = false;
  struct All final : SampleTaker {
    bool takes(WorldNumber, const SensorSpec& sensor, const DueSample&) const override { return sensor.name == "pose"; }
    void took(WorldNumber robot, const SensorSpec&, const Sample& sample, Instant now) override {
      if (robot == WorldNumber(1)) got.emplace_back(sample.index, now);
    }
    std::vector<std::pair<std::uint64_t, Instant>> got;
  } taker;
  FleetRig rig(setup, 1, executor, nullptr, nullptr, &taker);
  FleetRays rays(nullptr);
  FleetPictures pictures(nullptr);
  SampleMaker maker(rays, pictures, executor);
  FleetOrders& orders = rig.fleet(0).orders();
  orders.never_wait();
  orders.give(WorldNumber(1), 0, kHost);
  std::vector<std::pair<Tick, SampleName>> ordered;
  rig.before_tick = [&](Fleet&, Tick k, std::span<const Input> inputs) {
    for (const auto& [host, some] : orders.take(k, inputs))
      for (const SampleOrder& order : some) ordered.emplace_back(k, name_of(order));
  };
  const auto come = [&](std::size_t i) { return orders.fill(ordered[i].first, ordered[i].second, PoseReading{}); };
  const auto step_to = [&](Tick tick) {
    while (rig.tick() < tick) rig.step();
  };

  using Got = std::vector<std::pair<std::uint64_t, Instant>>;
  // Each 20 ms, 40 ms late: sample 0 is due at tick 4, where 1 is under way, and 2 is left out.
  step_to(5);
  REQUIRE(ordered.size() == 2);
  CHECK(orders.oldest_late() == Tick{0});
  CHECK(orders.oldest_late_of() == std::vector{kHost});
  CHECK(come(1));  // ahead of the older one, and due at tick 6
  step_to(9);
  CHECK(taker.got == Got{{1, instant(60'000'000)}});
  CHECK(ordered.size() == 2);  // 3 and 4 are left out, too
  FleetOrders::Missed missed = orders.take_missed();
  CHECK(missed.late == 1);
  CHECK(missed.left_out == 3);
  CHECK(missed.dropped == 0);

  taker.got.clear();
  CHECK(come(0));
  CHECK_FALSE(come(0));
  CHECK_FALSE(orders.oldest_late());
  step_to(12);
  CHECK(taker.got == Got{{0, instant(90'000'000)}});
  REQUIRE(ordered.size() == 3);  // it goes on with 5, at tick 10
  CHECK(ordered[2].second.index == 5);

  // What a lost host owes comes to nobody; nothing more is ordered from it.
  step_to(15);
  CHECK(orders.make_up(kHost, maker) == 0);
  CHECK_FALSE(come(2));
  missed = orders.take_missed();
  CHECK(missed.dropped == 2);
  orders.give(WorldNumber(1), 0, kNobody);
  taker.got.clear();
  const std::size_t before = ordered.size();
  step_to(30);
  CHECK(ordered.size() == before);
  REQUIRE(taker.got.size() > 4);
  CHECK(taker.got.front() == std::pair(std::uint64_t{8}, instant(200'000'000)));
}

TEST_CASE("a run that goes on from a checkpoint counts what was under way then, whoever was to compute it") {
  SerialExecutor executor;
  const Setup setup = driving(Distribution::kClientOnly);
  const std::vector<Input> inputs = drive();
  const auto step = [&](FleetRig& rig, Tick until) {
    while (rig.tick() < until) rig.step(rig.tick() == 0 ? std::span(inputs) : std::span<const Input>());
  };
  FleetRig alone(setup, 1, executor);
  step(alone, 20);
  for (Tick at = 1; at < 12; ++at)
    for (bool ordered : {false, true}) {
      CAPTURE(at);
      CAPTURE(ordered);
      FleetRig before(setup, 1, executor);
      std::optional<SensorHost> host;
      if (ordered) host.emplace(before, setup, 1);
      step(before, at);
      FleetRig after(before, 1, executor);
      step(after, 20);
      CHECK(after.digest() == alone.digest());
    }

  // What is no such list is refused, and changes nothing.
  FleetRig rig(setup, 1, executor);
  step(rig, 5);
  FleetRays rays(nullptr);
  FleetPictures pictures(nullptr);
  SampleMaker maker(rays, pictures, executor);
  const WorldNumber robot(1);
  const Bytes inner = rig.fleet(0).inner(robot), more = save_under_way(rig.fleet(0), robot, maker);
  REQUIRE(more.size() > 100);
  for (std::size_t size = 1; size < more.size(); ++size) {
    Bytes cut = inner;
    cut.insert(cut.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(rig.fleet(0).mine(robot)->load(cut));
  }
  CHECK(rig.fleet(0).inner(robot) == inner);
}

TEST_CASE("what knows its robot from inside is never ordered, whatever the scenario says") {
  SerialExecutor executor;
  const Setup setup = driving(Distribution::kClientOnly);
  FleetRig rig(setup, 1, executor);
  std::size_t orders = 0;
  FleetRays rays(nullptr);
  FleetPictures pictures(nullptr);
  SampleMaker maker(rays, pictures, executor);
  rig.before_tick = [&](Fleet& fleet, Tick k, std::span<const Input> inputs) {
    fleet.orders().make_up(kHost, maker);  // of the tick before
    for (std::uint32_t sensor : {0u, 1u, 2u}) fleet.orders().give(WorldNumber(1), sensor, kHost);
    for (const auto& [host, some] : fleet.orders().take(k, inputs))
      for (const SampleOrder& order : some) {
        CHECK(order.sensor != 2);
        ++orders;
      }
  };
  for (int k = 0; k < 10; ++k) rig.step();
  CHECK(orders == 9);  // 5 poses and 4 fixes of one robot
}

TEST_CASE("that a sensor may sample elsewhere makes its samples a tick late; where it samples changes nothing") {
  SerialExecutor executor;
  FleetRig stays(driving(Distribution::kMainOnly), 1, executor),
      leaves(driving(Distribution::kMainOrClient), 1, executor);
  CHECK(second(stays) != second(leaves));
}

TEST_CASE("what samples take at home is measured, of those alone that may sample elsewhere") {
  const Setup setup = driving(Distribution::kMainOrClient);
  World world = *World::make(setup);
  for (std::uint32_t robot : {1u, 2u}) world.apply(Move{WorldNumber(robot), Owner(1), {}}, instant(0));
  world.settle();
  std::uint64_t ns = 0;
  SampleMeter meter([&ns] { return ns += 5; });
  const KinematicFactory factory;
  AgentParts parts{factory};
  parts.meter = &meter;
  SerialExecutor executor;
  Fleet fleet(std::move(world), setup, Owner(1), executor, parts);
  fleet.take_up();
  for (Tick k = 0; k < 6; ++k) fleet.open({}), fleet.advance(k, {}), fleet.turn();
  const std::vector<SampleSpent> spent = meter.take();
  REQUIRE(spent.size() == 4);  // a pose and a fix of each, and no odometry
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(spent[i].robot == WorldNumber(static_cast<std::uint32_t>(1 + i / 2)));
    CHECK(spent[i].sensor == i % 2);
    CHECK(spent[i].samples == (i % 2 == 0 ? 3 : 2));  // each 20 ms and each 30
    CHECK(spent[i].ns == 5 * spent[i].samples);
  }
  CHECK(meter.take().empty());
}

TEST_CASE("a world of before is had with what was in it then") {
  Setup setup = driving(Distribution::kMainOnly);
  World world = *World::make(setup);
  PastWorlds past;
  CHECK_FALSE(past.at(3, world));
  past.keep(3, world);
  world.snapshot().state(Slot(0)).pose.p.x = 1;
  past.keep(4, world);
  past.before_edit(world);
  world.apply(Delete{WorldNumber(1)}, instant(0));
  world.settle();
  past.keep(5, world);

  CHECK(past.at(3, world)->entities().size() == 2);
  CHECK(past.at(3, world)->snapshot().state(Slot(0)).pose.p.x == 0);
  CHECK(past.at(4, world)->snapshot().state(Slot(0)).pose.p.x == 1);
  CHECK(past.at(5, world)->entities().size() == 1);
  past.forget_before(5);
  CHECK_FALSE(past.at(4, world));
  CHECK(past.at(5, world)->entities().size() == 1);
}

}  // namespace orders_test
