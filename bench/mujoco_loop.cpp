// What a fleet of MuJoCo robots costs beside a plain loop of mj_step over the same robots.
//
//   bench_mujoco_loop SCENARIO --models FOLDER [--maps FOLDER] [--plugins FOLDER] [--ticks N] [--warm N] [--block N]
//
// The fleet is one host's, with the digest of every tick; what is sent is not part of it. Block by block of N ticks:
// first the fleet, then mj_step alone for each robot, from the same states and with the same controls. So both do the
// same physics, but for what robots meet of each other, and a noisy machine disturbs both alike.
//
// Prints JSON: CPU time a tick of both, and their ratio.
#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "agent/fleet.h"
#include "physics/mujoco/engine.h"
#include "physics/mujoco/factory.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/import_group.h"
#include "physics/mujoco/robot.h"
#include "scenario/scenario.h"
#include "world/digest.h"
#include "world/world.h"

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
  int ticks = 200, warm = 100, block = 10;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (!name.starts_with("--")) scenario = name;
    else if (i + 1 == argc) die(fmt::format("{} needs a value", name));
    else if (name == "--models") models = argv[++i];
    else if (name == "--maps") maps = argv[++i];
    else if (name == "--plugins") plugins = argv[++i];
    else if (name == "--warm") warm = std::atoi(argv[++i]);
    else if (name == "--block") block = std::atoi(argv[++i]);
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
    return mujoco::import_model(found(f.file, f.folder),
                                {read_disk, {}, f.name, f.left_wheels, f.right_wheels, f.ground});
  };
  options.import_group = [&](const LooseGroup& group) {
    return mujoco::import_group(group, {read_disk, {}, {}, {}, {}});
  };
  const auto loaded = scenario::load(scenario, options);
  if (!loaded) die(loaded.error().message());
  auto world = World::make(loaded->setup);
  if (!world) die(world.error().message());

  const mujoco::Factory factory;
  SerialExecutor executor;
  Fleet fleet = [&] {
    for (Slot slot : SlotRange(world->entities().size())) world->set_owner(slot, Owner(1));
    return Fleet(std::move(*world), loaded->setup, Owner(1), executor, AgentParts(factory));
  }();
  fleet.take_up();
  std::uint64_t digest = digest_seed(loaded->setup);
  std::vector<Message> mail;
  std::vector<AgentHash> hashes(fleet.world().entities().size());
  Tick tick = 0;
  const auto advance = [&] {
    fleet.open(mail);
    const Advance& made = fleet.advance(tick++, {});
    mail = made.sent;
    for (std::size_t i = 0; i < made.slots.size(); ++i) hashes[made.slots[i].index()] = made.hashes[i];
    fleet.turn();
    digest = next_digest(digest, tick, fleet.world(), hashes);
  };

  struct One {
    const mujoco::Robot* robot;
    const mjModel* model;
    mjData* bare;
    int steps;
    std::vector<double> controls;  // of a block, by tick
  };
  std::vector<One> all;
  int steps = 0;
  for (const auto& agent : fleet.all())
    if (const auto* robot = dynamic_cast<const mujoco::Robot*>(&agent->physics())) {
      const mjModel* m = robot->compiled().model;
      all.push_back({robot, m, mj_makeData(m), static_cast<int>(loaded->setup.tick / robot->compiled().step), {}});
      steps += all.back().steps;
    }
  for (int i = 0; i < warm; ++i) advance();
  double fleet_s = 0, bare_s = 0;
  int done = 0;
  for (; done < ticks; done += block) {
    for (One& one : all)
      mj_setState(one.model, one.bare, one.robot->row().data(), mjSTATE_INTEGRATION), one.controls.clear();
    for (int k = 0; k < block; ++k) {
      const double begin = cpu_s();
      advance();
      fleet_s += cpu_s() - begin;
      for (One& one : all) {
        const double* ctrl = one.robot->row().data() + one.robot->compiled().row.ctrl;
        one.controls.insert(one.controls.end(), ctrl, ctrl + one.model->nu);
      }
    }
    for (int k = 0; k < block; ++k) {
      const double begin = cpu_s();
      for (One& one : all) {
        std::copy_n(one.controls.begin() + k * one.model->nu, one.model->nu, one.bare->ctrl);
        for (int i = 0; i < one.steps; ++i) mj_step(one.model, one.bare);
      }
      bare_s += cpu_s() - begin;
    }
  }
  fmt::print(
      "{{\"robots\": {}, \"ticks\": {}, \"fleet_ms\": {:.4f}, \"bare_ms\": {:.4f}, \"ratio\": {:.4f}, "
      "\"bare_steps_per_s\": {:.0f}, \"digest\": \"{:016x}\"}}\n",
      all.size(), done, fleet_s / done * 1e3, bare_s / done * 1e3, bare_s / fleet_s, steps * done / bare_s, digest);
  for (One& one : all) mj_deleteData(one.bare);
  return 0;
}
