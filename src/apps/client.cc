// convoy client: a robot client, which owns robots and runs them.
#include "roles/client.h"
#include "apps/arguments.h"
#include "apps/library_folders.h"
#include "apps/network.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "apps/zmq.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/clock.h"
#include "os/handler_pool.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/process_report.h"
#include "os/sign_of_life.h"
#include "os/thread_pool.h"
#include "plugins/sensor_libraries.h"

namespace convoy::apps {

int client(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  os::NetLoopOptions net;
  net.connect = arguments.connect;
  net.log = &log;
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);

  ClientOptions options;
  options.session.name = arguments.name;
  options.session.build = engines::build_text();
  options.session.fingerprint = engines::numeric_fingerprint();
  options.session.credentials = os::credentials(arguments.credentials.text, **loop);
  options.session.datagrams = true;
  options.session.server = (*loop)->server_endpoint();
  options.faults.corrupt_state_at = arguments.corrupt_state_at;
  options.stopwatch = [] { return static_cast<std::uint64_t>(nanos(os::now().time_since_epoch())); };
  options.process = os::process_report;
  os::SignOfLife life;  // while a callback keeps this thread, too
  options.welcomed = [&](const Session& session) {
    life.begin({.server = (*loop)->server_endpoint(),
                .hello = side_hello(SideLink::kLife, session.number(), session.token()),
                .sign = [] { return life_sign(os::is_traced(os::process_id()) ? std::string(kTraced) : busy_with()); },
                .every = Listening::most(session.liveness())});
  };
  const auto physics = make_physics(library_folders(arguments));
  const auto rays = engines::ray_casters();
  const auto pictures = engines::picture_maker();
  const auto software = software_factory(arguments.log_level, library_folders(arguments));
  SensorLibraries sensors(library_folders(arguments));
  std::unique_ptr<Gateway> streams;
  if (arguments.zmq.port != 0) {
    const auto zmq = zmq_options(arguments.zmq);
    if (!zmq) return complain(zmq.error().message(), kUsage);
    auto opened = open_streams(*zmq, log);
    if (!opened) return complain(opened.error().message(), kUsage);
    streams = std::move(*opened);
    options.gateway = streams.get();
  }
  for (int descriptor : streams ? streams->descriptors() : std::vector<int>{}) (*loop)->watch(descriptor);
  os::ThreadPool pool(arguments.threads);
  os::HandlerPool compilers(1, [&loop] { (void)(*loop)->post([] {}); });
  options.handlers = &compilers;
  ClientRole role(options, **loop, pool,
                  AgentParts{*physics, software.get(), rays.get(), nullptr, &sensors, pictures.get()}, log);
  const auto interrupted = drive(**loop, role, [&] { role.stop(); });
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  if (*interrupted) return kInterrupted;
  if (const auto failure = role.failure()) {
    const std::string& trouble = (*loop)->last_trouble();
    return complain(failure->message() + (role.session().welcome() || trouble.empty() ? "" : ": " + trouble), kFailed);
  }
  return kOk;
}

}  // namespace convoy::apps
