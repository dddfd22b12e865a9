// A member's link to the server for samples that the server passes on, beside its control link: the member's side.
//
//   relay.want(me, token);                    // from now on: it is opened, and again when it breaks
//   if (relay.up()) relay.send(type, payload);
#pragma once

#include <optional>

#include "core/peer_network.h"
#include "session/drops.h"
#include "wire/datagram.h"
#include "wire/frame.h"

namespace convoy {

class RelayLink {
 public:
  static constexpr Duration kPause = std::chrono::milliseconds(200);  // from a link that ended to the next one

  // Both outlive it.
  RelayLink(Network& network, Drops& drops) : network_(network), drops_(drops) {}

  // The connection's number and token.
  void want(Owner me, const Token& token);
  bool up() const { return up_; }
  void send(FrameType type, ByteView payload);  // it must be up
  bool has(LinkId link) const { return link != 0 && link == link_; }
  void on_opened();
  // `take(type, payload)` is called for each frame; false: it is none that may come there, and the link is closed.
  template <class Take>
  void on_bytes(ByteView bytes, Moment now, const Take& take) {
    reader_.feed(bytes);
    FrameHeader header;
    ByteView payload;
    while (link_ != 0 && reader_.next(header, payload))
      if (!header.type || !take(*header.type, payload)) return drops_.count(Drop::kUnexpected), close(now);
    if (link_ == 0 || reader_.trouble() == FrameReader::Trouble::kNone) return;
    drops_.count(drop_of(reader_.trouble()));
    close(now);
  }
  void on_closed(Moment now);
  void on_time(Moment now);
  Moment deadline() const { return wanted_ && link_ == 0 ? next_ : kNever; }

 private:
  struct Wanted {
    Owner me = kNobody;
    Token token{};
  };
  void close(Moment now);

  Network& network_;
  Drops& drops_;
  std::optional<Wanted> wanted_;
  LinkId link_ = 0;
  bool up_ = false;
  FrameReader reader_;
  Moment next_{};
};

}  // namespace convoy
