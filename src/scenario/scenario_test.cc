#include "scenario/scenario.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "core/approx.h"
#include "scenario/sensor_text.h"
#include "sensing/users_parameters.h"
#include "world/state.h"

namespace scenario_test {

using namespace convoy;
using namespace convoy::scenario;
using namespace std::chrono_literals;

namespace {

Loaded read(const std::string& text, const LoadOptions& options = {}) {
  return parse("convoy: 1\n" + text, "s.yaml", "", options);
}
std::string error_of(const std::string& text, const LoadOptions& options = {}) {
  const auto scenario = read(text, options);
  return scenario ? "ok" : scenario.error().message();
}
const std::string kBurger = "robots:\n- {name: b, model: turtlebot3_burger, placement: {poses: [[0, 0]]}";

}  // namespace

TEST_CASE("a scenario of one line has every default") {
  const auto s = read("");
  REQUIRE(s);
  CHECK(s->run == RunOptions{});
  CHECK(s->run.duration == 60s);
  CHECK(s->setup.name == "s");
  CHECK(s->setup.seed == 1);
  CHECK(s->setup.tick == 10ms);
  CHECK(s->setup.map == MapData{});
  CHECK(s->setup.models == built_in_models());
  CHECK(s->setup.entities.empty());
  CHECK(s->warnings.empty());
}

TEST_CASE("the version is required and known") {
  CHECK(parse("name: a", "s.yaml", "").error().message() ==
        "s.yaml:1: the field 'convoy' is missing; add a first line: convoy: 1");
  CHECK(parse("convoy: 2", "s.yaml", "").error().message() == "s.yaml:1: convoy: found '2'; allowed: 1");
}

TEST_CASE("time has a mode, a tick, a speed, a duration and a bound on drift") {
  const auto s = read("time: {mode: free, tick: 20ms, speed: 2, duration: 5, max_drift: {ticks: 3, policy: degrade}}");
  REQUIRE(s);
  CHECK(s->run.mode == TimeMode::kFree);
  CHECK(s->setup.tick == 20ms);
  CHECK(s->run.speed == 2);
  CHECK(s->run.duration == 5s);
  CHECK(s->run.max_drift == MaxDrift{60ms, DriftPolicy::kDegrade});
  CHECK(read("time: {speed: max}")->run.speed == kMaxSpeed);
  for (const char* speed : {"0", "1e-300", "0.0009", "1000.1", "1e300"})
    CHECK(error_of(fmt::format("time: {{speed: {}}}", speed)) ==
          fmt::format("s.yaml:2: time.speed: found '{}'; allowed: max, or a number from 0.001 to 1000 times real time",
                      speed));
  CHECK(read("time: {max_drift: {duration: 1s}}")->run.max_drift == MaxDrift{1s, DriftPolicy::kSlow});

  CHECK(error_of("time: {mode: fast}") == "s.yaml:2: time.mode: found 'fast'; allowed: lockstep, free");
  CHECK(error_of("time: {mode: free, speed: max}") ==
        "s.yaml:2: time.speed: max is not possible in free mode; allowed: a number above 0");
  CHECK(error_of("time: {max_drift: {ticks: 1, duration: 1s}}") ==
        "s.yaml:2: time.max_drift.duration: cannot stand beside 'ticks'; allowed: one of ticks, duration");
  CHECK(error_of("time: {max_drift: {policy: slow}}") ==
        "s.yaml:2: time.max_drift: one of the fields 'ticks', 'duration' is missing");
  CHECK(error_of("time: {tick: 0}") ==
        "s.yaml:2: time.tick: found '0'; allowed: a duration from 1us to 10s, as 10ms, "
        "1.5s, or a number of seconds");
  CHECK(
      error_of("tiem: {tick: 1}").starts_with("s.yaml:2: tiem: unknown field; did you mean 'time'? allowed: convoy, "));
}

TEST_CASE("hosts are a count or names") {
  CHECK(read("hosts: 3")->run.hosts.names == std::vector<std::string>{"host0", "host1", "host2"});
  CHECK(read("hosts: [a, b]")->run.hosts.names == std::vector<std::string>{"a", "b"});
  CHECK(read("hosts: {count: 2, placement: by_name}")->run.hosts.placement == HostPlacement::kByName);
  CHECK(error_of("hosts: 0") == "s.yaml:2: hosts.count: found '0'; allowed: a whole number from 1 to 1000");
  CHECK(error_of("hosts: [a, a]") == "s.yaml:2: hosts.names: the name 'a' stands here twice");
  CHECK(error_of("hosts: []") == "s.yaml:2: hosts.names: 0 hosts; allowed: 1 to 1000");
  CHECK(error_of("hosts: {placement: by_name}\n" + kBurger + "}") ==
        "s.yaml:4: robots[0]: the field 'host' is missing; hosts.placement is by_name");
  const auto lost = read(kBurger + ", host: elsewhere}");
  REQUIRE(lost);
  CHECK(lost->warnings == std::vector<std::string>{
                              "s.yaml:3: robots[0].host: this run has no host 'elsewhere'; its robots go round-robin"});
  CHECK(lost->setup.entities[0].host == "elsewhere");
}

TEST_CASE("faults are in the order of time and name a host of the run") {
  const auto s = read(
      "hosts: 2\nfaults:\n- {at: 2s, host: host1, kind: kill}\n"
      "- {at: 1s, host: host0, kind: stall, duration: 3s}");
  REQUIRE(s);
  CHECK(s->run.faults == std::vector<Fault>{{Instant(1s), "host0", FaultKind::kStall, 3s},
                                            {Instant(2s), "host1", FaultKind::kKill, 0s}});
  CHECK(error_of("faults: [{at: 1, host: host1, kind: kill}]") ==
        "s.yaml:2: faults[0].host: unknown host 'host1'; did you mean 'host0'? allowed: host0");
  CHECK(error_of("faults: [{at: 1, host: host0, kind: burn}]") ==
        "s.yaml:2: faults[0].kind: found 'burn'; allowed: delay, stall, cut, kill, corrupt_state");
  CHECK(error_of("faults: [{at: 1, host: host0, kind: cut}]") ==
        "s.yaml:2: faults[0]: this kind of fault needs a duration above 0");
  CHECK(error_of("faults: [{at: 1, host: host0, kind: kill, duration: 1s}]") ==
        "s.yaml:2: faults[0].duration: this kind of fault has no duration");
  CHECK(error_of("faults: [{host: host0, kind: kill}]") == "s.yaml:2: faults[0]: the field 'at' is missing");
}

TEST_CASE("the rest of the run and of the world is read") {
  const auto s = read(
      "name: My world\nseed: 18446744073709551615\nview_radius: 7\ncheckpoint: 5\nleave: recover\nliveness: "
      "off\ntick_deadline: 2min\n"
      "wait_for: [a, b]\nmax_clients: 3\nnetwork: {delay: 1ms, jitter: 2ms, loss: 0.5, range: 9}\n"
      "environment: {fog: 0.1, rain: 0.2, wetness: 0.3, cloudiness: 0.4, road_damage: 0.5, time_of_day: 23.5}");
  REQUIRE(s);
  CHECK(s->setup.name == "My world");
  CHECK(s->setup.seed == ~std::uint64_t{0});
  CHECK(s->setup.view_radius == 7);
  CHECK(s->setup.checkpoint == 5);
  CHECK(s->setup.network == NetworkModel{1ms, 2ms, 0.5, 9});
  CHECK(s->setup.environment == Environment{0.1, 0.2, 0.3, 0.4, 0.5, 23.5});
  CHECK(s->run.leave == LeavePolicy::kRecover);
  CHECK(s->run.liveness == std::nullopt);
  CHECK(s->run.tick_deadline == std::chrono::minutes(2));
  CHECK(s->run.wait_for.names == std::vector<std::string>{"a", "b"});
  CHECK(s->run.wait_for.deadline == 1s);
  CHECK(s->run.max_clients == 3);
  CHECK(read("liveness: 2")->run.liveness == 2s);
  CHECK(read("environment: {time_of_day: 24}")->setup.environment.time_of_day == 0);
  CHECK(error_of("wait_for: [a, host0]") ==
        "s.yaml:2: wait_for.names: 'host0' is a host, and each tick waits for those anyway");
  CHECK(error_of("leave: run") == "s.yaml:2: leave: found 'run'; allowed: freeze, remove, recover");
}

TEST_CASE("a model has fields of its own or those of another") {
  const auto s = read(
      "models:\n- {name: fast, like: turtlebot3_burger, max_speed: 2}\n"
      "- {name: faster, like: fast, max_speed: 3}\n"
      "- {name: crate, footprint: [[0, 0], [1, 0], [0, 1]], mass: 7, joints: [lid]}");
  REQUIRE(s);
  const auto& models = s->setup.models;
  const std::size_t n = built_in_models().size();
  REQUIRE(models.size() == n + 3);
  Model fast = built_in_models()[0];
  fast.name = "fast";
  fast.max_speed = 2;
  CHECK(models[n] == fast);
  CHECK(models[n + 1].max_speed == 3);
  CHECK(models[n + 1].footprint == fast.footprint);
  CHECK(models[n + 2].mass == 7);
  CHECK(models[n + 2].joints == std::vector<std::string>{"lid"});

  CHECK(error_of("models: [{name: a, like: b}]")
            .starts_with("s.yaml:2: models[0].like: unknown model 'b'; allowed: turtlebot3_burger, "));
  CHECK(error_of("models: [{name: box, like: box}]") == "s.yaml:2: models[0].name: there is a model 'box' already");
  CHECK(error_of("models: [{like: box}]") == "s.yaml:2: models[0]: the field 'name' is missing");
  const std::string polygon = ": not a convex polygon of 3 to 16 corners, counter-clockwise";
  CHECK(error_of("models: [{name: a}]") == "s.yaml:2: models[0]" + polygon);
  for (const char* shape : {"[[0, 0], [0, 1], [1, 0]]", "[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0]]",
                            "[[0, 0], [2, 0], [1, 0.1], [2, 2]]", "[[0, 0], [0, 0], [1, 0], [0, 1]]",
                            "[[0, 1], [-0.6, -0.8], [1, 0.3], [-1, 0.3], [0.6, -0.8]]"})
    CHECK(error_of(std::string("models: [{name: a, footprint: ") + shape + "}]") ==
          "s.yaml:2: models[0].footprint" + polygon);
  CHECK(error_of("models: [{name: a, like: box, mass: 0}]") ==
        "s.yaml:2: models[0].mass: found '0'; allowed: a number above 0, at most 1000000 kg");
}

TEST_CASE("robots are numbered in file order, the numbers of a group padded to one length") {
  const auto s = read(
      "robots:\n- {name: z, model: box, placement: {poses: [[1, 2, 0.5]]}}\n"
      "- {name: a, count: 11, model: turtlebot3_burger, namespace: fleet/one, tags: [t], frame: base,\n"
      "   driver: random_walk, placement: {grid: {origin: [5, 5], columns: 4}}}\n"
      "- {name: c, count: 1, model: box, placement: {poses: [[-4, 0]]}}");
  REQUIRE(s);
  const auto& e = s->setup.entities;
  REQUIRE(e.size() == 13);
  CHECK(e[0].name == "z");
  CHECK(e[0].pose.p == Vec3{1, 2, 0});
  CHECK(yaw_of(e[0].pose.q) == approx(0.5));
  CHECK(e[0].ns == "");
  CHECK(e[1].name == "a_00");
  CHECK(e[11].name == "a_10");
  CHECK(e[11].ns == "fleet/one/a_10");
  CHECK(e[11].pose.p == Vec3{7, 7, 0});
  CHECK(e[11].driver.kind == DriverKind::kRandomWalk);
  CHECK(e[11].frame == "base");
  CHECK(e[11].tags == std::vector<std::string>{"t"});
  CHECK(e[12].name == "c_0");
  CHECK(s->warnings.empty());
}

TEST_CASE("what a robot may not be is reported") {
  CHECK(error_of("robots: [{name: a, model: burger}]")
            .starts_with("s.yaml:2: robots[0].model: unknown model 'burger'; did you mean 'turtlebot3_burger'? "
                         "allowed: turtlebot3_burger, "));
  CHECK(error_of("robots: [{name: a, modle: box}]")
            .starts_with("s.yaml:2: robots[0].modle: unknown field; did you mean 'model'? allowed: name, "));
  CHECK(error_of("robots: [{model: box}]") == "s.yaml:2: robots[0]: the field 'name' is missing");
  CHECK(error_of("robots: [{name: a, count: 200001, model: box}]") ==
        "s.yaml:2: robots[0].count: found '200001'; allowed: a whole number from 0 to 200000");
  CHECK(error_of(kBurger + "}\n- {name: b, model: box, placement: {poses: [[5, 5]]}}") ==
        "s.yaml:4: robots[1]: the name 'b' is taken; first by s.yaml:3: robots[0]");
  CHECK(error_of("robots:\n- {name: a, count: 2, model: box, placement: {poses: [[0, 0]]}}") ==
        "s.yaml:3: robots[0].placement: 1 poses for 2 robots");
  CHECK(error_of(kBurger + ", driver: {kind: crazy}}") ==
        "s.yaml:3: robots[0].driver.kind: found 'crazy'; allowed: none, random_walk, waypoints, right_of_way");
  CHECK(error_of(kBurger + ", driver: waypoints}") ==
        "s.yaml:3: robots[0].driver: the driver 'waypoints' needs waypoints");
  CHECK(error_of("robots: [{name: a, model: box, placement: {poses: [[0, 0]], random: {}}}]") ==
        "s.yaml:2: robots[0].placement.random: cannot stand beside 'poses'; allowed: one of poses, grid, random");
}

TEST_CASE("a robot's nodes may ask for the edits that its scenario lists, and by default for none") {
  const std::string nodes = ", components: [{package: demo, class: demo::Builder}]";

  CHECK(read(kBurger + nodes + "}")->setup.entities[0].edits.empty());
  CHECK(read(kBurger + nodes + ", edits: [detach, spawn]}")->setup.entities[0].edits ==
        std::vector<EditKind>{EditKind::kSpawn, EditKind::kDetach});
  CHECK(error_of(kBurger + nodes + ", edits: [spawn, reset]}") ==
        "s.yaml:3: robots[0].edits: unknown kind of edit 'reset'; did you mean 'set'? allowed: spawn, delete, set, "
        "attach, detach");
  CHECK(error_of(kBurger + nodes + ", edits: [spawn, spawn]}") ==
        "s.yaml:3: robots[0].edits: one of them stands there twice");
  const auto alone = read(kBurger + ", edits: [spawn]}");
  REQUIRE(alone);
  REQUIRE(alone->warnings.size() == 1);
  CHECK(alone->warnings[0] == "s.yaml:3: robots[0].edits: nothing asks for them: it has no components");
}

TEST_CASE("a name that begins another's is warned of, but not within a group") {
  const auto s = read(
      "robots:\n- {name: b_1, model: box, placement: {poses: [[50, 50]]}}\n"
      "- {name: b, count: 12, model: box, placement: {grid: {spacing: [3, 3]}}}\n"
      "- {name: b_12, model: box, placement: {poses: [[60, 50]]}}");
  REQUIRE(s);
  CHECK(s->warnings == std::vector<std::string>{"the name 'b_1' is the beginning of 'b_10' and of 2 more"});
}

TEST_CASE("overrides come before the check, and later ones win") {
  const std::string text = "hosts: 2\nrobots:\n- {name: b, count: 2, model: box, placement: {grid: {}}}";
  const auto s = read(text, {.overrides = {"robots[0].count=10", "seed=5", "seed=6", "hosts=3", "time.duration=1.5s"}});
  REQUIRE(s);
  CHECK(s->setup.entities.size() == 10);
  CHECK(s->setup.seed == 6);
  CHECK(s->run.hosts.names.size() == 3);
  CHECK(s->run.duration == 1500ms);
  CHECK(error_of(text, {.overrides = {"robots[1].count=1"}}) == "--set robots[1].count=1: robots has 1 elements");
  CHECK(error_of(text, {.overrides = {"robots[0].cuont=1"}})
            .starts_with("--set robots[0].cuont=1: robots[0].cuont: unknown field; did you mean 'count'? allowed: "));
  CHECK(error_of(text, {.overrides = {"sed=1"}}).starts_with("--set sed=1: sed: unknown field; did you mean 'seed'? "));
  CHECK(error_of(text, {.overrides = {"robots[0].count=x"}}) ==
        "--set robots[0].count=x: robots[0].count: found 'x'; allowed: a whole number from 0 to 200000");
}

TEST_CASE("another part of the system reads a top-level section of its own") {
  std::uint32_t port = 0;
  const LoadOptions options{
      .sections = {{"radio", [&](Section& s) { s.integer("port", port, 1, 65535, Need::kRequired); }}}};
  CHECK(error_of("radio: {port: 5555}", options) == "ok");
  CHECK(port == 5555);
  CHECK(error_of("radio: {prot: 1, port: 1}", options) ==
        "s.yaml:2: radio.prot: unknown field; did you mean 'port'? allowed: port");
  CHECK(error_of("radio: {}", options) == "s.yaml:2: radio: the field 'port' is missing");
  CHECK(error_of("radio: {port: 5555}").starts_with("s.yaml:2: radio: unknown field; "));
  const auto fields = known_scenario_fields(options);
  CHECK(std::count(fields.begin(), fields.end(), "radio.port") == 1);
  CHECK(std::count(fields.begin(), fields.end(), "robots[].placement.random.region") == 1);
}

TEST_CASE("streams have a block of ports for each robot client, and blocks do not meet") {
  CHECK(error_of("zmq: {}") == "ok");
  CHECK(error_of("hosts: 3\nzmq: {port: 65476}") == "ok");
  CHECK(error_of("hosts: 3\nzmq: {port: 65477}") == "s.yaml:3: zmq.port: 3 robot clients need 60 ports from here on");
  CHECK(error_of("hosts: 2\nzmq: {wire_profile: both, port: 6000, urlab01_port: 6040}") == "ok");
  CHECK(error_of("hosts: 2\nzmq: {wire_profile: both, port: 6000, urlab01_port: 6039}") ==
        "s.yaml:3: zmq.urlab01_port: the 40 ports from here on meet those from 6000 on");
  CHECK(error_of("zmq: {urlab01_port: 6039}") ==
        "s.yaml:2: zmq.urlab01_port: only wire_profile: both has a second block");
}

TEST_CASE("loose objects are placed as robots are, stacked, and gathered into agents behind the robots") {
  std::vector<LooseGroup> groups;
  LoadOptions options;
  options.import_group = [&](const LooseGroup& group) -> Result<ImportedModel> {
    groups.push_back(group);
    ImportedModel out;
    out.model.name = group.name;
    out.report.lost = {"something"};
    return out;
  };
  const std::string objects =
      "objects:\n"
      "- {name: crate, count: 5, box: [0.4, 0.3, 0.2], mass: 3, friction: 0.5, stack: 2, z: 1,\n"
      "   placement: {poses: [[1, 0, 0], [2, 0, 0], [3, 0, 0]]}}\n"
      "- {name: ball, sphere: 0.1, placement: {poses: [[0, 4, 0]]}}\n"
      "- {name: can, cylinder: [0.1, 0.5], group: cans, placement: {grid: {origin: [5, 5]}}}\n";
  const auto s = read(objects + kBurger + "}", options);
  REQUIRE_MESSAGE(s, s.error().message());
  REQUIRE(s->setup.entities.size() == 3);
  CHECK(s->setup.entities[0].name == "b");
  CHECK(s->setup.entities[1].name == "objects");
  CHECK(s->setup.entities[2].name == "cans");
  CHECK(s->setup.entities[2].pose == Pose{});
  CHECK(s->setup.models.size() == built_in_models().size() + 2);
  CHECK(s->warnings == std::vector<std::string>{"objects: something", "cans: something"});

  REQUIRE(groups.size() == 2);
  REQUIRE(groups[0].bodies.size() == 6);
  CHECK(groups[0].step == 2ms);
  CHECK(groups[0].bodies[1].name == "crate_1");
  CHECK(groups[0].bodies[1].X_WB.p == Vec3{1, 0, 1.3});
  CHECK(groups[0].bodies[2].X_WB.p == Vec3{2, 0, 1.1});
  CHECK(groups[0].bodies[4].X_WB.p == Vec3{3, 0, 1.1});
  CHECK(groups[0].bodies[4].mass == 3);
  CHECK(groups[0].bodies[5].name == "ball");
  CHECK(groups[0].bodies[5].X_WB.p == Vec3{0, 4, 0.1});
  CHECK(groups[1].bodies[0].X_WB.p == Vec3{5, 5, 0.25});
  groups.clear();
  REQUIRE(read("time: {tick: 5ms}\n" + objects, options));
  CHECK(groups[0].step == Duration(1250us));

  const auto apart = [](const Vec3& a, const Vec3& b) { return std::sqrt(dot(a - b, a - b)); };
  // At random: beside the robots and each other.
  groups.clear();
  REQUIRE(
      read("world: {ground: {size: [3, 3]}}\nobjects:\n- {name: c, count: 5, box: [0.4, 0.4, 0.1]}\n" + kBurger + "}",
           options));
  for (const LooseBody& a : groups[0].bodies) {
    CHECK(apart(a.X_WB.p, {0, 0, 0.05}) > 0.35);
    for (const LooseBody& b : groups[0].bodies) CHECK((&a == &b || apart(a.X_WB.p, b.X_WB.p) > 0.56));
  }

  CHECK(error_of("objects:\n- {name: c}", options).find("a box, a sphere, a cylinder or a file") != std::string::npos);
  CHECK(error_of("objects:\n- {name: c, box: [1, 1, 1], sphere: 1}", options) != "ok");
  CHECK(error_of("objects:\n- {name: c, box: [1, 1]}", options) != "ok");
  CHECK(error_of("objects:\n- {name: c, box: [1, 1, 1], placement: {poses: [[0, 0]]}}\n- {name: c, sphere: 1, "
                 "placement: {poses: [[9, 0]]}}",
                 options)
            .find("has an object 'c' already") != std::string::npos);
  CHECK(error_of(objects + "robots:\n- {name: cans, model: turtlebot3_burger, placement: {poses: [[0, 0]]}}", options)
            .find("the name 'cans' is taken") != std::string::npos);
  CHECK(error_of(objects).find("objects are not moved here") != std::string::npos);
}

TEST_CASE("a robot has a controller and a ruler of its own, or those of the run") {
  const auto s = read(
      "control_source: zmq\ncontrol_silence: 500ms\nrobots:\n"
      "- {name: a, model: turtlebot3_burger, placement: {poses: [[0, 0]]}}\n"
      "- {name: b, model: turtlebot3_burger, placement: {poses: [[1, 0]]}, control_source: any, controller: pd}\n"
      "- {name: c, model: turtlebot3_burger, placement: {poses: [[2, 0]]}, controller: {kind: keyframes, silence: "
      "hold,\n"
      "   kv: 2, gains: [{actuator: hip, kp: 3}], loop: false,\n"
      "   poses: [{keyframe: up, blend: 1s}, {targets: [hip=-0.5, a=b=1], hold: 20ms, ease: false}]}}\n");
  REQUIRE_MESSAGE(s, s.error().message());
  const auto& e = s->setup.entities;
  CHECK(s->setup.control_source == ControlSource::kZmq);
  CHECK(s->setup.control_silence == std::chrono::milliseconds(500));
  CHECK_FALSE(e[0].control_source);
  CHECK_FALSE(e[0].controller);
  CHECK(e[1].control_source == ControlSource::kAny);
  CHECK(e[1].controller->pd);
  CHECK_FALSE(e[1].controller->silence);
  const ControllerSpec& c = *e[2].controller;
  CHECK(c.pd);
  CHECK(c.silence == Duration(0));
  CHECK(c.kp == 100);
  CHECK(c.kv == 2);
  CHECK(c.gains == std::vector<GainSpec>{{"hip", 3.0, {}, {}}});
  CHECK_FALSE(c.loop);
  CHECK(c.poses[0] == PoseSpec{"up", {}, std::chrono::seconds(1), Duration(0), true});
  CHECK(c.poses[1] == PoseSpec{"", {{"hip", -0.5}, {"a=b", 1}}, Duration(0), std::chrono::milliseconds(20), false});

  const auto wrong = [](const std::string& controller) {
    return error_of(kBurger + ", controller: " + controller + "}");
  };
  const std::string at = "s.yaml:3: robots[0].controller";
  CHECK(wrong("pid") == at + ".kind: found 'pid'; did you mean 'pd'? allowed: raw, passthrough, pd, keyframes");
  CHECK(wrong("keyframes") == at + ".kind: keyframes need poses");
  CHECK(wrong("{kp: 3}") == at + ": gains are for pd and keyframes");
  CHECK(wrong("{kind: pd, loop: true}") == at + ".loop: only the controller 'keyframes' plays poses");
  CHECK(wrong("{kind: keyframes, poses: [{hold: 1s}]}") == at + ".poses[0]: a pose has a keyframe, targets, or both");
  CHECK(wrong("{kind: keyframes, poses: [{targets: [hip]}]}") ==
        at + ".poses[0].targets: 'hip'; a target is written ACTUATOR=VALUE");
}

TEST_CASE("a ground is free cells in the middle of its walls, its shapes painted") {
  const auto s = read(
      "world: {ground: {size: [2, 1], resolution: 0.1, walls: 0.15},\n"
      "        cylinders: [{x: 0.5, y: 0, radius: 0.2}]}");
  REQUIRE(s);
  const MapData& map = s->setup.map;
  CHECK(map.width == 24);
  CHECK(map.height == 14);
  CHECK(map.origin.x == approx(-1.2));
  CHECK(map.origin.y == approx(-0.7));
  const auto cell = [&](std::size_t col, std::size_t row) { return int(map.cells[row * map.width + col]); };
  CHECK(cell(1, 7) == 1);
  CHECK(cell(2, 7) == 0);
  CHECK(cell(21, 2) == 0);
  CHECK(cell(21, 1) == 1);
  CHECK(cell(17, 7) == 1);
  CHECK(cell(7, 7) == 0);
  REQUIRE(s->setup.boxes.size() == 4);
  CHECK(s->setup.boxes[0].height == 0.5);
  CHECK(s->setup.boxes[0].width == approx(0.2));
  CHECK(s->setup.cylinders.size() == 1);

  const auto open = read("world: {ground: {size: [2, 1], walls: none}}");
  REQUIRE(open);
  CHECK(open->setup.boxes.empty());
  CHECK(std::count(open->setup.map.cells.begin(), open->setup.map.cells.end(), 0) == 40 * 20);

  CHECK(error_of("world: {boxes: [{x: 0, y: 0}]}") ==
        "s.yaml:2: world.boxes: shapes need a map or a ground to stand on");
  CHECK(error_of("world: {ground: {size: [1000, 1000], resolution: 0.01}}") ==
        "s.yaml:2: world.ground: 100000 x 100000 cells; allowed: 20000 a side, 64000000 in all");
  CHECK(error_of("world: {map_height: 2}").find("there is no map") != std::string::npos);
  CHECK(error_of("world: {map: a.yaml, ground: {size: [1, 1]}}") ==
        "s.yaml:2: world.ground: cannot stand beside 'map'; allowed: one of map, ground");
  CHECK(error_of("world: {map: a.yaml}", {.map_path = {"/nowhere"}}) ==
        "s.yaml:2: world.map: no map 'a.yaml'; looked for a.yaml, /nowhere/a.yaml");
}

TEST_CASE("a scenario cut short or with a flipped bit never does more than fail") {
  const std::string text =
      "convoy: 1\nseed: 3\ntime: {mode: free, tick: 10ms, max_drift: {ticks: 3}}\n"
      "world: {ground: {size: [3, 3], walls: 0.1}}\n"
      "hosts: [a, b]\nmodels: [{name: m, like: box, height: 0.4}]\n"
      "robots:\n- {name: b, count: 3, model: m, driver: {kind: waypoints, waypoints: [[1, 1]]}, host: a}\n";
  REQUIRE(parse(text, "s.yaml", ""));
  for (std::size_t n = 0; n < text.size(); ++n) (void)parse(std::string_view(text).substr(0, n), "s.yaml", "");
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const auto s = parse(changed, "s.yaml", "");
      if (!s) CHECK_FALSE(s.error().text.empty());
    }
  }
}

TEST_CASE("the file of element types is read, and named where it is missing") {
  const std::string text = "convoy: 1\nelements: {descriptors: docs/scenario.md}\n";
  const auto s = parse(text, "s.yaml", CONVOY_SOURCE_DIR);
  REQUIRE_MESSAGE(s, s.error().message());
  CHECK(s->element_types == *read_file(CONVOY_SOURCE_DIR "/docs/scenario.md", 1 << 20));
  const auto none = parse("convoy: 1\nelements: {descriptors: none.pb}\n", "s.yaml", "");
  REQUIRE_FALSE(none);
  CHECK(none.error().message() == "s.yaml:2: elements.descriptors: none.pb: cannot open: No such file or directory");
  CHECK_FALSE(parse("convoy: 1\nelements: {}\n", "s.yaml", ""));
}

TEST_CASE("the scenarios that come with Convoy load without a warning") {
  const std::string folder = CONVOY_SOURCE_DIR "/scenarios/";
  for (const char* file : {"warehouse.yaml", "large_ground.yaml"}) {
    const auto s = load(folder + file, {.map_path = {CONVOY_MAPS_DIR}});
    REQUIRE_MESSAGE(s, s.error().message());
    CHECK(s->warnings == std::vector<std::string>{});
  }
  const auto warehouse = load(folder + "warehouse.yaml", {.map_path = {CONVOY_MAPS_DIR}});
  CHECK(warehouse->setup.entities.size() == 200);
  CHECK(std::count_if(warehouse->setup.entities.begin(), warehouse->setup.entities.end(),
                      [](const EntitySpec& e) { return e.model == "turtlebot3_burger"; }) == 100);
  CHECK(load(folder + "none.yaml").error().message() == folder + "none.yaml: cannot open: No such file or directory");
  CHECK_FALSE(load(folder));
}

TEST_CASE("options of the physics go to all robots' files, and a model's own rule") {
  std::map<std::string, std::map<std::string, std::string>> seen;  // by file
  LoadOptions options;
  options.import_robot = [&](const RobotFile& file) -> Result<ImportedModel> {
    for (const EngineOption& o : file.options) seen[file.file][o.name] = o.value;
    ImportedModel out;
    out.model = built_in_models()[0];
    out.model.name = file.name.empty() ? "named" : file.name, out.model.files = {{file.file, 7}};
    return out;
  };
  const auto s = read(
      "physics: {timestep: 1ms, solver: cg, gravity: [0, 0, -1.5]}\n"
      "models: [{name: a, file: a.xml, physics: {solver: pgs, impratio: 3}}]\n"
      "robots: [{name: b, model: b.xml, placement: {poses: [[0, 0]]}}]",
      options);
  REQUIRE_MESSAGE(s, s.error().message());
  CHECK(seen["a.xml"] == std::map<std::string, std::string>{
                             {"timestep", "0.001"}, {"solver", "PGS"}, {"gravity", "0 0 -1.5"}, {"impratio", "3"}});
  CHECK(seen["b.xml"] ==
        std::map<std::string, std::string>{{"timestep", "0.001"}, {"solver", "CG"}, {"gravity", "0 0 -1.5"}});
  CHECK(error_of("physics: {solver: best}").find("physics.solver") != std::string::npos);
  CHECK(error_of("physics: {timestep: 0s}").find("physics.timestep") != std::string::npos);
  const auto e = read("environment: {gravity: [0, 0, -1.62], wind: [1, 2, 3]}");
  REQUIRE_MESSAGE(e, e.error().message());
  CHECK(e->setup.environment == Environment{.gravity = Vec3{0, 0, -1.62}, .wind = Vec3{1, 2, 3}});
}

TEST_CASE("a sensor of a library is a path from the scenario's folder and any parameters; its rate is its library's") {
  const std::string burger = "robots: [{name: b, model: turtlebot3_burger, placement: {poses: [[0, 0]]}, sensors: [";
  const auto s = read(
      burger +
      "{type: gas, library: libgas.so, at: [0, 0, 1], parameters: {far: 2, text: 'true', on: true, all: [1, 2]}}]}]");
  REQUIRE(s);
  const SensorSpec& spec = s->setup.entities[0].sensors[0];
  CHECK(spec.library.size() > std::string("/libgas.so").size());
  CHECK(spec.library.front() == '/');
  CHECK(spec.name == "gas");
  CHECK(spec.X_LS.p == Vec3{0, 0, 1});
  CHECK(spec.period == Duration(0));
  UsersParameters parameters;
  REQUIRE(load(spec.parameters, parameters));
  REQUIRE(parameters.all.size() == 4);
  CHECK(parameters.find("far")->numbers == std::vector<double>{2});
  CHECK_FALSE(parameters.find("far")->list);
  CHECK(parameters.find("all")->numbers == std::vector<double>{1, 2});
  CHECK(parameters.find("on")->kind == UsersParameter::Kind::kFlag);
  CHECK(parameters.find("text")->text == "true");

  CHECK(error_of(burger + "{type: gas, library: a.so, far: 2}]}]").find("far: unknown field") != std::string::npos);
  CHECK(error_of(burger + "{type: gas, library: a.so, parameters: {a: {b: 1}}}]}]").find("a: is a number, a list") !=
        std::string::npos);
  CHECK(error_of(burger + "{type: gas, parameters: {a: 1}}]}]").find("'gas'") != std::string::npos);
  CHECK(error_of(burger + "{type: gas, library: a.so, rate: 200}]}]").find("faster than a tick") != std::string::npos);
  CHECK(read(burger + "{type: scan, library: a.so, rate: 5}]}]")->setup.entities[0].sensors[0].period ==
        std::chrono::milliseconds(200));

  const auto change = read_sensor_change("{far: 3, rate: 2}", spec, std::chrono::milliseconds(10));
  REQUIRE(change);
  CHECK(change->period == std::chrono::milliseconds(500));
  REQUIRE(load(change->parameters, parameters));
  CHECK(parameters.find("far")->numbers == std::vector<double>{3});
  CHECK(parameters.find("text")->text == "true");
}

TEST_CASE("a model's engine has a type, perhaps a library from the scenario's folder, and any parameters") {
  const std::string model = "models:\n- name: car\n  like: cart\n  engine: ";
  const auto engine_of = [&](const std::string& text) {
    const auto s = read(model + text);
    REQUIRE_MESSAGE(s, s.error().message());
    return s->setup.models.back().engine;
  };
  const ModelEngine own = engine_of("bicycle"),
                    library = engine_of("{type: bicycle, library: lib/b.so, parameters: {grip: 1}}");
  CHECK(own == ModelEngine{"bicycle", "", {}});
  CHECK(library.library.ends_with("/lib/b.so"));
  CHECK(library.library.front() == '/');
  UsersParameters parameters;
  REQUIRE(load(library.parameters, parameters));
  CHECK(parameters.find("grip")->numbers == std::vector<double>{1});
  // Who is like it is moved as it is, unless he says otherwise.
  CHECK(read(model + "bicycle\n- {name: van, like: car}")->setup.models.back().engine == own);
  CHECK(error_of(model + "{library: b.so}").find("'type' is missing") != std::string::npos);
  CHECK(error_of(model + "{type: a, grip: 1}").find("grip: unknown field") != std::string::npos);
  CHECK(error_of(model + "{type: a, parameters: 3}").find("is a map of the engine's parameters") != std::string::npos);
}

}  // namespace scenario_test
