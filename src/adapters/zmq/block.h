// The block of ports that one client's streams and calls use, and what all of them share.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "adapters/zmq/socket.h"
#include "agent/gateway.h"

namespace convoy::zmq {

inline constexpr std::uint16_t kBlock = 20;  // ports that one client uses
// Places in it. Those for cameras follow kCameraPort, but for that of calls, and are bound when there are cameras.
inline constexpr int kStatePort = 0, kControlPort = 1, kInfoPort = 2, kCameraPort = 3, kCallsPort = 4;
inline constexpr std::array kBoundAtOnce{kStatePort, kControlPort, kInfoPort, kCallsPort};
inline constexpr int kMaxMessagesAtOnce = 10'000;                            // messages read at one time
inline constexpr std::size_t kMaxRequestBytesAtOnce = std::size_t{8} << 20;  // the rest waits for the next time
inline constexpr std::size_t kMaxPrefixes = 10'000;                          // that peers may subscribe to

struct Block {
  std::string listen = "127.0.0.1";
  std::uint16_t port = 5555;  // the first
  std::string secret_key;     // CURVE; empty: in the clear
  Admits admits;              // who may connect; empty: everybody

  SocketOptions socket(SocketOptions::Kind kind, int place) const;
  // Where programs of this machine find what listens at that place.
  std::string address(int place) const;
};

// What passed the streams, and why something that came was dropped, whole or in part.
struct StreamsCounters {
  std::uint64_t received = 0, published = 0;
  std::uint64_t malformed = 0, unknown_topic = 0, unknown_robot = 0, unknown_actuator = 0, not_finite = 0, too_many = 0;
  std::uint64_t leased = 0, denied = 0, strangers = 0;
  std::uint64_t dropped() const {
    return malformed + unknown_topic + unknown_robot + unknown_actuator + not_finite + too_many + leased + denied +
           strangers;
  }
  std::vector<GatewayCount> list() const;
  std::string text() const;
};

// The topics that the peers of one publishing socket have subscribed to, by their beginnings.
class Subscriptions {
 public:
  // Reads what they have sent. True: a subscription has come or gone.
  template <class Publishing>
  bool take(Publishing& socket) {
    bool any = false;
    for (int i = 0; i < kMaxMessagesAtOnce && socket.receive(parts_); ++i)
      if (!parts_.empty() && !parts_[0].empty()) any = true, apply(parts_[0]);
    return any;
  }
  bool cover(const std::string& topic) const;

 private:
  void apply(ByteView message);

  std::set<std::string> prefixes_;
  std::vector<Bytes> parts_;
};

}  // namespace convoy::zmq
