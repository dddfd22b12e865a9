#include "adapters/zmq/block.h"

#include <fmt/format.h>

namespace convoy::zmq {

SocketOptions Block::socket(SocketOptions::Kind kind, int place) const {
  SocketOptions out;
  out.kind = kind;
  out.address = listen + ":" + std::to_string(port + place);
  out.secret_key = secret_key;
  out.admits = admits;
  return out;
}

std::string Block::address(int place) const {
  const bool everywhere = listen == "0.0.0.0" || listen == "*" || listen == "[::]";
  return fmt::format("tcp://{}:{}", everywhere ? "127.0.0.1" : listen, port + place);
}

std::string StreamsCounters::text() const {
  return fmt::format(
      "{} malformed, {} of unknown topics, {} for unknown robots, {} for unknown actuators, "
      "{} not finite, {} too many, {} for leased robots, {} without the right, {} of other users",
      malformed, unknown_topic, unknown_robot, unknown_actuator, not_finite, too_many, leased, denied, strangers);
}

std::vector<GatewayCount> StreamsCounters::list() const {
  return {{"zmq_received", received, false},
          {"zmq_published", published, false},
          {"zmq_malformed", malformed, true},
          {"zmq_unknown_topic", unknown_topic, true},
          {"zmq_unknown_robot", unknown_robot, true},
          {"zmq_unknown_actuator", unknown_actuator, true},
          {"zmq_not_finite", not_finite, true},
          {"zmq_too_many", too_many, true},
          {"zmq_leased", leased, true},
          {"zmq_denied", denied, true},
          {"zmq_strangers", strangers, true}};
}

// A byte, 1 or 0, and the prefix.
void Subscriptions::apply(ByteView message) {
  const std::string prefix(as_text(message.subspan(1)));
  if (message[0] == 0) prefixes_.erase(prefix);
  else if (prefixes_.size() < kMaxPrefixes) prefixes_.insert(prefix);
}

bool Subscriptions::cover(const std::string& topic) const {
  // No prefix of a text is sorted behind it.
  for (auto it = prefixes_.begin(); it != prefixes_.end() && *it <= topic; ++it)
    if (topic.starts_with(*it)) return true;
  return false;
}

}  // namespace convoy::zmq
