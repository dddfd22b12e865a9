// Robot clients in the server's own process, joined to it by links in memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roles/client.h"
#include "roles/embedded.h"
#include "roles/sensor_host.h"
#include "roles/server.h"

namespace convoy::apps {

// One for each name, in this order; faults of the server's options that are theirs go along. `gateways`: of them, or
// fewer.
std::vector<std::unique_ptr<ClientRole>> add_clients(Embedded& embedded, const std::vector<std::string>& names,
                                                     const ServerOptions& server, Executor& executor,
                                                     const AgentParts& parts, Log& log,
                                                     std::span<Gateway* const> gateways = {});

// Sensor hosts, likewise, behind `clients` clients.
std::vector<std::unique_ptr<SensorHostRole>> add_sensor_hosts(Embedded& embedded, std::size_t clients,
                                                              const std::vector<std::string>& names,
                                                              const ServerOptions& server, Executor& executor,
                                                              const AgentParts& parts, Log& log);

// Sleeps until then, 50 ms at most, or until one of the gateways has something to do, or that descriptor is readable.
void sleep_a_while(Moment until, std::span<Gateway* const> gateways = {}, int descriptor = -1);

}  // namespace convoy::apps
