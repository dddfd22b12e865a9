#include "apps/embedded_clients.h"

#include <poll.h>

#include <algorithm>

#include "os/clock.h"
#include "os/machine.h"

namespace convoy::apps {

std::vector<std::unique_ptr<ClientRole>> add_clients(Embedded& embedded, const std::vector<std::string>& names,
                                                     const ServerOptions& server, Executor& executor,
                                                     const AgentParts& parts, Log& log,
                                                     std::span<Gateway* const> gateways) {
  std::vector<std::unique_ptr<ClientRole>> clients;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ClientOptions client;
    client.session.name = names[i];
    client.session.build = server.membership.build;
    client.session.fingerprint = server.membership.fingerprint;
    client.session.datagrams = true;
    client.stopwatch = os::stopwatch;
    client.process = [] {
      HostReport report;
      report.pid = static_cast<std::uint64_t>(os::process_id());
      return report;
    };
    for (const Fault& fault : server.faults)
      if (fault.kind == FaultKind::kCorruptState && fault.host == names[i]) client.faults.corrupt_state_at = fault.at;
    if (i < gateways.size()) client.gateway = gateways[i];
    clients.push_back(std::make_unique<ClientRole>(client, embedded.add_client(), executor, parts, log));
    embedded.set_client(i, *clients.back());
  }
  return clients;
}

std::vector<std::unique_ptr<SensorHostRole>> add_sensor_hosts(Embedded& embedded, std::size_t clients,
                                                              const std::vector<std::string>& names,
                                                              const ServerOptions& server, Executor& executor,
                                                              const AgentParts& parts, Log& log) {
  std::vector<std::unique_ptr<SensorHostRole>> out;
  for (const std::string& name : names) {
    SensorHostOptions options;
    options.session.name = name;
    options.session.build = server.membership.build;
    options.session.fingerprint = server.membership.fingerprint;
    options.stopwatch = os::stopwatch;
    out.push_back(std::make_unique<SensorHostRole>(options, embedded.add_client(), executor, parts, log));
    embedded.set_client(clients + out.size() - 1, *out.back());
  }
  return out;
}

void sleep_a_while(Moment until, std::span<Gateway* const> gateways, int descriptor) {
  const Moment now = os::now();
  if (until <= now) return;
  const auto most = std::chrono::milliseconds(50);
  const Duration left = until == kNever ? Duration(most) : std::min<Duration>(until - now, most);
  timespec t{nanos(left) / 1'000'000'000, nanos(left) % 1'000'000'000};
  std::vector<pollfd> watched{{descriptor, POLLIN, 0}};
  for (const Gateway* gateway : gateways)
    for (const int one : gateway->descriptors()) watched.push_back({one, POLLIN, 0});
  ppoll(watched.data(), watched.size(), &t, nullptr);
}

}  // namespace convoy::apps
