// The main job, as the README runs it but shorter: the warehouse with 200 robots, in one process.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "core/hash.h"
#include "roles/client.h"
#include "roles/embedded.h"
#include "roles/server.h"
#include "scenario/scenario.h"

namespace main_job_test {

using namespace convoy;

namespace {

struct Quiet final : Log {
  void line(LogLevel, const std::string&) override {}
};

// Runs the ranges backwards, in pieces of three: another order than any thread pool's first.
struct Backwards final : Executor {
  int width() const override { return 3; }
  void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) override {
    for (std::size_t end = n; end > 0; end -= std::min<std::size_t>(end, 3))
      work(end - std::min<std::size_t>(end, 3), end);
  }
};

// Widest separation of two footprints over the axes of both, m; negative: they overlap. Written apart from the
// product's own, with libm.
double separation(const World& world, Slot a, Slot b) {
  const auto corners = [&](Slot slot) {
    const Pose& pose = world.snapshot().state(slot).pose;
    const double yaw = std::atan2(2 * pose.q.w * pose.q.z, 1 - 2 * pose.q.z * pose.q.z);
    std::vector<Vec2> out;
    for (Vec2 c : world.model_of(slot).footprint)
      out.push_back(
          {pose.p.x + c.x * std::cos(yaw) - c.y * std::sin(yaw), pose.p.y + c.x * std::sin(yaw) + c.y * std::cos(yaw)});
    return out;
  };
  const std::vector<Vec2> p[2] = {corners(a), corners(b)};
  double best = -1e9;
  for (int side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < p[side].size(); ++i) {
      const Vec2 u = p[side][i], v = p[side][(i + 1) % p[side].size()];
      const double length = std::hypot(v.x - u.x, v.y - u.y), nx = (v.y - u.y) / length, ny = -(v.x - u.x) / length;
      double nearest = 1e9;
      for (Vec2 w : p[1 - side]) nearest = std::min(nearest, (w.x - u.x) * nx + (w.y - u.y) * ny);
      best = std::max(best, nearest);
    }
  }
  return best;
}

struct Inspector final : RunWatcher {
  double closest = 1e9;
  std::vector<std::uint64_t> digests;
  void completed(std::uint32_t, Tick tick, const World& world, std::span<const AgentHash>,
                 std::span<const Message>) override {
    if (tick % 10 != 0) return;
    for (Slot a : SlotRange(world.entities().size())) {
      for (Slot b : SlotRange(a.index())) {
        const Vec3 d = world.snapshot().state(a).pose.p - world.snapshot().state(b).pose.p;
        if (d.x * d.x + d.y * d.y < 0.6 * 0.6) closest = std::min(closest, separation(world, a, b));
      }
    }
  }
  void entered(const JournalEntry&) override {}
  void chained(std::uint32_t, Tick, std::uint64_t digest, const World&, std::span<const AgentHash>) override {
    digests.push_back(digest);
  }
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
};

struct Outcome {
  std::vector<std::uint64_t> digests;
  double closest = 0;
  std::uint64_t contacts_across = 0, agent_ticks = 0, ticks = 0;
  double distance = 0;
};

Outcome run(const Setup& setup, int hosts, Executor& executor, Tick ticks) {
  Quiet log;
  const KinematicFactory factory;
  Inspector inspector;
  Embedded all;
  ServerOptions options;
  options.conductor.end = ticks;
  std::uint8_t next = 0;
  options.membership.new_token = [&] { return Token{++next}; };
  for (int i = 0; i < hosts; ++i) options.hosts.push_back("host" + std::to_string(i));
  auto server = ServerRole::make(setup, options, all.server_network(), log, {&inspector});
  REQUIRE(server.has_value());
  all.set_server(**server);
  std::vector<std::unique_ptr<ClientRole>> clients;
  for (int i = 0; i < hosts; ++i) {
    ClientOptions client;
    client.session.name = options.hosts[static_cast<std::size_t>(i)];
    clients.push_back(std::make_unique<ClientRole>(client, all.add_client(), executor, factory, log));
    all.set_client(static_cast<std::size_t>(i), *clients.back());
  }
  Moment now{};
  all.run([&] { return now; }, [&](Moment until) { now = std::max(now, until == kNever ? now : until); });

  Outcome out{inspector.digests,
              inspector.closest,
              (*server)->conductor().books().roll.contacts_between_hosts(),
              0,
              (*server)->conductor().ticks_done(),
              0};
  for (const auto& [owner, host] : (*server)->conductor().hosts()) {
    out.agent_ticks += host.report.agent_ticks;
    for (const RobotReport& robot : host.report.robots) out.distance += robot.distance;
  }
  return out;
}

}  // namespace

TEST_CASE("the warehouse gives the same digests on 1, 2 and 4 hosts, and no two footprints ever overlap") {
  auto scenario = scenario::load(CONVOY_SOURCE_DIR "/scenarios/warehouse.yaml", {.map_path = {CONVOY_MAPS_DIR}});
  REQUIRE_MESSAGE(scenario.has_value(), (scenario ? "" : scenario.error().message()));
  REQUIRE(scenario->setup.entities.size() == 200);
  const Tick ticks = 1500;
  SerialExecutor serial;
  Backwards backwards;

  const Outcome one = run(scenario->setup, 1, serial, ticks);
  const Outcome two = run(scenario->setup, 2, backwards, ticks);
  const Outcome four = run(scenario->setup, 4, serial, ticks);

  REQUIRE(one.digests.size() == static_cast<std::size_t>(ticks) + 1);
  CHECK(one.digests == two.digests);
  CHECK(one.digests == four.digests);
  CHECK(std::set<std::uint64_t>(one.digests.begin(), one.digests.end()).size() == one.digests.size());
  CHECK(one.closest > -1e-9);  // the bound that docs/determinism.md states for the half-gap rule
  CHECK(one.closest < 1e-3);   // and they do touch
  CHECK(one.contacts_across == 0);
  CHECK(two.contacts_across > 0);
  for (const Outcome* outcome : {&one, &two, &four}) CHECK(outcome->agent_ticks == 200 * outcome->ticks);
  CHECK(one.distance > 200 * 15 * 0.05);  // m: on average a quarter of the slower robots' speed
}

}  // namespace main_job_test
