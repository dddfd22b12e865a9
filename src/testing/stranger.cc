#include "testing/stranger.h"

#include "convoy/control.pb.h"
#include "session/membership.h"

namespace convoy::testing {

void Stranger::on_opened(LinkId link, Moment) {
  Bytes out;
  if (random_.below(3) == 0) {
    out.resize(1 + random_.below(300));
    for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random_.bits());
    ++garbage_;
    return network_.send(link, out);
  }
  Token token{};
  for (std::uint8_t& byte : token) byte = static_cast<std::uint8_t>(random_.bits());
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.set_role(proto::ROBOT_CLIENT);
  hello.mutable_resume()->set_connection(1 + static_cast<std::uint32_t>(random_.below(4)));
  hello.mutable_resume()->set_token(token.data(), token.size());
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(hello.SerializeAsString()));
  ++wrong_tokens_;
  network_.send(link, out);
}

void Stranger::on_bytes(LinkId link, ByteView bytes, Moment) {
  FrameReader& reader = readers_[link];
  reader.feed(bytes);
  FrameHeader header;
  ByteView payload;
  while (reader.next(header, payload)) welcomed_ = welcomed_ || header.type == FrameType::kWelcome;
}

void Stranger::on_closed(LinkId link, Moment) { readers_.erase(link); }
void Stranger::on_datagram(const Endpoint&, ByteView, Moment) {}

void Stranger::on_time(Moment now) {
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(20 + static_cast<int>(random_.below(400)));
  if (random_.below(2) == 0) {
    network_.connect();
    return;
  }
  Bytes out(1 + random_.below(100));
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random_.bits());
  if (random_.below(2) == 0) {  // well formed, of a number that may be known, with a token that is not
    Token token{};
    token[0] = static_cast<std::uint8_t>(random_.bits());
    put_datagram(out, {random_.below(2) == 0 ? DatagramType::kGoodbye : DatagramType::kRegister, 0, 0,
                       Owner(1 + static_cast<std::uint32_t>(random_.below(4))), 1, 0, 0, token});
    ++wrong_tokens_;
  } else {
    ++garbage_;
  }
  network_.send_datagram(server_, out);
}

}  // namespace convoy::testing
