// The modelled network between agents: decides when, and whether, a message arrives. A pure function of seed, sender,
// receiver and message.
#pragma once

#include <optional>

#include "world/network_model.h"
#include "world/traffic.h"

namespace convoy {

// The instant of delivery, or nothing if the message is lost. At least one tick after it was sent.
std::optional<Instant> due(const NetworkModel& network, std::uint64_t seed, Duration tick, const Message& message,
                           WorldNumber receiver);

}  // namespace convoy
