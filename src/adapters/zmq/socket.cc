#include "adapters/zmq/socket.h"

#include <zmq.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/check.h"

namespace convoy::zmq {

namespace {

int type_of(SocketOptions::Kind kind) {
  switch (kind) {
    case SocketOptions::Kind::kPublish: return ZMQ_XPUB;
    case SocketOptions::Kind::kListen: return ZMQ_SUB;
    case SocketOptions::Kind::kRoute: return ZMQ_ROUTER;
  }
  return -1;
}

std::int64_t largest_of(SocketOptions::Kind kind) {
  switch (kind) {
    case SocketOptions::Kind::kPublish: return kMaxSubscription;
    case SocketOptions::Kind::kListen: return kMaxMessage;
    case SocketOptions::Kind::kRoute: return kMaxRequestTaken;
  }
  return kMaxMessage;
}

void set(void* socket, int option, int value) { (void)zmq_setsockopt(socket, option, &value, sizeof value); }

}  // namespace

Context::Context() : context_(zmq_ctx_new()) { EXPECTS(context_ != nullptr); }
Context::~Context() {
  entrance_.reset();
  zmq_ctx_term(context_);
}

Entrance& Context::entrance() {
  if (!entrance_) entrance_ = std::make_unique<Entrance>(context_);
  return *entrance_;
}

Status check_secret_key(const std::string& key) {
  std::array<std::uint8_t, 32> raw{};
  if (key.size() == 40 && zmq_z85_decode(raw.data(), key.c_str())) return {};
  return fail(ErrorCode::kInvalid, "the secret key for ZeroMQ is not one of CURVE: 40 characters of Z85");
}

Result<Socket> Socket::open(Context& context, const SocketOptions& o) {
  Socket out(zmq_socket(context.get(), type_of(o.kind)), o.kind);
  if (!out.socket_) return fail(ErrorCode::kInternal, std::string("no ZeroMQ socket: ") + zmq_strerror(zmq_errno()));
  void* s = out.socket_;
  set(s, ZMQ_LINGER, 0);
  set(s, ZMQ_SNDHWM, o.queue);
  set(s, ZMQ_RCVHWM, o.kind == SocketOptions::Kind::kPublish ? kSubscriptionsWaiting : o.queue);
  set(s, ZMQ_IPV6, o.address.rfind('[', 0) == 0);
  set(s, ZMQ_HANDSHAKE_IVL, kHandshakeMs);
  if (o.kind == SocketOptions::Kind::kRoute) set(s, ZMQ_RCVHWM, kRequestsWaiting);
  const std::int64_t most = largest_of(o.kind);
  if (o.bind) (void)zmq_setsockopt(s, ZMQ_MAXMSGSIZE, &most, sizeof most);
  if (o.each_one) set(s, ZMQ_XPUB_VERBOSE, 1);
  if (o.kind == SocketOptions::Kind::kListen) (void)zmq_setsockopt(s, ZMQ_SUBSCRIBE, o.prefix.data(), o.prefix.size());
  if (!o.secret_key.empty()) {
    if (auto ok = check_secret_key(o.secret_key); !ok) return tl::unexpected(ok.error());
    set(s, ZMQ_CURVE_SERVER, 1);
    (void)zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, o.secret_key.c_str(), o.secret_key.size() + 1);
  }
  if (o.bind && o.admits) {
    out.entrance_ = &context.entrance();
    out.entrance_->guard(s, o.admits);
  }
  const std::string endpoint = "tcp://" + o.address;
  if ((o.bind ? zmq_bind : zmq_connect)(s, endpoint.c_str()) == 0) return out;
  const int error = zmq_errno();
  if (error == EADDRINUSE) return fail(ErrorCode::kUnavailable, o.address + " is taken (ZeroMQ)");
  return fail(ErrorCode::kInvalid, "ZeroMQ cannot use " + o.address + ": " + zmq_strerror(error));
}

Socket::~Socket() {
  if (!socket_) return;
  if (entrance_) Entrance::leave(socket_);
  zmq_close(socket_);
}

void Socket::send(std::string_view topic, ByteView payload) {
  if (zmq_send(socket_, topic.data(), topic.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) return;
  (void)zmq_send(socket_, payload.data(), payload.size(), ZMQ_DONTWAIT);
}

void Socket::set_queue(int messages) { set(socket_, ZMQ_SNDHWM, messages); }

void Socket::send(std::string_view whole) { (void)zmq_send(socket_, whole.data(), whole.size(), ZMQ_DONTWAIT); }

void Socket::send(const std::vector<Bytes>& envelope, ByteView payload) {
  for (const Bytes& part : envelope)
    if (zmq_send(socket_, part.data(), part.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) return;
  (void)zmq_send(socket_, payload.data(), payload.size(), ZMQ_DONTWAIT);
}

int Socket::descriptor() const {
  int out = -1;
  std::size_t size = sizeof out;
  return zmq_getsockopt(socket_, ZMQ_FD, &out, &size) == 0 ? out : -1;
}

bool Socket::is_of_stranger(void* message) const {
  return entrance_ && kind_ != SocketOptions::Kind::kPublish && !entrance_->admitted(message);
}

bool Socket::receive(std::vector<Bytes>& parts) {
  parts.clear();
  for (bool more = true; more;) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, socket_, ZMQ_DONTWAIT) < 0) {
      zmq_msg_close(&part);
      return false;  // the parts of a message arrive together
    }
    const auto* data = static_cast<const std::uint8_t*>(zmq_msg_data(&part));
    if (parts.size() < kMaxParts) parts.emplace_back(data, data + zmq_msg_size(&part));
    more = zmq_msg_more(&part) != 0;
    if (!more && is_of_stranger(&part)) parts.clear();
    zmq_msg_close(&part);
  }
  return true;
}

}  // namespace convoy::zmq
