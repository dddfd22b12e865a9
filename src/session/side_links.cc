#include "session/side_links.h"

#include "convoy/control.pb.h"
#include "core/check.h"
#include "session/membership.h"

namespace convoy {

Bytes side_hello(SideLink what, Owner connection, const Token& token) {
  EXPECTS(connection != kNobody);
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  proto::Bulk* whose = what == SideLink::kBulk ? hello.mutable_bulk() : hello.mutable_life();
  whose->set_connection(connection.value());
  whose->set_token(token.data(), token.size());
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  return out;
}

}  // namespace convoy
