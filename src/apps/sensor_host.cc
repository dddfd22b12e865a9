// convoy sensor-host: computes samples of heavy sensors for the robots of others.
#include "roles/sensor_host.h"

#include "apps/arguments.h"
#include "apps/library_folders.h"
#include "apps/network.h"
#include "apps/users_code.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/sign_of_life.h"
#include "os/thread_pool.h"
#include "plugins/sensor_libraries.h"

namespace convoy::apps {

int sensor_host(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::NetLoopOptions net;
  net.connect = arguments.connect;
  net.log = &log;
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);

  SensorHostOptions options;
  options.session.name = arguments.name;
  options.session.build = engines::build_text();
  options.session.fingerprint = engines::numeric_fingerprint();
  options.session.credentials = os::credentials(arguments.credentials.text, **loop);
  options.session.server = (*loop)->server_endpoint();
  options.slow = std::chrono::milliseconds(arguments.run.slow_ms);
  os::SignOfLife life;  // while a sample keeps this thread, too
  options.welcomed = [&](const Session& session) {
    life.begin({.server = (*loop)->server_endpoint(),
                .hello = side_hello(SideLink::kLife, session.number(), session.token()),
                .sign = [] { return life_sign(os::is_traced(os::process_id()) ? std::string(kTraced) : ""); },
                .every = Listening::most(session.liveness())});
  };
  const auto physics = make_physics(library_folders(arguments));
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  SensorLibraries sensors(library_folders(arguments));
  os::ThreadPool pool(arguments.threads);
  SensorHostRole role(options, **loop, pool,
                      AgentParts{*physics, nullptr, rays.get(), nullptr, &sensors, pictures.get()}, log);
  const auto interrupted = drive(**loop, role, [&] { role.stop(); });
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  log.line(LogLevel::kInfo, std::to_string(role.samples()) + " samples computed");
  if (*interrupted) return kInterrupted;
  if (const auto failure = role.failure()) {
    const std::string& trouble = (*loop)->last_trouble();
    return complain(failure->message() + (role.session().welcome() || trouble.empty() ? "" : ": " + trouble), kFailed);
  }
  return kOk;
}

}  // namespace convoy::apps
