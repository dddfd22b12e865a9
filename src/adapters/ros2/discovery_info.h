// Which nodes a participant has, as ROS 2 tells it on `ros_discovery_info` (rmw_dds_common/msg/ParticipantEntitiesInfo).
//
// Humble's ids have 24 bytes, of which the last eight are zero; Iron's and later ones' 16. A peer of the one kind cannot read
// the other, so it is a setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/ros2/wire.h"

namespace convoy::ros2 {

inline constexpr const char* kDiscoveryTopic = "ros_discovery_info";
inline constexpr const char* kDiscoveryType = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";
inline constexpr std::size_t kMaxNodesTold = 10'000;  // of one participant, by a stranger

enum class GidSize : std::uint8_t { kHumble = 24, kIron = 16 };

struct NodeEntities {
  std::string ns, name;  // "/scout", "robot"
  std::vector<Guid> readers, writers;
  friend bool operator==(const NodeEntities&, const NodeEntities&) = default;
};
struct ParticipantEntities {
  Guid participant{};
  std::vector<NodeEntities> nodes;
  friend bool operator==(const ParticipantEntities&, const ParticipantEntities&) = default;
};

Bytes encode(const ParticipantEntities& told, GidSize size);
// Of either size. kInvalid: it is neither.
Result<ParticipantEntities> decode_entities(ByteView cdr);

}  // namespace convoy::ros2
