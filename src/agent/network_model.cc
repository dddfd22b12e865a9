#include "agent/network_model.h"

#include "core/random.h"

namespace convoy {

std::optional<Instant> due(const NetworkModel& network, std::uint64_t seed, Duration tick, const Message& message,
                           WorldNumber receiver) {
  Instant at = message.sent + tick + network.delay;
  if (network.loss <= 0 && network.jitter.count() == 0) return at;
  // One block a (sender, receiver, message): the high word decides loss, the low one the jitter.
  const PhiloxBlock block = philox(stream_key(seed, message.from.value(), "network"), message.index, receiver.value());
  if (static_cast<double>(block.high >> 11) * 0x1p-53 < network.loss) return std::nullopt;
  if (network.jitter.count() > 0)
    at += Duration(static_cast<std::int64_t>(block.low % static_cast<std::uint64_t>(network.jitter.count() + 1)));
  return at;
}

}  // namespace convoy
