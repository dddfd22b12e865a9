// ROS names: what a node, a namespace or a topic may be called, and the full name to which a relative one resolves.
//
//   resolve("scan", {.node = "slam", .space = "/robot_b"})     "/robot_b/scan"
//   resolve("~/map", ...)                                       "/robot_b/slam/map"
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "convoy/result.h"

namespace convoy::nodes {

inline constexpr std::size_t kMaxNameLength = 247;  // bytes of a full name, as in rmw

struct NodeName {
  std::string_view node;   // "slam"
  std::string_view space;  // "/" or "/robot_b"
};

enum class NameOf : std::uint8_t { kTopic, kService };

// A name given from outside instead of the one in the code; both are resolved before they are compared.
struct Remap {
  std::string from, to;
  bool topics = true, services = true;
};

Status check_node_name(std::string_view name);
Status check_namespace(std::string_view space);
// "/" + "slam" = "/slam", "/robot_b" + "slam" = "/robot_b/slam"
std::string full_node_name(const NodeName& name);
// The full name before remaps: relative to the namespace, "~" to the node; {node}, {ns} and {namespace} are replaced.
Result<std::string> expand(std::string_view name, const NodeName& node);
// The full name after the first remap that fits.
Result<std::string> resolve(std::string_view name, NameOf kind, const NodeName& node, std::span<const Remap> remaps);

}  // namespace convoy::nodes
