#include "roles/server.h"

#include <cstring>

#include "convoy/control.pb.h"
#include "core/check.h"
#include "fuzz/targets.h"

namespace convoy::fuzz {

namespace {

class Nowhere final : public Network {
 public:
  void send(LinkId, ByteView) override {}
  void close(LinkId link) override { closed = closed || link == 1; }
  void send_datagram(const Endpoint&, ByteView) override {}
  LinkId connect() override { return 0; }
  std::size_t backlog(LinkId) const override { return 0; }

  bool closed = false;
};

class NoLog final : public Log {
 public:
  void line(LogLevel, const std::string&) override {}
};

Bytes hello(proto::Role role) {
  proto::Hello h;
  h.set_protocol(kProtocolVersion), h.set_build("b"), h.set_role(role), h.set_name("member"), h.set_datagrams(true);
  Bytes out;
  put_frame(out, FrameType::kHello, 0, 0, as_bytes(h.SerializeAsString()));
  return out;
}

void put(Bytes& out, std::uint8_t what, const Bytes& payload) {
  out.push_back(what);
  out.push_back(static_cast<std::uint8_t>(payload.size() & 0xff));
  out.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
  out.insert(out.end(), payload.begin(), payload.end());
}

Bytes request(const std::function<void(proto::Request&)>& fill) {
  proto::Request r;
  r.set_id(1);
  fill(r);
  const std::string text = r.SerializeAsString();
  return {text.begin(), text.end()};
}

}  // namespace

// The first byte: the role, and free mode. Then u8 type | u16 size | payload: a frame in order, with its checksum, or for
// type 255 a datagram from a registered endpoint, for 254 time that passes.
bool server(ByteView input) {
  if (input.empty()) return false;
  Nowhere network;
  NoLog log;
  ServerOptions options;
  options.membership.build = "b";
  options.membership.new_token = [] { return Token{1, 2, 3}; };
  options.membership.free_mode = (input[0] & 8) != 0;
  options.membership.udp_port = 1;
  options.hosts = {"member"};
  options.elements.by_tick = !options.membership.free_mode;
  auto made = ServerRole::make(small_setup(), options, network, log);
  EXPECTS(made);
  ServerRole& role = **made;
  Moment now = Moment{} + std::chrono::seconds(1);
  const Endpoint from{0, 1, 9};
  role.on_opened(1, now);
  role.on_bytes(1, hello(static_cast<proto::Role>(1 + input[0] % 5)), now);
  std::uint32_t seq = 0, datagram = 0;
  std::size_t at = 1;
  while (at + 3 <= input.size() && !network.closed) {
    const std::uint8_t what = input[at];
    const std::size_t size = std::min<std::size_t>(input[at + 1] | input[at + 2] << 8, input.size() - at - 3);
    const ByteView payload = input.subspan(at + 3, size);
    at += 3 + size;
    if (what == 254) {
      now += std::chrono::milliseconds(size + 1);
    } else if (what == 255 && size > 0) {
      Datagram d;
      d.type = static_cast<DatagramType>(payload[0]), d.connection = Owner(1), d.seq = ++datagram;
      d.payload = payload.subspan(1);
      Bytes bytes;
      if (put_datagram(bytes, d)) role.on_datagram(from, bytes, now);
    } else {
      Bytes bytes;
      put_frame(bytes, static_cast<FrameType>(what), ++seq, 0, payload);
      role.on_bytes(1, bytes, now);
    }
    role.on_time(now);
  }
  return at == input.size() && !network.closed;
}

std::vector<Bytes> server_seeds() {
  const auto type = [](FrameType t) { return static_cast<std::uint8_t>(t); };
  const Token token{1, 2, 3};
  Bytes registers{static_cast<std::uint8_t>(DatagramType::kRegister)};
  registers.insert(registers.end(), token.begin(), token.end());
  std::vector<Bytes> out;
  for (const std::uint8_t first : {0, 1, 3, 4, 8, 12}) {
    Bytes bytes{first};
    put(bytes, 255, registers);
    put(bytes, type(FrameType::kReady), {});
    put(bytes, 254, {});
    put(bytes, type(FrameType::kRequest), request([](proto::Request& r) { r.mutable_status(); }));
    put(bytes, type(FrameType::kRequest), request([](proto::Request& r) {
          r.set_id(2);
          auto* one = r.mutable_spawn()->add_entities();
          one->set_name("new"), one->set_model("box"), one->mutable_pose()->mutable_q()->set_w(1);
        }));
    put(bytes, 254, Bytes(20, 0));
    out.push_back(std::move(bytes));
  }
  return out;
}

}  // namespace convoy::fuzz
