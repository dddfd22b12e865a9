// Topics that agents subscribe to, and services that they offer, for other agents to find.
//
// Part of the world: at one boundary it is the same on the server and on every host.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace convoy {

// A topic or service of one agent that nodes of other agents can reach.
struct Interface {
  enum class Kind : std::uint8_t { kSubscribes, kServes };
  Kind kind{};
  std::string name;  // full: "/courier_1/cmd_vel"
  std::string type;  // "geometry_msgs/msg/Twist"
  friend bool operator==(const Interface&, const Interface&) = default;
};
template <class V, MaybeConst<Interface> T>
void fields(V& v, T& i) {
  v("kind", i.kind), v("name", i.name), v("type", i.type);
}

// Of one agent; more are refused.
inline constexpr std::size_t kMaxInterfaces = 10'000;

class Directory {
 public:
  // Replaces all interfaces of the agent.
  void set(WorldNumber agent, std::vector<Interface> interfaces);
  void forget(WorldNumber agent) { set(agent, {}); }

  // Agents that subscribe to a topic, or offer a service, ascending.
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
