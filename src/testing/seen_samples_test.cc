// Samples that the server wants of its hosts: those that a taker beside the robots gets, at the same instants.
#include <doctest/doctest.h>

#include <set>

#include "sensing/presets.h"
#include "testing/notebook.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace seen_samples_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

// Five burgers with an IMU at once, and a pose that comes a while later.
Setup five() {
  Setup setup = empty_arena(20, 1);
  for (int i = 0; i < 5; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i), spec.model = "turtlebot3_burger", spec.pose.p.x = i;
    for (const char* type : {"imu", "pose"}) spec.sensors.push_back(*sensor_of(type));
    spec.sensors[0].period = 30ms, spec.sensors[1].period = 50ms, spec.sensors[1].latency = 35ms;
    setup.entities.push_back(spec);
  }
  return setup;
}

}  // namespace

TEST_CASE("the server gets all samples that it wants, in one order, and the run stays what it is") {
  Notebook beside;
  Rig one(five(), {.hosts = {"host0"}, .end = 60, .taker = &beside});
  REQUIRE(one.finish());
  REQUIRE(beside.all.size() == 10);

  for (std::size_t hosts : {1u, 2u, 3u}) {
    Notebook seen;
    RigOptions options{.hosts = {}, .end = 60, .wanted = {{"*", {}}}, .seen = &seen};
    for (std::size_t i = 0; i < hosts; ++i) options.hosts.push_back("host" + std::to_string(i));
    Rig rig(five(), options);
    REQUIRE(rig.finish());
    CHECK(seen.all == beside.all);
    CHECK(seen.in_order == beside.in_order);
    CHECK(rig.conductor().digest() == one.conductor().digest());
    CHECK(rig.run().books().seen.lacking() == 0);
  }
}

TEST_CASE("what no pattern names is neither computed nor sent, and who comes later is asked, too") {
  Notebook seen;
  Setup setup = five();
  Rig rig(setup,
          {.hosts = {"host0", "host1"}, .end = 200, .wanted = {{"r?/pose", 100ms}, {"new/*", {}}}, .seen = &seen});
  REQUIRE(rig.run_to(20));
  rig.add_host("late");
  REQUIRE(rig.run_until([&] { return rig.run().hosts().size() == 3; }));
  Spawn spawn;
  spawn.spec = setup.entities[0], spawn.spec.name = "new", spawn.spec.pose.p.y = 3;
  spawn.owner = rig.clients[2]->session().number();
  rig.run().submit(spawn, nullptr);
  REQUIRE(rig.finish());
  CHECK(seen.all.size() == 7);
  CHECK(seen.all[{WorldNumber(6), "imu"}].size() > 20);
  for (std::uint32_t robot = 1; robot <= 5; ++robot) {
    CHECK_FALSE(seen.all.contains({WorldNumber(robot), "imu"}));
    CHECK(seen.all[{WorldNumber(robot), "pose"}].size() == 40);  // each second of 80
  }
  CHECK(seen.fresh);
}

TEST_CASE("in free mode, too") {
  Notebook seen;
  Rig rig(five(), {.hosts = {"host0", "host1"}, .end = 200, .free = true, .wanted = {{"r1/*", {}}}, .seen = &seen});
  REQUIRE(rig.finish());
  CHECK(seen.all.size() == 2);
  CHECK(seen.all[{WorldNumber(2), "imu"}].size() > 60);
  for (const auto& [index, taken] : seen.all[{WorldNumber(2), "pose"}]) CHECK(taken.age == 40ms);
  CHECK(seen.fresh);
}

namespace {

// What a viewer has been sent: of which sensors, and which samples in their order.
struct Eye {
  explicit Eye(Rig& rig, const std::string& name)
      : session(rig.callers[rig.add_caller(name, PeerRole::kViewer)]->session()) {
    session.send(FrameType::kReady, Bytes{});
    session.flush();
  }
  void want(const std::vector<SensorChoice>& names) {
    session.send(FrameType::kWanted, save(WantedSamples{{names}}));
    session.flush();
  }
  Session& session;
};

}  // namespace

TEST_CASE(
    "a viewer gets samples of the sensors that it names, as long as it wants them, and the run stays what it is") {
  Rig plain(five(), {.hosts = {"host0", "host1"}, .end = 100});
  REQUIRE(plain.finish());
  for (const bool recorded : {false, true}) {
    CAPTURE(recorded);
    struct OfOne final : Notebook {
      bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample&) const override {
        return robot == WorldNumber(1) && sensor.name == "pose";
      }
    } seen;
    RigOptions options{.hosts = {"host0", "host1"}, .end = 100, .paused = true};
    if (recorded) options.wanted = {{"r0/pose", {}}}, options.seen = &seen;
    Rig rig(five(), options);
    Eye eye(rig, "eye");
    Caller& caller = *rig.callers.back();
    eye.want({{"r1/imu", {}}, {"r3/pose", 100ms}});
    REQUIRE(rig.error_of(step(40)) == "");
    REQUIRE(rig.run_until([&] { return caller.samples().size() >= 10; }, 5));
    std::set<std::pair<WorldNumber, std::uint32_t>> which;
    for (const SampleCollector::Whole& one : caller.samples()) {
      which.emplace(one.name.robot, one.name.sensor);
      CHECK((one.name.sensor == 0 || one.name.index % 2 == 0));
    }
    CHECK(which == std::set<std::pair<WorldNumber, std::uint32_t>>{{WorldNumber(2), 0}, {WorldNumber(4), 1}});

    eye.want({});
    REQUIRE(rig.error_of(step(5)) == "");
    const std::size_t before = caller.samples().size();
    REQUIRE(rig.error_of(step(40)) == "");
    CHECK(caller.samples().size() == before);
    for (const char* wrong : {"r?/imu", "*"}) {
      eye.want({{wrong, {}}});
      REQUIRE(rig.run_until([&] { return rig.server->membership().drops().of(Drop::kMalformed) > 0; }, 5));
    }
    REQUIRE(rig.error_of(just([](Request& r) { r.mutable_resume(); })) == "");
    REQUIRE(rig.finish());
    CHECK(rig.conductor().digest() == plain.conductor().digest());
    if (recorded) CHECK(seen.all.size() == 1);
  }
}

}  // namespace seen_samples_test
