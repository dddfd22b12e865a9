// convoy sensor-host: computes samples of heavy sensors for the robots of others.
#include "roles/sensor_host.h"

#include "apps/arguments.h"
#include "apps/computing_peer.h"
#include "apps/network.h"
#include "apps/prepare.h"
#include "os/clock.h"
#include "os/thread_pool.h"

namespace convoy::apps {

int sensor_host(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  os::NetLoopOptions net;
  net.connect = arguments.connect;
  net.bind = arguments.bind;
  net.log = &log;
  auto loop = os::NetLoop::open(net);
  if (!loop) return complain(loop.error().message(), kUsage);

  SensorHostOptions options;
  options.session = peer_session(arguments, **loop);
  if (!arguments.run.no_direct_links) options.peers = loop->get();
  options.new_token = new_token;
  options.slow = std::chrono::milliseconds(arguments.run.slow_ms);
  options.stopwatch = os::stopwatch;
  os::SignOfLife life;  // while a sample keeps this thread, too
  options.welcomed = begin_signs(life, **loop, [] { return std::string(); });
  Makers makers(arguments);
  os::ThreadPool pool(arguments.threads);
  SensorHostRole role(options, **loop, pool, makers.parts(), log);
  const auto interrupted = drive(**loop, role, [&] { role.stop(); });
  if (!interrupted) return complain(interrupted.error().message(), kFailed);
  log.line(LogLevel::kInfo, std::to_string(role.counts().samples) + " samples computed, " +
                                std::to_string(role.counts().sent_directly) +
                                " of them sent straight to their robots' hosts");
  return *interrupted ? kInterrupted : peer_ended(role.session(), role.failure(), **loop);
}

}  // namespace convoy::apps
