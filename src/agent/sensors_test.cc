// Sensors of agents: when they sample, who gets it, and what their samples depend on.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "agent/fleet_rig.h"
#include "core/approx.h"
#include "core/pose.h"
#include "physics/slides.h"
#include "sensing/presets.h"

namespace sensors_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

// A caster for which every beam meets something at 1 m, and which counts its fields.
class Wall final : public RayCasters {
 public:
  mutable int fields = 0;
  Result<std::unique_ptr<RayCaster>> make(RayIsa) const override { return std::make_unique<Caster>(fields); }

 private:
  struct Model final : RayModel {};
  struct Field final : RayField {
    void cast(std::span<const Beam>, WorldNumber, std::span<Hit> hits) const override {
      for (Hit& hit : hits) hit.range = 1, hit.shape = 0;
    }
    Vec3 normal(const Beam& beam, const Hit&) const override { return -beam.direction; }
  };
  struct Caster final : RayCaster {
    explicit Caster(int& f) : fields(f) {}
    std::shared_ptr<const RayModel> prepare(const Shapes&) override { return std::make_shared<Model>(); }
    std::shared_ptr<const RayField> field(std::shared_ptr<const RayField> scene, std::span<const RayBody>) override {
      fields += scene != nullptr;
      return std::make_shared<Field>();
    }
    int& fields;
  };
};

// What reached a robot's nodes: at which boundary, and which sample.
struct Got {
  Instant at{};
  Sample sample;
};
using Mail = std::map<std::string, std::vector<Got>>;

// Takes the sensors that its first component's arguments name.
class Listener final : public Software {
 public:
  Listener(const SoftwareSpec& spec, std::vector<Got>& mail)
      : graph_({.now = spec.now, .agent = spec.entity.number.value(), .origin = spec.entity.number}),
        takes_(spec.entity.kind->components[0].arguments),
        mail_(mail) {}
  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return nodes::kNoInstant; }
  Status run(Instant t, const Readings* readings) override {
    if (readings)
      for (const Sample& sample : readings->samples) mail_.push_back({t, sample});
    return {};
  }
  bool takes(std::string_view sensor) const override {
    return std::find(takes_.begin(), takes_.end(), sensor) != takes_.end();
  }
  std::optional<Twist> take_command() override { return {}; }
  std::string text_of(const nodes::Delivery&) const override { return {}; }
  Status set_parameter(const std::string&, const std::string&, const std::string&) override { return {}; }

 private:
  nodes::Graph graph_;
  std::vector<std::string> takes_;
  std::vector<Got>& mail_;
};

class Listeners final : public SoftwareFactory {
 public:
  Mail mail;
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override {
    return std::make_unique<Listener>(spec, mail[spec.entity.name]);
  }
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
};

SensorSpec sensor(const char* type, Duration period) {
  SensorSpec spec = *sensor_of(type);
  spec.period = period;
  return spec;
}

// A waffle that drives in a circle, with a scan each 30 ms and an IMU each 20 ms; its nodes take what `takes` names.
Setup circling(std::vector<std::string> takes) {
  Setup setup;
  setup.models = built_in_models();
  EntitySpec spec;
  spec.name = "r", spec.model = "turtlebot3_waffle";
  spec.sensors = {sensor("scan", 30ms), sensor("imu", 20ms)};
  if (!takes.empty()) spec.components = {{"package", "Listener", std::move(takes)}};
  setup.entities = {spec};
  return setup;
}

const Input kDrive = DriveCommand{WorldNumber(1), {{0.2, 0, 0}, {0, 0, 1}}, 10s};

void run(FleetRig& rig, int ticks) {
  for (int i = 0; i < ticks; ++i) rig.step(i == 0 ? std::span(&kDrive, 1) : std::span<const Input>());
}

}  // namespace

TEST_CASE("samples are taken at the first boundary at which they are due, and come a tick later or at once") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  FleetRig rig(circling({"scan", "imu"}), 1, executor, &listeners, &wall);
  run(rig, 10);  // boundaries 0 to 90 ms
  std::vector<Instant> scans, imus;
  for (const Got& got : listeners.mail["r"]) {
    (got.sample.sensor == 0 ? scans : imus).push_back(got.at);
    CHECK(got.at - got.sample.at == (got.sample.sensor == 0 ? Duration(10ms) : Duration(0)));
  }
  CHECK(scans == std::vector{instant(10'000'000), instant(40'000'000), instant(70'000'000)});
  CHECK(imus ==
        std::vector{instant(0), instant(20'000'000), instant(40'000'000), instant(60'000'000), instant(80'000'000)});
  CHECK(wall.fields == 4);  // at 0, 30, 60 and 90 ms, and at no other boundary
}

TEST_CASE("an offset and a latency move samples and their delivery") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  Setup setup = circling({"scan"});
  setup.entities[0].sensors[0].offset = 5ms;
  setup.entities[0].sensors[0].latency = 25ms;
  FleetRig rig(setup, 1, executor, &listeners, &wall);
  run(rig, 8);
  const auto& mail = listeners.mail["r"];
  REQUIRE(mail.size() == 2);
  CHECK(mail[0].sample.at == instant(10'000'000));  // due at 5 ms, and the next boundary is at 10
  CHECK(mail[0].at == instant(40'000'000));         // 35 ms, and the next boundary
  CHECK(mail[1].sample.index == 1);
  CHECK(mail[1].sample.at == instant(40'000'000));
}

TEST_CASE("a sample that nobody takes is not computed, and changes nothing") {
  Wall wall, unused;
  Listeners listeners;
  SerialExecutor executor;
  FleetRig taken(circling({"scan", "imu"}), 1, executor, &listeners, &wall);
  FleetRig nobody(circling({"other"}), 1, executor, &listeners, &unused);
  run(taken, 10), run(nobody, 10);
  CHECK(unused.fields == 0);
  CHECK(taken.state(WorldNumber(1)) == nobody.state(WorldNumber(1)));
  CHECK(taken.hashes()[0].inner == nobody.hashes()[0].inner);
}

namespace {

// Takes every second sample of those sensors, and writes down what it got.
class Taker final : public SampleTaker {
 public:
  explicit Taker(std::vector<std::string> sensors) : sensors_(std::move(sensors)) {}
  bool takes(WorldNumber, const SensorSpec& sensor, const DueSample& due) const override {
    return due.index % 2 == 0 && std::find(sensors_.begin(), sensors_.end(), sensor.name) != sensors_.end();
  }
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override {
    got.push_back({robot, sensor.name, {now, sample}});
  }

  struct Taken {
    WorldNumber robot;
    std::string sensor;
    Got got;
  };
  std::vector<Taken> got;

 private:
  std::vector<std::string> sensors_;
};

}  // namespace

TEST_CASE("a taker gets what it takes when it is delivered, with nodes and without, and the digest does not know it") {
  for (const bool nodes : {false, true}) {
    CAPTURE(nodes);
    Wall wall, other;
    Listeners listeners, unwatched;
    SerialExecutor executor;
    Setup setup = circling(nodes ? std::vector<std::string>{"imu"} : std::vector<std::string>{});
    setup.entities.push_back(setup.entities[0]);
    setup.entities[1].name = "s", setup.entities[1].pose.p.x = 5;
    Taker taker({"scan", "imu"});
    FleetRig rig(setup, 1, executor, &listeners, &wall, &taker);
    FleetRig plain(setup, 1, executor, &unwatched, &other);
    run(rig, 10), run(plain, 10);

    CHECK(rig.digest() == plain.digest());
    CHECK(wall.fields == 2);  // at 0 and 60 ms: of the scans at 0, 30, 60 and 90 every second one
    CHECK(listeners.mail["r"].size() == unwatched.mail["r"].size());
    std::vector<std::string> order;
    for (const auto& [robot, name, got] : taker.got) {
      order.push_back(std::to_string(nanos(got.at) / 1'000'000) + name + std::to_string(robot.value()));
      CHECK(got.at - got.sample.at == (name == "scan" ? Duration(10ms) : Duration(0)));
    }
    CHECK(order == std::vector<std::string>{"0imu1", "0imu2", "10scan1", "10scan2", "40imu1", "40imu2", "70scan1",
                                            "70scan2", "80imu1", "80imu2"});
  }
}

TEST_CASE("with samples in the digest all are taken, and count") {
  Wall wall;
  SerialExecutor executor;
  Setup setup = circling({});
  FleetRig plain(setup, 1, executor, nullptr, &wall);
  run(plain, 10);
  CHECK(wall.fields == 0);
  setup.sensors.digest = true;
  FleetRig all(setup, 1, executor, nullptr, &wall);
  setup.entities[0].sensors[1].parameters = save(ImuModel{.gyro_noise = 1e-9});
  FleetRig other(setup, 1, executor, nullptr, &wall);
  run(all, 10), run(other, 10);
  CHECK(wall.fields == 8);
  CHECK(all.state(WorldNumber(1)) == other.state(WorldNumber(1)));
  CHECK(all.hashes()[0].inner != other.hashes()[0].inner);
}

TEST_CASE("the digest over samples is the same for any number of fleets, and for a late host") {
  Wall wall;
  SerialExecutor executor;
  Setup setup = circling({});
  setup.sensors.digest = true;
  setup.entities[0].sensors[1].parameters = save(ImuModel{.gyro_noise = 0.01, .gyro_walk = 0.001});
  for (int i = 0; i < 3; ++i) {
    setup.entities.push_back(setup.entities[0]);
    setup.entities.back().name += std::to_string(i), setup.entities.back().pose.p.x = 2.0 * (i + 1);
  }
  FleetRig one(setup, 1, executor, nullptr, &wall), three(setup, 3, executor, nullptr, &wall);
  run(one, 7), run(three, 7);
  FleetRig late(three, 2, executor);
  for (int i = 0; i < 7; ++i) one.step(), three.step(), late.step();
  CHECK(one.digest() == three.digest());
  CHECK(one.digest() == late.digest());
}

TEST_CASE("an accelerometer feels gravity and what turns it inwards; a jump is not felt") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  FleetRig rig(circling({"imu"}), 1, executor, &listeners, &wall);
  run(rig, 200);
  const auto felt = [&] { return std::get<ImuSample>(listeners.mail["r"].back().sample.data); };
  CHECK(felt().linear_acceleration.z == approx(9.81));
  CHECK(felt().linear_acceleration.y == approx(0.2).epsilon(0.01));  // 0.2 m/s at 1 rad/s, to its left
  CHECK(std::abs(felt().linear_acceleration.x) < 0.01);
  CHECK(felt().angular_velocity.z == approx(1));

  const State before = rig.state(WorldNumber(1));
  const SetState jump{WorldNumber(1), before.pose, Twist{{-5, 0, 0}, {}}, false};
  REQUIRE(rig.edit(jump));
  listeners.mail["r"].clear();
  rig.step(), rig.step();
  for (const Got& got : listeners.mail["r"])
    CHECK(norm(std::get<ImuSample>(got.sample.data).linear_acceleration) < 100);  // 5 m/s in a tick would be 500
}

TEST_CASE("after a reset the count begins anew, and what was under way is gone") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  FleetRig rig(circling({"scan"}), 1, executor, &listeners, &wall);
  run(rig, 7);  // the scan of 60 ms is under way
  REQUIRE(rig.edit(Reset{{WorldNumber(1)}}));
  listeners.mail["r"].clear();
  run(rig, 5);
  const auto& mail = listeners.mail["r"];
  REQUIRE(mail.size() == 2);
  CHECK(mail[0].sample.index == 0);
  CHECK(mail[0].sample.at == instant(70'000'000));
  CHECK(mail[1].sample.index == 1);
}

TEST_CASE("what a sensor lacks is a fault that is told once") {
  SerialExecutor executor;
  Setup setup = circling({});
  setup.entities[0].sensors[0].type = "sonar";
  FleetRig rig(setup, 1, executor);
  rig.step();
  REQUIRE(rig.inbox().size() == 1);
  CHECK(rig.inbox()[0].topic == kSensorTopic);
  const Bytes& text = rig.inbox()[0].payload;
  CHECK(std::string(text.begin(), text.end()) == "'scan': there is no type of sensors 'sonar'");
  FleetRig late(rig, 1, executor);  // who takes it over does not tell it again
  rig.step(), late.step();
  CHECK(rig.inbox().empty());
  CHECK(late.inbox().empty());
  CHECK(rig.digest() == late.digest());
}

TEST_CASE("a bumper feels the wall that its robot has driven against, and an area who is in it") {
  Listeners listeners;
  SerialExecutor executor;
  Setup setup = circling({"contact", "overlap"});
  setup.map = {.width = 40, .height = 40, .resolution = 0.05, .origin = {-1, -1, 0}, .cells = Bytes(1600, 0)};
  setup.entities[0].sensors = {sensor("contact", 10ms), sensor("overlap", 10ms)};
  setup.entities[0].sensors[1].parameters = save(OverlapModel{{1, 1, 1}});
  setup.entities.push_back(setup.entities[0]);
  setup.entities[1].name = "other", setup.entities[1].pose.p = {0, 0.6, 0}, setup.entities[1].components.clear();
  FleetRig one(setup, 1, executor, &listeners), two(setup, 2, executor);
  const Input ahead = DriveCommand{WorldNumber(1), {{0.26, 0, 0}, {}}, 10s};
  const auto last = [&](std::uint32_t sensor) {
    const auto& mail = listeners.mail["r"];
    const auto at = std::find_if(mail.rbegin(), mail.rend(), [&](const Got& g) { return g.sample.sensor == sensor; });
    REQUIRE(at != mail.rend());
    return at->sample;
  };
  one.step(), two.step();
  CHECK(std::get<Touches>(last(0).data).touches.empty());
  CHECK(std::get<Overlaps>(last(1).data).appeared == std::vector<std::string>{"other"});
  for (int i = 0; i < 600; ++i) one.step({&ahead, i == 0 ? 1u : 0u}), two.step({&ahead, i == 0 ? 1u : 0u});

  const auto touches = std::get<Touches>(last(0).data).touches;
  REQUIRE(touches.size() == 1);
  CHECK(touches[0].normal.x == approx(-1));
  CHECK(std::get<Overlaps>(last(1).data).inside.empty());
  int gone = 0;
  for (const Got& got : listeners.mail["r"])
    if (got.sample.sensor == 1) gone += static_cast<int>(std::get<Overlaps>(got.sample.data).gone.size());
  CHECK(gone == 1);
}

TEST_CASE("an area remembers whether somebody listens or not, and on another host") {
  SerialExecutor executor;
  Setup setup = circling({});
  setup.entities[0].sensors = {sensor("overlap", 10ms)};
  setup.entities.push_back(setup.entities[0]);
  setup.entities[1].name = "other", setup.entities[1].pose.p = {0.5, 0.5, 0};
  FleetRig one(setup, 1, executor), two(setup, 2, executor);
  const Input away = DriveCommand{WorldNumber(1), {{-0.26, 0, 0}, {}}, 10s};
  for (int i = 0; i < 3; ++i) one.step(), two.step();
  FleetRig late(two, 1, executor);
  for (int i = 0; i < 500; ++i)
    for (FleetRig* rig : {&one, &two, &late}) rig->step({&away, i == 0 ? 1u : 0u});
  CHECK(one.digest() == two.digest());
  CHECK(one.digest() == late.digest());
}

TEST_CASE("a key that is held is in the very sample of its tick, and the wheels' own period is the sensor's") {
  Listeners listeners;
  SerialExecutor executor;
  Setup setup = circling({"keyboard", "odom"});
  setup.entities[0].sensors = {sensor("keyboard", 10ms), sensor("odom", 20ms)};
  FleetRig rig(setup, 1, executor, &listeners);
  run(rig, 20);
  const Input keys = SetParameter{WorldNumber(1), kControllerNode, "actions", "5"};
  rig.step({&keys, 1});
  const auto& mail = listeners.mail["r"];
  std::uint32_t held = 0;
  std::vector<double> x;
  for (const Got& got : mail) {
    if (const auto* one = std::get_if<KeysReading>(&got.sample.data)) held = one->held;
    if (const auto* one = std::get_if<OdometryReading>(&got.sample.data)) x.push_back(one->x);
  }
  CHECK(held == 5);
  REQUIRE(x.size() == 11);
  for (std::size_t i = 1; i < x.size(); ++i) CHECK(x[i] > x[i - 1]);  // read anew each 20 ms
}

TEST_CASE("a call changes a sensor from the next boundary on: its period, whether it samples, and its parameters") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  FleetRig rig(circling({"scan", "imu"}), 1, executor, &listeners, &wall);
  const auto change = [&](SetSensor set) {
    set.entity = WorldNumber(1);
    const Input input = std::move(set);
    rig.step({&input, 1});
  };
  const auto scans_since = [&](Instant from) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> out;  // number, ms
    for (const Got& got : listeners.mail["r"])
      if (got.sample.sensor == 0 && got.sample.at >= from)
        out.emplace_back(got.sample.index, nanos(got.sample.at) / 1'000'000);
    return out;
  };
  using Scans = std::vector<std::pair<std::uint64_t, std::int64_t>>;
  run(rig, 5);                                 // 0 to 40 ms: scans at 0 and 30
  change({.sensor = "scan", .period = 20ms});  // at 50
  run(rig, 5);                                 // 60 to 100
  change({.sensor = "scan", .on = false});     // at 110
  run(rig, 4);                                 // 120 to 150
  change({.sensor = "scan", .on = true});      // at 160
  run(rig, 4);                                 // 170 to 200
  const int fields = wall.fields;
  change({.sensor = "scan", .parameters = save(ScanModel{.beams = 7})});  // at 210
  change({.sensor = "nobody", .on = false});                              // at 220
  change({.sensor = "scan", .parameters = {1}});                          // at 230: no scan's
  rig.step();

  CHECK(scans_since(instant(0)) == Scans{{0, 0}, {1, 30}, {2, 60}, {3, 80}, {4, 100}, {8, 180}, {9, 200}, {10, 220}});
  CHECK(fields == 7);  // those, and none while it was off
  std::size_t beams = 0;
  for (const Got& got : listeners.mail["r"])
    if (const auto* scan = std::get_if<Scan>(&got.sample.data)) beams = scan->ranges.size();
  CHECK(beams == 7);
}

TEST_CASE("staggered sensors begin at instants of their own, those of robots that come later too") {
  Wall wall;
  Listeners listeners;
  SerialExecutor executor;
  Setup setup = circling({"imu"});
  setup.entities[0].sensors = {sensor("imu", 500ms)};
  setup.sensors.stagger = true;
  FleetRig rig(setup, 1, executor, &listeners, &wall);
  for (int i = 0; i < 4; ++i) {
    EntitySpec later = setup.entities[0];
    later.name = "later" + std::to_string(i), later.pose.p.x = 2.0 + 2 * i;
    REQUIRE(rig.edit(Spawn{later, Owner(1)}));
  }
  run(rig, 50);
  std::set<Instant> begin;
  for (const char* name : {"r", "later0", "later1", "later2", "later3"}) {
    REQUIRE(listeners.mail[name].size() == 1);
    begin.insert(listeners.mail[name][0].at);
  }
  CHECK(begin.size() == 5);
}

namespace {

// Slides with a step of 2 ms in ticks of 10 ms, whose sensors are taken by nodes.
struct Stepping {
  explicit Stepping(std::vector<SensorSpec> sensors, Duration step = 2ms) {
    engines.step = step;
    setup.models = built_in_models();
    EntitySpec spec;
    spec.name = "r";
    for (const Model& model : setup.models)
      if (model.drive == Drive::kNone && has_body(model)) spec.model = model.name;
    std::vector<std::string> names;
    for (const SensorSpec& one : sensors) names.push_back(one.name);
    spec.sensors = std::move(sensors), spec.components = {{"package", "Listener", names}};
    setup.entities = {spec};
    World world = *World::make(setup);
    world.set_owner(Slot(0), Owner(1));
    fleet = std::make_unique<Fleet>(std::move(world), setup, Owner(1), executor,
                                    AgentParts{engines, &listeners, nullptr, &taker});
    fleet->take_up();
    fleet->open({});
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      hash = fleet->advance(k++, {}).hashes[0].inner;
      fleet->turn();
      fleet->open({});
    }
  }
  Setup setup;
  SerialExecutor executor;
  SlidesFactory engines;
  Listeners listeners;
  Taker taker{{"pose"}};
  std::unique_ptr<Fleet> fleet;
  Tick k = 0;
  std::uint64_t hash = 0;
};

}  // namespace

TEST_CASE("sensors that need nothing but where their robot is sample at physics steps, and come within the tick") {
  SensorSpec late = sensor("fix", 5ms);
  late.latency = 3ms;
  Stepping dut({sensor("pose", 4ms), sensor("imu", 3ms), late, sensor("battery", 10ms)});
  dut.run(2);
  std::map<std::uint32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> got;  // when it came, when it was taken
  std::vector<double> x;
  for (const Got& one : dut.listeners.mail["r"]) {
    got[one.sample.sensor].emplace_back(nanos(one.at) / 1'000'000, nanos(one.sample.at) / 1'000'000);
    if (const auto* pose = std::get_if<PoseReading>(&one.sample.data)) x.push_back(pose->X_OS.p.x);
  }
  using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(got[0] == Times{{0, 0}, {4, 4}, {8, 8}, {12, 12}, {16, 16}});
  CHECK(x == std::vector<double>{0, 4, 8, 12, 16});
  CHECK(got[1] ==
        Times{{0, 0}, {4, 4}, {6, 6}, {10, 10}, {12, 12}, {16, 16}, {18, 18}});  // at the first step at or after
  CHECK(got[2] == Times{{3, 0}, {9, 6}, {13, 10}, {19, 16}});
  CHECK(got[3] == Times{{0, 0}, {10, 10}});
  std::vector<Instant> all;
  for (const Got& one : dut.listeners.mail["r"]) all.push_back(one.at);
  CHECK(std::is_sorted(all.begin(), all.end()));
  REQUIRE(dut.taker.got.size() == 2);  // every second one, with the boundary behind it: 0 and 8 so far
  CHECK(dut.taker.got[1].got.at == instant(10'000'000));
  CHECK(dut.taker.got[1].got.sample.at == instant(8'000'000));

  Stepping coarse({sensor("pose", 4ms)}, 10ms);  // its physics makes one step a tick
  coarse.run(2);
  std::vector<Instant> taken;
  for (const Got& one : coarse.listeners.mail["r"]) taken.push_back(one.sample.at);
  CHECK(taken == std::vector<Instant>{instant(0), instant(10'000'000)});
}

TEST_CASE("what a call has changed is taken along to another host, and forgotten with a reset") {
  Wall wall;
  SerialExecutor executor;
  Setup setup = circling({});
  setup.sensors.digest = true;
  setup.entities.push_back(setup.entities[0]);
  setup.entities[1].name = "s", setup.entities[1].pose.p.x = 3;
  FleetRig one(setup, 1, executor, nullptr, &wall), two(setup, 2, executor, nullptr, &wall);
  const Input change = SetSensor{WorldNumber(1), "scan", 20ms, {}, save(ScanModel{.beams = 5})};
  for (FleetRig* rig : {&one, &two}) rig->step({&change, 1}), rig->step();
  FleetRig late(two, 1, executor);
  for (int i = 0; i < 9; ++i)
    for (FleetRig* rig : {&one, &two, &late}) rig->step();
  CHECK(one.digest() == two.digest());
  CHECK(one.digest() == late.digest());
  Bytes before = one.fleet(0).inner(WorldNumber(1));
  REQUIRE(one.edit(Reset{{WorldNumber(1)}}));
  CHECK(one.fleet(0).inner(WorldNumber(1)).size() < before.size());
}

}  // namespace sensors_test
