#include "session/side_links.h"

#include "convoy/control.pb.h"
#include "core/check.h"
#include "session/membership.h"

namespace convoy {

Bytes side_hello(SideLink what, Owner connection, const Token& token) {
  EXPECTS(connection != kNobody);
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  proto::Bulk* whose = what == SideLink::kBulk   ? hello.mutable_bulk()
                       : what == SideLink::kLife ? hello.mutable_life()
                                                 : hello.mutable_relay();
  whose->set_connection(connection.value());
  whose->set_token(token.data(), token.size());
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  return out;
}

void SideLinks::open(SideLink what, Owner peer, LinkId link, FrameReader reader) {
  switch (what) {
    case SideLink::kBulk: return assets_.open(peer, link, std::move(reader));
    case SideLink::kLife: return life_.open(peer, link, std::move(reader));
    case SideLink::kRelay: return relay_.open(peer, link, std::move(reader));
  }
}

void SideLinks::on_bytes(LinkId link, ByteView bytes) {
  if (relay_.peer_of(link)) relay_.on_bytes(link, bytes);
  else assets_.peer_of(link) ? assets_.on_bytes(link, bytes) : life_.on_bytes(link, bytes);
}

void SideLinks::on_closed(LinkId link) {
  if (relay_.peer_of(link)) relay_.on_closed(link);
  else assets_.peer_of(link) ? assets_.on_closed(link) : life_.on_closed(link);
}

}  // namespace convoy
