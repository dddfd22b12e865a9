// convoy run: server and robot clients in one process, joined by links in memory.
#include <fmt/format.h>
#include <algorithm>
#include <atomic>

#include "agent/gateways.h"
#include "apps/arguments.h"
#include "apps/embedded_clients.h"
#include "apps/library_folders.h"
#include "apps/prepare.h"
#include "apps/record_file.h"
#include "apps/report.h"
#include "apps/ros2.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "apps/web.h"
#include "apps/zmq.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "os/thread_pool.h"
#include "plugins/sensor_libraries.h"

namespace convoy::apps {

namespace {

// What the clients of those names have for other programs; none: nothing.
Result<std::vector<std::unique_ptr<Gateway>>> open_doors(const scenario::Scenario& scenario,
                                                         const std::vector<std::string>& names, UsersSensors& sensors,
                                                         Log& log) {
  const auto& hosts = scenario.run.hosts.names;
  std::vector<std::vector<std::unique_ptr<Gateway>>> doors(names.size());
  for (std::size_t i = 0; scenario.run.zmq && i < names.size(); ++i) {
    const auto index = static_cast<std::size_t>(std::find(hosts.begin(), hosts.end(), names[i]) - hosts.begin());
    auto opened = open_streams(of_client(*scenario.run.zmq, index), log);
    if (!opened) return tl::unexpected(opened.error());
    doors[i].push_back(std::move(*opened));
  }
  if (scenario.run.ros2) {
    const std::string run = new_ros2_run();
    std::vector<Ros2Arguments> clients;
    for (const std::string& name : names) clients.push_back(arguments_of(scenario.run, name, hosts, run));
    auto opened = open_ros2(clients, sensors, log);
    if (!opened) return tl::unexpected(opened.error());
    for (std::size_t i = 0; i < names.size(); ++i) doors[i].push_back(std::move((*opened)[i]));
  }
  std::vector<std::unique_ptr<Gateway>> out;
  for (auto& of_client : doors)
    if (!of_client.empty()) out.push_back(std::make_unique<Gateways>(std::move(of_client)));
  return out;
}

}  // namespace

int run(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (auto ok = check_one_process(*scenario); !ok) return complain(ok.error().message(), kUsage);
  if (const auto absent = check_users_code(scenario->setup, scenario->setup.entities, library_folders(arguments));
      !absent.empty())
    return complain(absent);

  ServerOptions options = server_options(*scenario, arguments.web.on ? 1 : 0);
  const std::vector<std::string> sensor_names = sensor_host_names(arguments.run.sensor_hosts);
  options.hosts.insert(options.hosts.end(), sensor_names.begin(), sensor_names.end());
  options.membership.liveness = Duration{0};  // in one process none is silent: whoever is busy keeps all waiting
  options.conductor.paused = options.live.paused = arguments.paused;
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) { interrupted = true; });
  os::ThreadPool pool(arguments.threads);
  const auto physics = make_physics(library_folders(arguments));
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  const auto software = software_factory(arguments.log_level, library_folders(arguments));
  SensorLibraries sensors(library_folders(arguments));
  TickTimer timer;
  Embedded embedded;
  auto report_file = report_to(arguments.report);
  if (!report_file) return complain(report_file.error().message(), kUsage);
  auto record = RecordFile::open(arguments.record, *scenario, options, log);
  if (!record) return complain(record.error().message(), kUsage);
  std::vector<RunWatcher*> watchers{&timer};
  (*record)->add_to(watchers);
  RunSource source = source_of(*scenario);
  auto server = ServerRole::make(scenario->setup, options, embedded.server_network(), log, watchers);
  if (!server) return complain(server.error().message(), kUsage);
  embedded.set_server(**server);

  std::vector<std::string> names = scenario->run.hosts.names;
  for (int i = 0; i < arguments.trial.start_order; ++i) std::next_permutation(names.begin(), names.end());
  auto streams = open_doors(*scenario, names, sensors, log);
  if (!streams) return complain(streams.error().message(), kUsage);
  std::vector<Gateway*> gateways;
  for (const auto& one : *streams) gateways.push_back(one.get());
  const auto clients = add_clients(
      embedded, names, options, pool,
      AgentParts{*physics, software.get(), rays.get(), (*record)->taker(), &sensors, pictures.get()}, log, gateways);
  const auto sensor_hosts =
      add_sensor_hosts(embedded, clients.size(), sensor_names, options, pool,
                       AgentParts{*physics, nullptr, rays.get(), nullptr, &sensors, pictures.get()}, log);
  std::unique_ptr<PageOfRun> page;
  if (arguments.web.on) {
    auto opened = page_of_run(arguments, embedded.add_client(), log);
    if (!opened) return complain(opened.error().message(), kUsage);
    page = std::move(*opened);
    embedded.set_client(clients.size() + sensor_hosts.size(), page->role());
    page->start();
  }

  Moment next_status{};
  embedded.run(
      [&] {
        const Moment now = os::now();
        if (now >= next_status) {
          next_status = now + std::chrono::milliseconds(200);
          (*record)->on_time(now);
          const Run& c = (*server)->run();
          const double wall = (*server)->run_begun() == kNever ? 0 : seconds(now - (*server)->run_begun());
          log.status(fmt::format("{:.1f} of {:.0f} s simulated, {:.1f} x real time", seconds(c.now()),
                                 seconds(scenario->run.duration), wall > 0 ? seconds(c.now()) / wall : 0.0),
                     now);
          // Without a host that could not load the scene it would be waited for it for ever.
          const auto failed = [](const auto& client) { return client->failure().has_value(); };
          const bool in_vain = c.gathering() && (std::any_of(clients.begin(), clients.end(), failed) ||
                                                 std::any_of(sensor_hosts.begin(), sensor_hosts.end(), failed));
          if (interrupted || in_vain) (*server)->stop();
        }
        return now;
      },
      [&](Moment next) { sleep_a_while(next, gateways, page ? page->wakes() : -1); });
  page.reset();
  log.status("", os::now());
  const bool recorded = (*record)->close(log);
  const auto& lost = (*server)->losses().all;  // the report names them
  for (std::size_t i = 0; i < clients.size(); ++i)
    if (const auto& client = clients[i];
        client->failure() && std::find(lost.begin(), lost.end(), names[i]) == lost.end())
      return complain(client->failure()->message(), kFailed);
  for (const auto& host : sensor_hosts)
    if (host->failure() && (*server)->run().ticks_done() == 0) return complain(host->failure()->message(), kFailed);
  RunReport report = gather(*scenario, std::move(source), **server, timer, arguments.threads);
  report.interrupted = interrupted;
  report.accept_losses = arguments.accept_losses;
  const int code = deliver(report, *report_file, arguments.json);
  return code == kOk && !recorded ? kFailed : code;
}

}  // namespace convoy::apps
