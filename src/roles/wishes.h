// What a gateway wishes of the server, as calls of the control protocol, and the server's replies.
//
// Calls of its own words (GatewayWish::Kind::kCall) and their replies are JSON in the names of
// proto/convoy/control.proto, so that doors need no protobuf: {"delete_": {"names": ["crate"]}}. Replies have all fields
// that are numbers, text or lists, whatever they hold; 64-bit numbers are text, bytes base64.
#pragma once

#include <cstdint>
#include <set>

#include "agent/gateway.h"
#include "session/session.h"

namespace convoy {

class GatewayWishes {
 public:
  // Sends what it wishes. Calls that are none are answered here: kInvalid.
  void send(Gateway& gateway, const Fleet* fleet, Session& session);
  // The reply to one of them, for the gateway. False: it is no reply.
  bool take(ByteView payload, Gateway& gateway, const Fleet* fleet);

 private:
  std::set<std::uint64_t> calls_;  // kCall, not answered yet
};

}  // namespace convoy
