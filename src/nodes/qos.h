// How a topic keeps its messages: the part of ROS 2's quality of service that changes what arrives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::nodes {

// What keep-all keeps at most, at one subscription; beyond it the oldest is dropped, as everywhere.
inline constexpr std::uint32_t kKeepAllDepth = 1u << 16;

struct QoS {
  std::uint32_t depth = 10;      // messages that wait at a subscription; 0 counts as 1
  bool keep_all = false;         // kKeepAllDepth instead
  bool reliable = true;          // nothing is ever lost here; it only decides who is connected
  bool transient_local = false;  // a late subscriber gets the last `depth` messages of each publisher

  friend bool operator==(const QoS&, const QoS&) = default;
  std::uint32_t bound() const { return keep_all ? kKeepAllDepth : depth == 0 ? 1 : depth; }
};

// DDS: an offer is good enough for a request. The word for what is missing, or null.
inline const char* missing(const QoS& offered, const QoS& requested) {
  if (requested.reliable && !offered.reliable) return "reliability";
  if (requested.transient_local && !offered.transient_local) return "durability";
  return nullptr;
}

}  // namespace convoy::nodes
