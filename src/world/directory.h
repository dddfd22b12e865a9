// Which topics agents hear, and which services they offer, beyond their own agent: what they have said of themselves.
//
// Part of the world: the same at a boundary for everybody, whoever runs the agents.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "world/setup.h"

namespace convoy {

// One name by which nodes of other agents reach an agent.
struct Interface {
  enum class Kind : std::uint8_t { kHears, kServes };
  Kind kind{};
  std::string name;  // full: "/courier_1/cmd_vel"
  std::string type;  // "geometry_msgs/msg/Twist"
  friend bool operator==(const Interface&, const Interface&) = default;
};
template <class V>
void fields(V& v, Interface& i) {
  v("kind", i.kind), v("name", i.name), v("type", i.type);
}

// Of one agent; more are refused.
inline constexpr std::size_t kMaxInterfaces = 10'000;

class Directory {
 public:
  // What an agent says replaces what it said before.
  void set(WorldNumber agent, std::vector<Interface> interfaces);
  void forget(WorldNumber agent) { set(agent, {}); }

  // Agents that hear a topic, or offer a service, ascending.
  std::span<const WorldNumber> who(Interface::Kind kind, std::string_view name) const;
  const std::map<WorldNumber, std::vector<Interface>>& all() const { return by_agent_; }
  // Grows with each change.
  std::uint64_t version() const { return version_; }

 private:
  std::map<WorldNumber, std::vector<Interface>> by_agent_;
  std::map<std::string, std::vector<WorldNumber>, std::less<>> by_name_[2];
  std::uint64_t version_ = 0;
};

}  // namespace convoy
