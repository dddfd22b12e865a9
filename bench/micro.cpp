// The pieces of a tick, one by one (Google Benchmark). bench/run.py shows them beside their baselines.
//
//   bench_micro --benchmark_filter=states --benchmark_repetitions=5
//
// `items` are agents, states, draws or calls, so that items_per_second of two rows can be divided.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>

#include "core/hash.h"
#include "core/math.h"
#include "core/random.h"
#include "physics/kinematic.h"
#include "record/mcap_writer.h"
#include "wire/lockstep.h"
#include "world/digest.h"
#include "world/grid.h"

using namespace convoy;

namespace {

void count(benchmark::State& state, std::size_t items_per_iteration) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items_per_iteration));
}

Model burger() {
  Model model;
  model.name = "burger";
  model.drive = Drive::kDifferential;
  model.footprint = {{0.063, -0.089}, {0.063, 0.089}, {-0.075, 0.089}, {-0.075, -0.089}};
  model.joints = {"wheel_left_joint", "wheel_right_joint"};
  return model;
}

// `n` robots placed at random, `density` to the square metre, and every number of their next states changed.
World fleet(std::size_t n, double density) {
  Setup setup;
  setup.models.push_back(burger());
  Random random{stream_key(1, 0, "bench")};
  const double side = std::sqrt(static_cast<double>(n) / density);
  for (std::size_t i = 0; i < n; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = "burger";
    spec.pose = {{random.uniform(0, side), random.uniform(0, side), 0}, from_yaw(random.uniform(-3, 3))};
    setup.entities.push_back(spec);
  }
  World world = *World::make(setup);
  for (Slot slot : SlotRange(world.snapshot().size())) {
    world.set_owner(slot, Owner(1));
    State& next = world.next().state(slot);
    next.stamp = instant(10'000'000);
    next.pose.p.x += 0.002, next.pose.p.y += 0.001;
    next.pose.q = from_yaw(0.01 + static_cast<double>(slot.index()));
    next.twist.v = {0.2, 0.1, 0}, next.twist.w.z = 0.1;
    for (double& joint : world.next().tail(slot)) joint += 0.01;
  }
  return world;
}

struct Frames {
  World world;
  std::vector<Slot> slots;
  std::vector<AgentHash> hashes;
  explicit Frames(std::size_t n) : world(fleet(n, 0.44)), slots(world.slots_of(Owner(1))) {
    for (std::size_t i = 0; i < n; ++i) hashes.push_back({stream_key(1, i, "inner"), 0});
  }
  std::vector<Bytes> encode() const {
    return encode_states({0, 1, Owner(1)}, world, const_cast<World&>(world).next(), slots, hashes, instant(10'000'000));
  }
};

void digest_chain(benchmark::State& state) {
  Frames f(static_cast<std::size_t>(state.range(0)));
  std::uint64_t digest = 1;
  for ([[maybe_unused]] auto _ : state) digest = next_digest(digest, 1, f.world, f.hashes);
  benchmark::DoNotOptimize(digest);
  count(state, f.slots.size());
}
BENCHMARK(digest_chain)->Arg(10'000)->Arg(100'000);

// Baseline of digest_chain: one hash over the same bytes where they lie.
void digest_baseline_hash(benchmark::State& state) {
  Frames f(static_cast<std::size_t>(state.range(0)));
  const auto states = f.world.snapshot().states();
  std::uint64_t digest = 1;
  for ([[maybe_unused]] auto _ : state) {
    digest = chain(digest, hash64({reinterpret_cast<const std::uint8_t*>(states.data()), states.size_bytes()}));
    digest = chain(digest, hash64({reinterpret_cast<const std::uint8_t*>(f.hashes.data()), f.hashes.size() * 16}));
  }
  benchmark::DoNotOptimize(digest);
  count(state, f.slots.size());
}
BENCHMARK(digest_baseline_hash)->Arg(10'000)->Arg(100'000);

void states_encode(benchmark::State& state) {
  const Frames f(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(f.encode());
  std::size_t bytes = 0;
  for (const Bytes& frame : f.encode()) bytes += frame.size();
  state.counters["bytes_per_state"] = static_cast<double>(bytes) / static_cast<double>(f.slots.size());
  count(state, f.slots.size());
}
BENCHMARK(states_encode)->Arg(1'000)->Arg(10'000)->Arg(100'000);

void states_decode(benchmark::State& state) {
  Frames f(static_cast<std::size_t>(state.range(0)));
  const std::vector<Bytes> frames = f.encode();
  std::vector<AgentHash> hashes(f.slots.size());
  for ([[maybe_unused]] auto _ : state) {
    std::uint32_t done = 0;
    for (const Bytes& frame : frames)
      if (!decode_states(frame, f.world, f.slots, instant(10'000'000), hashes, done)) state.SkipWithError("bad frame");
  }
  count(state, f.slots.size());
}
BENCHMARK(states_decode)->Arg(1'000)->Arg(10'000)->Arg(100'000);

// Baseline of both: the same states copied whole.
void states_baseline_copy(benchmark::State& state) {
  Frames f(static_cast<std::size_t>(state.range(0)));
  Bytes out(f.slots.size() * (sizeof(State) + 32));
  for ([[maybe_unused]] auto _ : state) {
    std::uint8_t* p = out.data();
    for (Slot slot : f.slots) {
      std::memcpy(p, &f.world.next().state(slot), sizeof(State));
      std::memcpy(p + sizeof(State), f.world.next().tail(slot).data(), 32);
      p += sizeof(State) + 32;
    }
    benchmark::ClobberMemory();
  }
  count(state, f.slots.size());
}
BENCHMARK(states_baseline_copy)->Arg(1'000)->Arg(10'000)->Arg(100'000);

void grid_rebuild(benchmark::State& state) {
  const World world = fleet(static_cast<std::size_t>(state.range(0)), 0.1);
  Grid grid;
  for ([[maybe_unused]] auto _ : state) grid.rebuild(world.snapshot(), world.radii(), 0.5);
  count(state, world.snapshot().size());
}
BENCHMARK(grid_rebuild)->Arg(10'000)->Arg(100'000);

void grid_query(benchmark::State& state) {  // radius in dm
  const World world = fleet(10'000, 0.1);
  const double radius = static_cast<double>(state.range(0)) / 10;
  Grid grid;
  grid.rebuild(world.snapshot(), world.radii(), std::max(0.5, radius / 2));
  std::vector<Slot> near;
  std::size_t found = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (Slot slot : SlotRange(world.snapshot().size())) {
      const Vec3 p = world.snapshot().state(slot).pose.p;
      near.clear();
      grid.query(world.snapshot(), p.x, p.y, radius, slot, near);
      found += near.size();
    }
  }
  state.counters["found"] =
      static_cast<double>(found) / static_cast<double>(state.iterations() * world.snapshot().size());
  count(state, world.snapshot().size());
}
BENCHMARK(grid_query)->Arg(2)->Arg(6)->Arg(200);

// One robot's step: alone, and among neighbours closer than its reach.
void physics_step(benchmark::State& state) {
  const auto model = burger();
  KinematicPhysics physics(model);
  const StaticMap map;
  std::vector<State> others(static_cast<std::size_t>(state.range(0)));
  std::vector<Neighbour> neighbours;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double angle = 2 * math::kPi * static_cast<double>(i) / static_cast<double>(others.size());
    others[i].pose.p = {0.185 * std::cos(angle), 0.185 * std::sin(angle), 0};
    neighbours.push_back({static_cast<WorldNumber>(i + 2), &others[i], &model});
  }
  Twist command;
  command.v.x = 0.2, command.w.z = 0.3;
  std::vector<double> tail(4);
  PhysicsEvents events;
  State robot;
  physics.reset(robot);
  for ([[maybe_unused]] auto _ : state) {
    robot = State{};
    physics.step({.begin = instant(0),
                  .step = std::chrono::milliseconds(10),
                  .self = WorldNumber(1),
                  .command = command,
                  .map = &map,
                  .neighbours = neighbours},
                 robot, tail, events);
    benchmark::DoNotOptimize(robot);
  }
  count(state, 1);
}
BENCHMARK(physics_step)->Arg(0)->Arg(1)->Arg(6);

void math_of(benchmark::State& state, double (*f)(double), double low, double high) {
  Random random{7};
  std::vector<double> x(1024);
  for (double& v : x) v = random.uniform(low, high);
  for ([[maybe_unused]] auto _ : state) {
    double sum = 0;
    for (const double v : x) sum += f(v);
    benchmark::DoNotOptimize(sum);
  }
  count(state, x.size());
}
double libm_sin(double x) { return std::sin(x); }
double libm_exp(double x) { return std::exp(x); }
double libm_log(double x) { return std::log(x); }
double libm_atan(double x) { return std::atan(x); }
BENCHMARK_CAPTURE(math_of, sin_ours, math::sin, -4.0, 4.0);
BENCHMARK_CAPTURE(math_of, sin_libm, libm_sin, -4.0, 4.0);
BENCHMARK_CAPTURE(math_of, exp_ours, math::exp, -4.0, 4.0);
BENCHMARK_CAPTURE(math_of, exp_libm, libm_exp, -4.0, 4.0);
BENCHMARK_CAPTURE(math_of, log_ours, math::log, 0.1, 9.0);
BENCHMARK_CAPTURE(math_of, log_libm, libm_log, 0.1, 9.0);
BENCHMARK_CAPTURE(math_of, atan_ours, math::atan, -4.0, 4.0);
BENCHMARK_CAPTURE(math_of, atan_libm, libm_atan, -4.0, 4.0);

void random_uniform(benchmark::State& state) {
  Random random{7};
  double sum = 0;
  for ([[maybe_unused]] auto _ : state) sum += random.uniform();
  benchmark::DoNotOptimize(sum);
  count(state, 1);
}
BENCHMARK(random_uniform);
void random_normal(benchmark::State& state) {
  Random random{7};
  double sum = 0;
  for ([[maybe_unused]] auto _ : state) sum += random.normal();
  benchmark::DoNotOptimize(sum);
  count(state, 1);
}
BENCHMARK(random_normal);

struct NullSink final : ByteSink {
  Status write(ByteView bytes) override {
    written += bytes.size();
    return {};
  }
  Status flush() override { return {}; }
  std::size_t written = 0;
};

// Messages of 144 bytes (a state and its stamp) into an MCAP file that goes nowhere.
void mcap_write(benchmark::State& state) {
  const World world = fleet(1'000, 0.1);
  NullSink sink;
  McapWriter writer(sink, {.compression = static_cast<Compression>(state.range(0))});
  const auto schema = writer.add_schema("state", "convoy", {});
  const auto channel = writer.add_channel({.schema_id = *schema, .topic = "/state", .message_encoding = "convoy"});
  std::uint64_t time = 0, bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (Slot slot : SlotRange(world.snapshot().size())) {
      const State& s = world.snapshot().state(slot);
      const ByteView data{reinterpret_cast<const std::uint8_t*>(&s), sizeof s};
      if (!writer.write({.channel_id = *channel, .log_time_ns = time, .publish_time_ns = time, .data = data}))
        state.SkipWithError("write failed");
      bytes += data.size();
    }
    time += 10'000'000;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  count(state, world.snapshot().size());
}
BENCHMARK(mcap_write)
    ->ArgName("compression")
    ->Arg(static_cast<int>(Compression::kNone))
    ->Arg(static_cast<int>(Compression::kLz4))
    ->Arg(static_cast<int>(Compression::kZstd));

}  // namespace

BENCHMARK_MAIN();
