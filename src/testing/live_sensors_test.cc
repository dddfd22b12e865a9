// Sensor hosts in free mode, in virtual time: nothing waits for them, and what they compute is of the instant that it names.
#include <doctest/doctest.h>

#include "sensing/presets.h"
#include "testing/notebook.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace live_sensors_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

constexpr WorldNumber kA{1}, kB{2};

// Two waffles that drive in circles, each with two sensors of its own pose each 20 ms, 40 ms late. One of them samples
// elsewhere.
Setup circling() {
  Setup setup = empty_arena(20, 1);
  for (const char* name : {"a", "b"}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_waffle";
    spec.pose.p.y = name[0] == 'a' ? 0 : 3;
    for (const char* sensor : {"there", "here"}) {
      spec.sensors.push_back(*sensor_of("pose"));
      spec.sensors.back().name = sensor, spec.sensors.back().period = 20ms, spec.sensors.back().latency = 40ms;
      spec.sensors.back().distribution = sensor[0] == 't' ? Distribution::kClientOnly : Distribution::kMainOnly;
    }
    setup.entities.push_back(spec);
  }
  return setup;
}

void drive(Rig& rig) {
  for (const char* robot : {"a", "b"}) {
    Request request;
    auto& command = *request.mutable_drive();
    command.set_name(robot), command.set_forward(0.2), command.set_turn(1), command.set_timeout(60);
    CHECK(rig.error_of(request) == "");
  }
}

const SensorPlaces::Counts& counts(Rig& rig) { return rig.run().places().counts(); }

}  // namespace

TEST_CASE("in free mode a sensor host computes what the robot's host would have, of where the robot truly was") {
  Notebook notes;
  Rig rig(circling(), {.hosts = {"host0", "host1"}, .free = true, .taker = &notes, .sensor_hosts = {"sensor0"}});
  REQUIRE(rig.run_until([&] { return rig.run().tick() > 20; }));
  drive(rig);
  REQUIRE(rig.run_to(500));

  for (WorldNumber robot : {kA, kB}) {
    const auto& there = notes.all[{robot, "there"}];
    const auto& here = notes.all[{robot, "here"}];
    REQUIRE(there.size() > 200);
    std::size_t equal = 0;
    for (const auto& [index, taken] : there) {
      if (!here.contains(index)) continue;
      Sample same = taken.sample;  // without noise, in which both would differ
      same.sensor = here.at(index).sample.sensor;
      CHECK(save(same) == save(here.at(index).sample));
      ++equal;
    }
    CHECK(equal > 200);
  }
  CHECK(notes.fresh);
  CHECK(counts(rig).samples > 300);
  CHECK(counts(rig).late == 0);
  CHECK(rig.sensor_hosts[0]->counts().samples > 300);
}

TEST_CASE("in free mode late samples come late, and are counted; who is too slow gets no more than it can do") {
  Notebook notes;
  // An answer takes 130 ms, and a sample is due after 40: of eight, two are ordered.
  Rig rig(circling(),
          {.hosts = {"host0"}, .free = true, .taker = &notes, .sensor_hosts = {"sensor0"}, .sensors_slow = 130ms});
  REQUIRE(rig.run_to(500));
  const auto& there = notes.all[{kA, "there"}];
  CHECK(there.size() > 80);  // of 500
  CHECK(there.size() < 170);
  for (const auto& [index, taken] : there) {
    CHECK(taken.age >= 130ms);
    CHECK(taken.age < 200ms);
  }
  CHECK(notes.all[{kA, "here"}].size() > 490);  // nothing else waits
  CHECK(notes.fresh);
  CHECK(counts(rig).late > 50);
  CHECK(counts(rig).skipped > 100);
  const proto::Reply status = rig.call(just([](Request& r) { r.mutable_status(); }));
  CHECK(status.json().find("\"late_samples\":") != std::string::npos);
}

TEST_CASE("in free mode sensors of a sensor host that is gone, or says nothing, sample elsewhere") {
  Notebook notes;
  Rig rig(circling(), {.hosts = {"host0", "host1"},
                       .liveness = 2s,
                       .free = true,
                       .taker = &notes,
                       .sensor_hosts = {"sensor0", "sensor1"}});
  REQUIRE(rig.run_to(200));
  CHECK(rig.run().places().names().size() == 2);
  const auto samples_of = [&](std::size_t host) { return rig.sensor_hosts[host]->counts().samples; };
  CHECK(samples_of(0) > 30);
  CHECK(samples_of(1) > 30);

  SUBCASE("killed") { rig.net.kill(rig.sensor_seats[0]); }
  SUBCASE("it stands still") { rig.net.stop(rig.sensor_seats[0], 30s); }
  SUBCASE("it leaves") { rig.sensor_hosts[0]->stop(); }

  const std::uint64_t before = samples_of(1);
  const Tick at = rig.run().tick();
  REQUIRE(rig.run_until([&] { return rig.run().places().names().size() == 1; }, 8));
  REQUIRE(rig.run_to(at + 1000));
  CHECK(samples_of(1) - before > 900);  // of both robots, for most of the time
  CHECK(rig.run().places().lost() == 1);
  CHECK(rig.server->losses().all.empty());
  const std::uint64_t newest = notes.all[{kA, "there"}].rbegin()->first;
  CHECK(newest + 10 > notes.all[{kA, "here"}].rbegin()->first);
  CHECK(notes.fresh);
}

TEST_CASE("in free mode a reset, an edit and another host of a robot leave its sensors where they are placed") {
  Notebook notes;
  Rig rig(circling(), {.hosts = {"host0", "host1"}, .free = true, .taker = &notes, .sensor_hosts = {"sensor0"}});
  REQUIRE(rig.run_to(100));
  CHECK(rig.error_of(just([](Request& r) { r.mutable_reset(); })) == "");
  notes.all.clear();
  REQUIRE(rig.run_until([&] { return rig.run().run() == 1 && rig.run().tick() > 100; }));
  CHECK(notes.all[{kA, "there"}].size() > 40);

  // Both robots are one host's after this.
  rig.run().submit(Move{kB, rig.clients[0]->session().number(), {}}, nullptr);
  notes.all.clear();
  REQUIRE(rig.run_to(300));
  CHECK(notes.all[{kB, "there"}].size() > 80);
  rig.run().submit(Delete{kB}, nullptr);
  REQUIRE(rig.run_to(320));
  notes.all.clear();
  REQUIRE(rig.run_to(400));
  CHECK(notes.all[{kB, "there"}].empty());
  CHECK(notes.all[{kA, "there"}].size() > 30);
  CHECK_FALSE(rig.sensor_hosts[0]->failure());
  CHECK(rig.run().places().lost() == 0);
}

}  // namespace live_sensors_test
