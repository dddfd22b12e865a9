// Links between two members of a run without the server in between: one takes them, the other opens one.
//
//   taking:   const auto secret = direct.offer(peer, now);        // goes to the peer by the server, which vouches for both
//   opening:  direct.open(me, peer, where, secret);
//   then:     if (direct.up(peer)) direct.send(peer, type, payload);
//
// A secret lets one peer in, once. Nothing on these links is acknowledged: what is under way when one breaks is lost, and
// both ends are told (direct_lost), each when it notices.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "core/peer_network.h"
#include "session/listening.h"
#include "session/peer_links.h"
#include "session/reception.h"
#include "wire/datagram.h"

namespace convoy {

namespace proto {
class Hello;
}

class DirectEvents {
 public:
  virtual ~DirectEvents() = default;
  // False: it is none that may come there, and the link is closed. kNobody: it came by the server (peer_ways.h).
  virtual bool direct_frame(Owner peer, FrameType type, ByteView payload, Moment now) = 0;
  virtual void direct_lost(Owner peer) = 0;
};

class DirectLinks {
 public:
  static constexpr Duration kFirstPause =
      std::chrono::seconds(1);  // to the next offer, if no link comes of one; doubles
  static constexpr Duration kLongestPause = std::chrono::seconds(64);

  // `peers` may be null: there are no such links then. `new_token`: 16 bytes that nobody guesses; only for offers.
  DirectLinks(Network& network, PeerNetwork* peers, DirectEvents& events, Drops& drops, Log& log,
              std::function<Token()> new_token = {});

  // A secret for a link that the peer shall open. Nothing: there is one, or one was offered lately.
  std::optional<Token> offer(Owner peer, Moment now);
  // `me`: the number under which the peer knows this side. A link that there is to the peer is closed.
  void open(Owner me, Owner peer, const Endpoint& where, const Token& secret);

  bool up(Owner peer) const { return links_.has(peer); }
  // It must be up.
  void send(Owner peer, FrameType type, const Payload& payload);

  // Is it one of these? Before on_opened(), only one that was opened from here.
  bool has(LinkId link) const;
  void on_opened(LinkId link, Moment now);
  // The link must be one of these.
  void on_bytes(LinkId link, ByteView bytes, Moment now);
  void on_closed(LinkId link);
  void on_time(Moment now);
  Moment deadline() const { return reception_.deadline(listening_, Listening::most(kLimit)); }

 private:
  static constexpr Duration kLimit = std::chrono::seconds(5);
  struct Dialed {
    Owner me = kNobody, peer = kNobody;
    Token secret{};
  };
  struct Offer {
    std::optional<Token> secret;
    Moment next{};
    Duration pause = kFirstPause;
  };
  void greet(LinkId link, ByteView hello, Moment now);
  void read(Owner peer, Moment now);
  void lose(Owner peer);

  Network& network_;
  PeerNetwork* peers_;
  DirectEvents& events_;
  Drops& drops_;
  std::function<Token()> new_token_;
  Reception reception_;
  Listening listening_;
  PeerLinks links_;
  std::map<LinkId, Dialed> dialed_;
  std::map<Owner, Offer> offers_;
};

}  // namespace convoy
