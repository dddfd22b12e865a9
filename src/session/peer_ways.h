// A member's ways to other members beside its control link: direct links, and one link on which the server passes on.
//
//   if (ways.up(peer)) ways.send(peer, type, payload);   // directly where that is possible
//   else ways.by_server(me, token);                      // it will be up
#pragma once

#include "session/direct_links.h"
#include "session/relay_link.h"

namespace convoy {

class PeerWays {
 public:
  // As DirectLinks. What comes by the server is a direct_frame of kNobody: its payload says whose it is.
  PeerWays(Network& network, PeerNetwork* peers, DirectEvents& events, Drops& drops, Log& log,
           std::function<Token()> new_token = {})
      : events_(events), direct_(network, peers, events, drops, log, std::move(new_token)), relay_(network, drops) {}

  DirectLinks& direct() { return direct_; }
  // From now on there is a way by the server; the connection's own number and token.
  void by_server(Owner me, const Token& token) { relay_.want(me, token); }
  bool up(Owner peer) const { return direct_.up(peer) || relay_.up(); }
  // It must be up. True: directly.
  bool send(Owner peer, FrameType type, const Payload& payload) {
    if (!direct_.up(peer)) return relay_.send(type, payload), false;
    return direct_.send(peer, type, payload), true;
  }

  // Is it one of these? Before on_opened(), only one that was opened from here.
  bool has(LinkId link) const { return relay_.has(link) || direct_.has(link); }
  void on_opened(LinkId link, Moment now) { relay_.has(link) ? relay_.on_opened() : direct_.on_opened(link, now); }
  // The link must be one of these.
  void on_bytes(LinkId link, ByteView bytes, Moment now) {
    if (!relay_.has(link)) return direct_.on_bytes(link, bytes, now);
    relay_.on_bytes(bytes, now, [&](FrameType type, ByteView payload) {
      return events_.direct_frame(kNobody, type, payload, now);
    });
  }
  void on_closed(LinkId link, Moment now) { relay_.has(link) ? relay_.on_closed(now) : direct_.on_closed(link); }
  void on_time(Moment now) {
    direct_.on_time(now);
    relay_.on_time(now);
  }
  Moment deadline() const { return std::min(direct_.deadline(), relay_.deadline()); }

 private:
  DirectEvents& events_;
  DirectLinks direct_;
  RelayLink relay_;
};

}  // namespace convoy
