// A run without an operating system: one world made in code, one digest printed. Every build of it must print the same.
//
//   convoy_probe [--ticks N] [--fleets N] [--trace]     "digest <16 hex>" after N ticks (500), shared by N fleets (1)
//   convoy_probe --bench N [--ticks N] [--driver none|walk]    robot ticks per second of CPU time, in open space
//
// It links core, world, physics and agent only, so that tools/probe_matrix.sh can build it with every compiler.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "agent/fleet_rig.h"
#include "core/math.h"
#include "sensing/presets.h"

using namespace convoy;

namespace {

struct Options {
  Tick ticks = 0;
  int fleets = 1;
  std::size_t bench = 0;
  bool trace = false;
  bool drivers = true;
};

MapData room(double side, double resolution) {
  MapData map;
  map.width = map.height = static_cast<std::uint32_t>(side / resolution);
  map.resolution = resolution;
  map.origin = {-side / 2, -side / 2, 0};
  map.cells.assign(std::size_t{map.width} * map.height, 0);
  for (double end : {-1.0, 1.0}) {
    paint(map, BoxShape{end * side / 2, 0, 0, 4 * resolution, side, 2});
    paint(map, BoxShape{0, end * side / 2, 0, side, 4 * resolution, 2});
  }
  return map;
}

// All types that cast no rays, with noise.
void give_sensors(EntitySpec& spec) {
  for (const char* type : {"imu", "mag", "fix", "pose"}) {
    SensorSpec sensor = *sensor_of(type);
    sensor.X_LS.p = {0.1, 0, 0.2}, sensor.period = std::chrono::milliseconds(20);
    spec.sensors.push_back(std::move(sensor));
  }
  spec.sensors[0].parameters = save(ImuModel{0.01, 1e-4, 0.1, 1e-3, 0.02});
  spec.sensors[1].parameters = save(MagneticModel{1e-7});
  spec.sensors[2].parameters = save(GnssModel{0.8, 1.5});
}

// Sixty robots of every model and with every driver in a hall of 24 m with walls askew and pillars.
Setup small_world() {
  Setup setup;
  setup.name = "probe";
  setup.seed = 0x5eed;
  setup.models = built_in_models();
  setup.network = {std::chrono::milliseconds(7), std::chrono::milliseconds(23), 0.1, 6};
  setup.environment.rain = 0.25;
  setup.sensors.digest = true, setup.sensors.origin = {47.4, 8.5, 400};
  setup.map = room(24, 0.05);
  // Turned about its middle: rays and footprints meet the cells askew.
  double s, c;
  math::sincos(0.3, s, c);
  setup.map.origin = {-12 * c + 12 * s, -12 * s - 12 * c, 0.3};
  for (int i = 0; i < 4; ++i) paint(setup.map, BoxShape{-6.0 + 4 * i, 5.5 - 3 * i, 0.7 * i, 3, 0.2, 1});
  for (int i = 0; i < 6; ++i) paint(setup.map, CylinderShape{-7.0 + 3 * i, -6.0 + 2.3 * i, 0.3, 1});

  Random random{stream_key(setup.seed, 0, "probe")};
  StaticMap map = *StaticMap::make(setup.map);
  for (int i = 0; i < 60; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = setup.models[static_cast<std::size_t>(i) % setup.models.size()].name;
    Vec2 at;
    do at = {random.uniform(-10, 10), random.uniform(-10, 10)};
    while (map.clearance(map.to_map(at.x, at.y).x, map.to_map(at.x, at.y).y) < 0.8);
    spec.pose.p = {at.x, at.y, 0};
    spec.pose.q = from_yaw(random.uniform(-math::kPi, math::kPi));
    if (i % 15 == 14) spec.host = "nobody";  // some boxes have no agent
    spec.driver.kind = static_cast<DriverKind>(i % 4);
    spec.driver.period = std::chrono::milliseconds(i % 7 == 0 ? 33 : 100);
    spec.driver.speed = 0.7;
    if (i % 3 == 0) give_sensors(spec);
    for (int k = 0; k < 3; ++k) spec.driver.waypoints.push_back({random.uniform(-8, 8), random.uniform(-8, 8)});
    setup.entities.push_back(std::move(spec));
  }
  return setup;
}

// Robots 1.5 m apart in a hall of 150 m with pillars.
Setup open_space(std::size_t count, bool drivers) {
  Setup setup;
  setup.name = "open space";
  setup.models = built_in_models();
  setup.map = room(150, 0.05);
  for (int i = 0; i < 400; ++i)
    paint(setup.map, CylinderShape{-71.25 + 7.5 * (i % 20), -71.25 + 7.5 * (i / 20), 0.25, 1});
  const std::size_t side = 96;
  for (std::size_t i = 0; i < count; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = "turtlebot3_burger";
    spec.pose.p = {-71.8 + 1.5 * static_cast<double>(i % side), -71.8 + 1.5 * static_cast<double>(i / side % side), 0};
    if (i >= side * side) spec.pose.p.x += 0.75, spec.pose.p.y += 0.75;
    spec.pose.q = from_yaw(static_cast<double>(i));
    spec.driver.kind = drivers ? DriverKind::kRandomWalk : DriverKind::kNone;
    setup.entities.push_back(std::move(spec));
  }
  return setup;
}

using Edits = std::vector<Edit>;

// What happens from outside: every kind of edit, and a command now and then.
Edits edits_at(Tick k, FleetRig& run) {
  switch (k) {
    case 40: {
      EntitySpec spec = run.world().entity(Slot(0)).spec();
      spec.name = "late";
      spec.driver.kind = DriverKind::kRandomWalk;
      spec.pose.p = {0.5, -0.5, 0};
      return {Spawn{spec, Owner(1)}};
    }
    case 60: return {Delete{run.number("r7")}};
    case 80: return {SetState{run.number("r1"), {{1, 1, 0}, from_yaw(2)}, Twist{{0.1, 0, 0}, {}}}};
    case 100: return {Attach{run.number("r2"), run.number("r4")}};  // a cart carries a box
    case 101: return {Attach{run.number("r4"), run.number("r10")}, Attach{run.number("r11"), run.number("r14")}};
    case 130: return {SetEnvironment{{.fog = 0.5, .time_of_day = 20}}};
    case 160: {
      Model model = built_in_models()[0];
      model.name = "fast_burger";
      model.max_speed = 1;
      return {AddModel{model}};
    }
    case 200: return {Reset{{run.number("r3"), run.number("r6")}}};
    case 250: return {Freeze{run.number("r5")}};
    case 280: {
      EntitySpec spec = run.world().entity(Slot(1)).spec();
      spec.name = "fast";
      spec.model = "fast_burger";
      spec.pose.p = {-3, 3, 0};
      return {Spawn{spec, Owner(1)}};
    }
    case 300: return {Detach{run.number("r4")}};
    case 420: return {Detach{run.number("r10")}};
    default: return {};
  }
}

int probe(const Options& options) {
  const Setup setup = small_world();
  SerialExecutor executor;
  FleetRig run(setup, options.fleets, executor);
  const Tick ticks = options.ticks > 0 ? options.ticks : 500;
  for (Tick k = 0; k < ticks; ++k) {
    for (const Edit& edit : edits_at(k, run))
      if (const auto ok = run.edit(edit); !ok) return std::fprintf(stderr, "probe: %s\n", ok.error().text.c_str()), 2;
    std::vector<Input> inputs;
    if (k % 25 == 0)
      for (WorldNumber number : run.world().snapshot().numbers())
        if ((number.value() + static_cast<std::uint32_t>(k)) % 8 == 1)
          inputs.push_back(DriveCommand{number, {{0.8, 0, 0}, {0, 0, 0.3}}, std::chrono::milliseconds(300)});
    run.step(inputs);
    if (options.trace) std::printf("%lld %s\n", static_cast<long long>(k + 1), hex16(run.digest()).c_str());
  }
  std::printf("digest %s\n", hex16(run.digest()).c_str());
  return 0;
}

int bench(const Options& options) {
  const Setup setup = open_space(options.bench, options.drivers);
  SerialExecutor executor;
  FleetRig run(setup, options.fleets, executor);
  const Tick ticks = options.ticks > 0 ? options.ticks : 300;
  for (Tick k = 0; k < 50; ++k) run.step();
  // A host's own share of a tick; the digest is the server's.
  std::clock_t opening = 0, advancing = 0, all = std::clock();
  for (Tick k = 0; k < ticks; ++k) {
    const FleetRig::Clocks used = run.step({}, [] { return static_cast<std::int64_t>(std::clock()); });
    opening += used.open, advancing += used.advance;
  }
  all = std::clock() - all;
  const double robot_ticks = static_cast<double>(options.bench) * static_cast<double>(ticks);
  const auto each = [&](std::clock_t used) { return static_cast<double>(used) / CLOCKS_PER_SEC / robot_ticks * 1e9; };
  std::printf(
      "%zu robots, %lld ticks: %.3f million robot ticks/s; each %.0f ns to open, %.0f ns to advance, "
      "%.0f ns for the rest; digest %s\n",
      options.bench, static_cast<long long>(ticks), 1e3 / each(opening + advancing), each(opening), each(advancing),
      each(all - opening - advancing), hex16(run.digest()).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (!std::strcmp(argv[i], "--ticks")) options.ticks = std::atoll(value());
    else if (!std::strcmp(argv[i], "--fleets")) options.fleets = std::max(1, std::atoi(value()));
    else if (!std::strcmp(argv[i], "--bench")) options.bench = static_cast<std::size_t>(std::atoll(value()));
    else if (!std::strcmp(argv[i], "--driver")) options.drivers = std::strcmp(value(), "none") != 0;
    else if (!std::strcmp(argv[i], "--trace")) options.trace = true;
    else return std::fprintf(stderr, "probe: unknown option %s\n", argv[i]), 2;
  }
  return options.bench > 0 ? bench(options) : probe(options);
}
