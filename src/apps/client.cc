// convoy client: a robot client, which owns robots and runs them.
#include "roles/client.h"
#include "agent/gateways.h"
#include "apps/arguments.h"
#include "apps/computing_peer.h"
#include "apps/library_folders.h"
#include "apps/network.h"
#include "apps/ros2.h"
#include "apps/software.h"
#include "apps/zmq.h"
#include "os/clock.h"
#include "os/handler_pool.h"
#include "os/process_report.h"
#include "os/thread_pool.h"

namespace convoy::apps {

namespace {

// What it has for other programs; null: nothing.
Result<std::unique_ptr<Gateway>> open_doors(const Arguments& arguments, UsersSensors& sensors, Log& log) {
  std::vector<std::unique_ptr<Gateway>> all;
  if (arguments.zmq.port != 0) {
    const auto zmq = zmq_options(arguments.zmq);
    if (!zmq) return tl::unexpected(zmq.error());
    auto opened = open_streams(*zmq, log);
    if (!opened) return tl::unexpected(opened.error());
    all.push_back(std::move(*opened));
  }
  if (arguments.ros2.on) {
    Ros2Arguments ros2 = arguments.ros2;
    if (ros2.run.empty()) ros2.run = arguments.connect;
    auto opened = open_ros2(std::span(&ros2, 1), sensors, log);
    if (!opened) return tl::unexpected(opened.error());
    all.push_back(std::move(opened->front()));
  }
  if (all.empty()) return nullptr;
  return std::make_unique<Gateways>(std::move(all));
}

}  // namespace

int client(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::raise_descriptor_limit();
  os::NetLoopOptions net;
  net.connect = arguments.connect;
  net.bind = arguments.bind;
  net.log = &log;
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);

  ClientOptions options;
  options.session = peer_session(arguments, **loop);
  options.session.datagrams = true;
  options.peers = loop->get();
  options.faults.corrupt_state_at = arguments.run.corrupt_state_at;
  options.stopwatch = os::stopwatch;
  options.process = os::process_report;
  os::SignOfLife life;  // while a callback keeps this thread, too
  options.welcomed = begin_signs(life, **loop, busy_with);
  Makers makers(arguments);
  const auto software = software_factory(arguments.log_level, library_folders(arguments));
  auto gateway = open_doors(arguments, makers.sensors(), log);
  if (!gateway) return complain(gateway.error().message(), kUsage);
  options.gateway = gateway->get();
  for (int descriptor : *gateway ? (*gateway)->descriptors() : std::vector<int>{}) (*loop)->watch(descriptor);
  os::ThreadPool pool(arguments.threads);
  os::HandlerPool compilers(1, [&loop] { (void)(*loop)->post([] {}); });
  options.handlers = &compilers;
  ClientRole role(options, **loop, pool, makers.parts(software.get()), log);
  const auto interrupted = drive(**loop, role, [&] { role.stop(); });
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  return *interrupted ? kInterrupted : peer_ended(role.session(), role.failure(), **loop);
}

}  // namespace convoy::apps
