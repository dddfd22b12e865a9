#include "apps/job_agents.h"

#include <fmt/format.h>

#include "apps/embedded_clients.h"
#include "apps/prepare.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/thread_pool.h"

namespace convoy::apps {

namespace {

Setup setup_of(const JobAgentsSpec& spec) {
  Setup setup;
  setup.name = "job";
  setup.seed = spec.seed;
  setup.tick = spec.tick;
  setup.models = built_in_models();
  setup.nodes = spec.rules;
  setup.nodes.one_job = true;
  setup.nodes.alone = spec.groups.size() == 1;
  for (std::uint64_t copy = 0; copy < spec.copies; ++copy)
    for (const JobGroup& group : spec.groups) {
      EntitySpec entity;
      entity.name = spec.copies > 1 ? fmt::format("{}_{}", group.name, copy) : group.name;
      entity.model = kProgramModel;
      entity.components = group.components;
      // A copy receives from no other copy; the groups of one copy receive from each other.
      entity.domain = spec.groups.size() > 1 ? static_cast<std::uint32_t>(copy) : static_cast<std::uint32_t>(copy + 1);
      setup.entities.push_back(std::move(entity));
    }
  return setup;
}

}  // namespace

Result<JobAgentsOutcome> run_agents(const JobAgentsSpec& spec, SoftwareFactory& software, Log& log,
                                    const std::atomic<bool>& interrupted) {
  const Setup setup = setup_of(spec);
  ServerOptions options;
  options.membership.build = engines::build_text();
  options.membership.fingerprint = engines::numeric_fingerprint();
  options.membership.liveness = Duration{0};
  options.membership.max_members = static_cast<std::size_t>(spec.hosts);
  options.membership.new_token = new_token;
  options.conductor.end_with_software = true;
  if (spec.rules.end >= Duration(0)) options.conductor.end = spec.rules.end / spec.tick + 1;
  for (int i = 0; i < spec.hosts; ++i) options.hosts.push_back("host" + std::to_string(i));

  os::ThreadPool pool(spec.threads);
  const auto physics = engines::physics_factory();
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  Embedded embedded;
  auto server = ServerRole::make(setup, options, embedded.server_network(), log, {});
  if (!server) return tl::unexpected(server.error());
  embedded.set_server(**server);
  const auto clients = add_clients(embedded, options.hosts, options, pool,
                                   AgentParts{*physics, &software, rays.get(), nullptr, nullptr, pictures.get()}, log);
  embedded.run(
      [&] {
        if (interrupted) (*server)->stop();
        return os::now();
      },
      [](Moment next) { sleep_a_while(next); });
  for (const auto& client : clients)
    if (client->failure()) return tl::unexpected(*client->failure());

  const Run& run = (*server)->run();
  JobAgentsOutcome out;
  out.digest = (*server)->conductor().digest();
  out.endings = run.books().endings.software();
  const Duration ticks = static_cast<std::int64_t>(run.ticks_done()) * spec.tick;
  out.simulated = spec.rules.end >= Duration(0) ? std::min(ticks, spec.rules.end) : ticks;
  std::map<WorldNumber, RobotReport> by_number;
  for (const auto& [owner, host] : run.hosts())
    for (const RobotReport& robot : host.report.robots) by_number[robot.number] = robot;
  for (const auto& [number, r] : by_number) {
    const Slot slot = run.world().slot_of(number);
    out.agents.push_back({run.world().entity(slot).name, r.nodes, r.callbacks, r.published});
  }
  return out;
}

}  // namespace convoy::apps
