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
    client.stopwatch = [] { return static_cast<std::uint64_t>(nanos(os::now().time_since_epoch())); };
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
