// A participant of eProsima's Fast DDS, over UDP alone.
//
// Its shared memory is left out: that of version 2.9 ends the process when a newer one, as ROS 2 Jazzy has it, is on the
// same machine. Peers that have it talk UDP to us.
//
// Threads: Fast DDS's own call what is in the .cc; they note under a mutex what has come and ring the descriptor.
#pragma once

#include <functional>

#include "adapters/ros2/wire.h"
#include "core/ports.h"

namespace convoy::ros2 {

// Whom it looks for (ROS_AUTOMATIC_DISCOVERY_RANGE; kLoopback: ROS_LOCALHOST_ONLY of Humble and before).
enum class Reach : std::uint8_t { kSubnet, kLocalhost, kLoopback };

struct ParticipantOptions {
  std::uint32_t domain = 0;
  std::string name;       // for people
  std::string user_data;  // "enclave=/;..."
  Reach reach = Reach::kSubnet;
  std::vector<std::string> peers;  // addresses that are asked besides (ROS_STATIC_PEERS)
  // Of silence, and others take it for lost. It announces itself four times as often.
  Duration lease = std::chrono::seconds(20);
};

inline constexpr std::uint32_t kMaxDomain = 232;  // whose ports are below 65536

// kUnavailable: no socket can be opened, or the domain's ports are all taken. `log` gets the library's own warnings, from any
// thread, and outlives all participants.
Result<std::unique_ptr<Wire>> open_participant(const ParticipantOptions& options, Log& log);

}  // namespace convoy::ros2
