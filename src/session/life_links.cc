#include "session/life_links.h"

#include <algorithm>

#include "convoy/control.pb.h"
#include "core/check.h"
#include "session/session.h"

namespace convoy {

namespace {

bool is_plain(ByteView text) {
  return text.size() <= kMaxBusyText &&
         std::none_of(text.begin(), text.end(), [](std::uint8_t byte) { return byte < 0x20 || byte == 0x7f; });
}

}  // namespace

void LifeLinks::open(Owner peer, LinkId link, FrameReader reader) {
  EXPECTS(peer != kNobody && link != 0 && !by_link_.count(link));
  drop(peer);
  by_link_[link] = peer;
  Peer& opened = peers_[peer];
  opened = {link, std::move(reader), {}};
  read(peer, opened);
}

std::optional<Owner> LifeLinks::peer_of(LinkId link) const {
  const auto it = by_link_.find(link);
  return it == by_link_.end() ? std::nullopt : std::optional(it->second);
}

void LifeLinks::on_bytes(LinkId link, ByteView bytes) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  Peer& from = peers_.at(*peer);
  from.reader.feed(bytes);
  read(*peer, from);
}

void LifeLinks::read(Owner from, Peer& peer) {
  FrameHeader header;
  ByteView payload;
  while (peer.reader.next(header, payload)) {
    if (header.type != FrameType::kHeartbeat) drops_.count(header.type ? Drop::kUnexpected : Drop::kUnknownType);
    else if (is_plain(payload)) peer.busy_with = as_text(payload);
    else drops_.count(Drop::kMalformed);
  }
  if (const auto trouble = peer.reader.trouble(); trouble != FrameReader::Trouble::kNone) {
    drops_.count(drop_of(trouble));
    drop(from);
  }
}

void LifeLinks::on_closed(LinkId link) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  peers_.erase(*peer);
  by_link_.erase(link);
}

void LifeLinks::drop(Owner peer) {
  const auto it = peers_.find(peer);
  if (it == peers_.end()) return;
  network_.close(it->second.link);
  by_link_.erase(it->second.link);
  peers_.erase(it);
}

std::string LifeLinks::busy_with(Owner peer) const {
  const auto it = peers_.find(peer);
  return it == peers_.end() ? "" : it->second.busy_with;
}

Bytes life_hello(const Session& session) {
  EXPECTS(session.welcome());
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.mutable_life()->set_connection(session.number().value());
  hello.mutable_life()->set_token(session.token().data(), session.token().size());
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  return out;
}

Bytes life_sign(std::string_view busy_with) {
  Bytes out;
  put_frame(out, FrameType::kHeartbeat, 0, 0, as_bytes(busy_with.substr(0, kMaxBusyText)));
  return out;
}

}  // namespace convoy
