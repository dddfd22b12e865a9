// A plain loop of mj_step over the robots of a scenario, each alone in its world: what their physics costs when nothing
// is distributed, hashed or recorded, and nobody meets anybody. Driven wheels turn at half their speed, with a slow turn
// in alternating directions, as random drivers have it; all else holds what the start says.
//
//   bench_mujoco_loop SCENARIO --models FOLDER --maps FOLDER [--ticks N] [--plugins FOLDER]
//
// Prints JSON: robots, physics steps per second of CPU time.
#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "physics/mujoco/engine.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/import_group.h"
#include "physics/mujoco/library.h"
#include "physics/mujoco/robot.h"
#include "scenario/scenario.h"
#include "world/world.h"
#include "world/world_model.h"

using namespace convoy;

namespace {

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Result<Bytes> read_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "bench_mujoco_loop: {}\n", why);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::string scenario, models = "models", maps = "maps", plugins;
  int ticks = 100;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (!name.starts_with("--")) scenario = name;
    else if (i + 1 == argc) die(fmt::format("{} needs a value", name));
    else if (name == "--models") models = argv[++i];
    else if (name == "--maps") maps = argv[++i];
    else if (name == "--plugins") plugins = argv[++i];
    else if (name == "--ticks") ticks = std::atoi(argv[++i]);
    else die(fmt::format("unknown option {}", name));
  }
  if (auto ok = mujoco::start(plugins); !ok) die(ok.error().message());
  const auto found = [&](const std::string& file, const std::string& folder) {
    const std::string beside = folder + "/" + file;
    return std::ifstream(beside) ? beside : models + "/" + file;
  };
  scenario::LoadOptions options;
  options.map_path = {maps};
  options.import_robot = [&](const scenario::RobotFile& f) {
    return mujoco::import_model(found(f.file, f.folder), {read_disk, {}, f.name, f.left_wheels, f.right_wheels});
  };
  options.import_group = [&](const LooseGroup& group) {
    return mujoco::import_group(group, {read_disk, {}, {}, {}, {}});
  };
  const auto loaded = scenario::load(scenario, options);
  if (!loaded) die(loaded.error().message());
  auto world = World::make(loaded->setup);
  if (!world) die(world.error().message());

  struct One {
    std::unique_ptr<mujoco::Robot> robot;
    mjData* data;
    const mjModel* model;
    int steps;
  };
  const auto library = std::make_shared<mujoco::Library>();
  std::vector<One> all;
  const mujoco::Scene scene{&world->files(), &world->map(), world->model(kWorldModel)};
  for (Slot slot = 0; slot < world->entities().size(); ++slot) {
    const Model& model = world->model_of(slot);
    if (model.files.empty()) continue;
    auto compiled = library->alone(model, scene);
    if (!compiled) die(compiled.error().message());
    auto robot = std::make_unique<mujoco::Robot>(model, *compiled, library);
    robot->reset(world->snapshot().state(slot));
    auto* data = const_cast<mjData*>(&robot->data());
    for (const auto* side : {&(*compiled)->left, &(*compiled)->right})
      for (const mujoco::Wheel& w : *side) {
        const double turn = (slot % 2 ? 1 : -1) * (side == &(*compiled)->left ? 0.1 : -0.1);
        data->ctrl[w.actuator] = w.sign * (0.5 + turn) * model.max_speed / model.wheel_radius;
      }
    all.push_back({std::move(robot), data, (*compiled)->model, static_cast<int>(loaded->setup.tick / (*compiled)->step)});
  }
  const auto run = [&](int n) {
    std::uint64_t steps = 0;
    for (int k = 0; k < n; ++k)
      for (One& one : all) {
        for (int i = 0; i < one.steps; ++i) mj_step(one.model, one.data);
        steps += static_cast<std::uint64_t>(one.steps);
      }
    return steps;
  };
  run(10);
  const double begin = cpu_s();
  const std::uint64_t steps = run(ticks);
  const double used = cpu_s() - begin;
  fmt::print("{{\"agents\": {}, \"ticks\": {}, \"ms_per_tick\": {:.6f}, \"steps_per_s\": {:.1f}}}\n", all.size(), ticks,
             used / ticks * 1e3, static_cast<double>(steps) / used);
  return 0;
}
