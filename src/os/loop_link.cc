// One link's life: connecting, reading, writing, leaving.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.h"
#include "os/loop_engine.h"
#include "os/sockets.h"

namespace convoy::os {
namespace {

constexpr std::size_t kDirectWrite = 64u << 10;  // queued bytes that do not wait for the end of the callback
constexpr std::size_t kWriteSlice = 1u << 20;    // bytes to one peer before the others get their turn

constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;

}  // namespace

NetLoop::Engine::Link* NetLoop::Engine::find(LinkId id) {
  const auto at = links_.find(id);
  return at == links_.end() ? nullptr : at->second.get();
}

NetLoop::Engine::Link& NetLoop::Engine::add_link(asio::ip::tcp::socket socket, State state) {
  auto link = std::unique_ptr<Link>(new Link{.id = next_id_++, .socket = std::move(socket), .state = state});
  if (state == State::kOpen) {
    error_code ignored;
    link->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    SocketAddress address;
    if (::getpeername(link->socket.native_handle(), address.get(), &address.size) == 0) {
      link->peer = from_socket_address(address);
    }
  }
  Link& out = *link;
  links_.emplace(out.id, std::move(link));
  return out;
}

void NetLoop::Engine::erase(LinkId id) {
  const auto at = links_.find(id);
  if (at == links_.end()) return;
  if (at->second->state != State::kConnecting) ++counters.links_closed;
  links_.erase(at);  // closes the socket; its handlers come back with "aborted" and find no link
}

Endpoint NetLoop::Engine::peer(LinkId id) const {
  const auto at = links_.find(id);
  return at == links_.end() ? Endpoint{} : at->second->peer;
}

// ---- connecting

LinkId NetLoop::Engine::connect() {
  now_ = now();
  const bool full = links_.size() >= options_.max_links;
  Link& link = add_link(asio::ip::tcp::socket(io_), State::kConnecting);
  if (targets_.empty() || full) {
    ++counters.connects_failed;
    doom(link, full ? "too many connections" : "no server was named to connect to");
    return link.id;
  }
  link.chore_at = now_ + options_.connect_timeout;
  schedule(link.id, link.chore_at);
  try_connect(link);
  if (role_ == nullptr) arm();
  return link.id;
}

void NetLoop::Engine::try_connect(Link& link) {
  link.peer = targets_[link.candidate];
  const int family = family_of(link.peer);
  error_code error;
  if (link.socket.is_open()) link.socket.close(error);
  link.socket.open(family == AF_INET ? asio::ip::tcp::v4() : asio::ip::tcp::v6(), error);
  if (error) {
    const LinkId id = link.id;
    asio::post(io_, [this, id, error] { on_connected(id, error); });
    return;
  }
  const SocketAddress address = to_socket_address(link.peer, family);
  asio::ip::tcp::endpoint to;
  to.resize(address.size);
  std::copy_n(reinterpret_cast<const std::uint8_t*>(address.get()), address.size,
              reinterpret_cast<std::uint8_t*>(to.data()));
  link.socket.async_connect(to, [this, id = link.id, candidate = link.candidate](const error_code& e) {
    const Link* current = find(id);
    if (current == nullptr || current->candidate != candidate) return;
    on_connected(id, e);
  });
}

void NetLoop::Engine::on_connected(LinkId id, const error_code& error) {
  Link* link = find(id);
  if (link == nullptr || link->state != State::kConnecting || link->doomed) return;
  now_ = now();
  if (error) {
    if (link->candidate + 1 < targets_.size()) {
      ++link->candidate;
      return try_connect(*link);
    }
    connect_failed(id, link_trouble(link->peer, error.value()));
    return input_done();
  }
  error_code ignored;
  link->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  link->state = State::kOpen;
  link->chore_at = kNever;
  if (server != link->peer) {  // another of the host's addresses answered: datagrams go there too
    Result<Descriptor> udp = open_udp_towards(link->peer);
    if (udp) (void)assign_udp(udp->release());
    server = link->peer;
  }
  ++counters.links_opened;
  if (link->queued() > 0) mark_dirty(*link);
  if (role_ == nullptr) return close(id);
  role_->on_opened(id, now_);
  input_done();
  start_read(id);
}

// At top level only.
void NetLoop::Engine::connect_failed(LinkId id, const std::string& why) {
  ++counters.connects_failed;
  last_trouble = why;
  say(LogLevel::kInfo, why);
  erase(id);
  if (role_ != nullptr) {
    role_->on_closed(id, now_);
    role_->on_time(now_);
  }
}

// ---- reading

void NetLoop::Engine::start_read(LinkId id) {
  Link* link = find(id);
  if (link == nullptr || link->ended) return;
  if (link->in == nullptr) link->in = std::unique_ptr<std::uint8_t[]>(new std::uint8_t[kReadChunk]);
  // A read that does not fill the buffer tells Asio that the socket is empty: the next one waits without trying.
  link->socket.async_read_some(asio::buffer(link->in.get(), kReadChunk),
                               [this, id](const error_code& error, std::size_t n) { on_read(id, error, n); });
}

void NetLoop::Engine::on_read(LinkId id, const error_code& error, std::size_t n) {
  Link* link = find(id);
  if (link == nullptr) return;
  now_ = now();
  if (error) {
    if (link->doomed) return;  // settle() reports it
    lose(id, error);
    return input_done();
  }
  counters.bytes_in += n;
  if (link->state == State::kOpen && !link->doomed && role_ != nullptr) {
    role_->on_bytes(id, {link->in.get(), n}, now_);
    input_done();
  }  // else nobody wants them
  start_read(id);
}

// The peer has ended its side or is gone. What was sent before still goes to a peer that only ended its side.
void NetLoop::Engine::lose(LinkId id, const error_code& error) {
  Link* link = find(id);
  const bool owned = link->state == State::kOpen;
  const bool orderly = error == asio::error::eof && !link->broken;
  link->ended = true;
  if (owned) {
    last_trouble = error == asio::error::eof ? fmt::format("{} ended the connection", endpoint_text(link->peer))
                                             : link_trouble(link->peer, error.value());
    say(LogLevel::kDebug, last_trouble);
  }
  if (!orderly || (link->queued() == 0 && !owned)) {
    erase(id);
  } else if (owned) {
    leave(*link);
  }
  if (owned && role_ != nullptr) role_->on_closed(id, now_);
}

// ---- leaving

void NetLoop::Engine::close(LinkId id) {
  Link* link = find(id);
  if (link == nullptr || link->state == State::kLeaving) return;
  if (link->state == State::kConnecting) return erase(id);
  leave(*link);  // a broken one too: the role may be reading from its buffer
}

// The owner knows the link no more; it stays until its queue is empty and the peer has ended too, because closing a
// socket with unread input resets the connection and may destroy what the peer has not read yet.
void NetLoop::Engine::leave(Link& link) {
  link.state = State::kLeaving;
  link.leave_by = now_ + kLingerLimit;
  link.left_at_chore = link.queued();
  link.chore_at = now_ + kLingerTime;
  schedule(link.id, link.chore_at);
  mark_dirty(link);
}

void NetLoop::Engine::linger(Link& link) {
  const bool moves = link.queued() > 0 && link.queued() < link.left_at_chore;
  if (!moves || now_ >= link.leave_by) return erase(link.id);
  link.left_at_chore = link.queued();
  link.chore_at = now_ + kLingerTime;
  schedule(link.id, link.chore_at);
}

// ---- writing

void NetLoop::Engine::mark_dirty(Link& link) {
  if (std::exchange(link.dirty, true)) return;
  dirty_.push_back(link.id);
}

void NetLoop::Engine::doom(Link& link, const std::string& why) {
  if (std::exchange(link.doomed, true)) return;
  last_trouble = why;
  say(LogLevel::kWarn, why);
  link.out = {};
  link.head = 0;
  doomed_.push_back(link.id);
}

void NetLoop::Engine::send(LinkId id, ByteView bytes) {
  Link* link = find(id);
  if (link == nullptr || link->state == State::kLeaving || link->doomed || link->broken || bytes.empty()) return;
  const bool direct = link->state == State::kOpen && !link->waiting && link->queued() + bytes.size() >= kDirectWrite;
  if (direct) {
    write_now(*link, bytes);
  } else {
    link->out.insert(link->out.end(), bytes.begin(), bytes.end());
  }
  if (link->queued() > options_.send_queue_limit) {
    ++counters.links_overflowed;
    return doom(*link, fmt::format("{} does not take its data; closed with {} bytes waiting", endpoint_text(link->peer),
                                   link->queued()));
  }
  if (link->queued() > 0 && !link->waiting) mark_dirty(*link);
}

std::size_t NetLoop::Engine::backlog(LinkId id) const {
  const auto at = links_.find(id);
  return at == links_.end() || at->second->state == State::kLeaving ? 0 : at->second->queued();
}

// Writes the queue and then `extra`, as far as the kernel takes them without waiting; what is left is queued.
void NetLoop::Engine::write_now(Link& link, ByteView extra) {
  std::size_t slice = 0;
  while (link.queued() + extra.size() > 0 && slice < kWriteSlice) {
    iovec parts[2] = {{link.out.data() + link.head, link.queued()},
                      {const_cast<std::uint8_t*>(extra.data()), extra.size()}};
    const std::size_t first = parts[0].iov_len == 0 ? 1 : 0;
    msghdr head{};
    head.msg_iov = parts + first;
    head.msg_iovlen = first == 1 || extra.empty() ? 1 : 2;
    const int fd = link.socket.native_handle();
    const ssize_t n = head.msg_iovlen == 1 ? ::send(fd, head.msg_iov->iov_base, head.msg_iov->iov_len, kSendFlags)
                                           : ::sendmsg(fd, &head, kSendFlags);
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) link.broken = true;  // what the peer sent last can still be read
      break;
    }
    counters.bytes_out += static_cast<std::uint64_t>(n);
    slice += static_cast<std::size_t>(n);
    const std::size_t from_queue = std::min(static_cast<std::size_t>(n), link.queued());
    link.head += from_queue;
    extra = extra.subspan(static_cast<std::size_t>(n) - from_queue);
  }
  if (link.broken || link.queued() == 0) {
    link.out.clear();
    link.head = 0;
    if (link.out.capacity() > kDirectWrite * 4) link.out.shrink_to_fit();
  } else if (link.head > kDirectWrite && link.head > link.out.size() / 2) {
    link.out.erase(link.out.begin(), link.out.begin() + static_cast<std::ptrdiff_t>(link.head));
    link.head = 0;
  }
  if (!link.broken) link.out.insert(link.out.end(), extra.begin(), extra.end());
}

// At top level only: may end a link that is leaving.
void NetLoop::Engine::flush(Link& link) {
  if (link.doomed) {
    if (link.state == State::kLeaving) erase(link.id);
    return;
  }
  if (link.state == State::kConnecting || link.waiting) return;
  if (link.queued() > 0 && !link.broken) write_now(link, {});
  if (link.queued() > 0) {
    link.waiting = true;
    link.socket.async_wait(asio::ip::tcp::socket::wait_write, [this, id = link.id](const error_code& error) {
      if (error != asio::error::operation_aborted) on_writable(id);
    });
    return;
  }
  if (link.state != State::kLeaving) return;
  if (link.broken || link.ended) return erase(link.id);
  if (!std::exchange(link.fin_sent, true)) ::shutdown(link.socket.native_handle(), SHUT_WR);
}

void NetLoop::Engine::on_writable(LinkId id) {
  Link* link = find(id);
  if (link == nullptr) return;
  now_ = now();
  link->waiting = false;
  flush(*link);
  link = find(id);
  const bool drained = link != nullptr && link->state == State::kOpen && link->queued() == 0;
  if (drained) return input_done();
  settle();
}

}  // namespace convoy::os
