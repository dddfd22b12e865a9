// One link's life: connecting, reading, writing, leaving.
#include <fmt/format.h>
#include <netinet/tcp.h>
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

constexpr std::size_t kPieces = 32;  // of a queue in one call of the kernel

constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;

void no_delay(int fd) {
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

NetLoop::Engine::Link* NetLoop::Engine::find(LinkId id) {
  const auto at = links_.find(id);
  return at == links_.end() ? nullptr : at->second.get();
}

NetLoop::Engine::Link& NetLoop::Engine::add_link(Descriptor socket, State state, const Endpoint& peer) {
  auto link =
      std::unique_ptr<Link>(new Link{.id = next_id_++, .socket = std::move(socket), .state = state, .peer = peer});
  Link& out = *link;
  links_.emplace(out.id, std::move(link));
  if (state == State::kOpen) {
    no_delay(out.socket.get());
    watch(out);
  }
  return out;
}

// Registers with epoll what the link waits for, if that has changed.
void NetLoop::Engine::watch(Link& link) {
  std::uint32_t wanted = EPOLLOUT;
  if (link.state != State::kConnecting) {
    wanted = (link.ended ? 0U : std::uint32_t{EPOLLIN}) | (link.waiting ? std::uint32_t{EPOLLOUT} : 0U);
  }
  if (link.watched == wanted) return;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = link.id;
  // A new socket is not known yet; what is watched is never 0 before that.
  const int operation = link.watched == 0 && !link.ended ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  ::epoll_ctl(epoll_.get(), operation, link.socket.get(), &event);
  link.watched = wanted;
}

void NetLoop::Engine::on_link(LinkId id, std::uint32_t events) {
  Link* link = find(id);
  if (link == nullptr) return;  // gone since epoll reported it
  if (link->state == State::kConnecting) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(link->socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    return on_connected(id, error);
  }
  if (link->waiting && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
    on_writable(id);
    link = find(id);
    if (link == nullptr) return;
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  if (link->ended) return erase(id);  // and now its other side is gone too
  read(*link);
}

void NetLoop::Engine::erase(LinkId id) {
  const auto at = links_.find(id);
  if (at == links_.end()) return;
  if (at->second->state != State::kConnecting) ++counters.links_closed;
  links_.erase(at);  // closes the socket, and epoll forgets it
}

Endpoint NetLoop::Engine::peer(LinkId id) const {
  const auto at = links_.find(id);
  return at == links_.end() ? Endpoint{} : at->second->peer;
}

// ---- connecting

LinkId NetLoop::Engine::connect(const std::optional<Endpoint>& peer) {
  now_ = now();
  const bool full = links_.size() >= options_.max_links;
  Link& link = add_link(Descriptor(), State::kConnecting, peer.value_or(server));
  link.targets = peer ? std::vector{*peer} : calls.targets;
  if (link.targets.empty() || full) {
    ++counters.connects_failed;
    doom(link, full ? "too many connections" : "no server was named to connect to");
    return link.id;
  }
  link.chore_at = now_ + options_.connect_timeout;
  chores_.push({link.chore_at, link.id});
  try_connect(link);
  if (role_ == nullptr) arm();
  return link.id;
}

void NetLoop::Engine::try_connect(Link& link) {
  link.peer = link.targets[link.candidate];
  const int family = family_of(link.peer);
  const SocketAddress address = to_socket_address(link.peer, family);
  link.socket = Descriptor();  // that of the last candidate
  link.watched = 0;
  link.socket = open_tcp_from(calls.from, family);
  if (link.socket && (::connect(link.socket.get(), address.get(), address.size) == 0 || errno == EINPROGRESS)) {
    return watch(link);
  }
  // Never from inside the caller's callback.
  (void)post([this, id = link.id, error = errno] { on_connected(id, error); });  // else the timeout reports it
}

void NetLoop::Engine::on_connected(LinkId id, int error) {
  Link* link = find(id);
  if (link == nullptr || link->state != State::kConnecting || link->doomed) return;
  now_ = now();
  if (error != 0) {
    if (link->candidate + 1 < link->targets.size()) {
      ++link->candidate;
      return try_connect(*link);
    }
    connect_failed(id, link_trouble(link->peer, error));
    return input_done();
  }
  no_delay(link->socket.get());
  link->state = State::kOpen;
  watch(*link);
  link->chore_at = kNever;
  if (server != link->peer) {  // another of the host's addresses answered: datagrams go there too
    Result<Descriptor> udp = open_udp_towards(link->peer, calls.from);
    if (udp) assign_udp(std::move(*udp));
    server = link->peer;
  }
  ++counters.links_opened;
  if (link->queued() > 0) mark_dirty(*link);
  if (role_ == nullptr) return close(id);
  role_->on_opened(id, now_);
  input_done();
}

// At top level only.
void NetLoop::Engine::connect_failed(LinkId id, const std::string& why) {
  ++counters.connects_failed;
  if (last_trouble != why) say(LogLevel::kInfo, why);  // a peer that dials again and again is logged once
  last_trouble = why;
  erase(id);
  if (role_ != nullptr) {
    role_->on_closed(id, now_);
    role_->on_time(now_);
  }
}

// ---- reading

// Once a turn, so that a fast peer does not keep the others waiting.
void NetLoop::Engine::read(Link& link) {
  const LinkId id = link.id;
  const ssize_t n = ::recv(link.socket.get(), in_.get(), kReadChunk, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const int error = n < 0 ? errno : 0;
  now_ = now();
  if (n <= 0) {
    if (!link.doomed) lose(id, error);  // a doomed one is reported by settle()
    return input_done();
  }
  counters.bytes_in += static_cast<std::uint64_t>(n);
  if (link.state != State::kOpen || link.doomed || role_ == nullptr) return;  // no role takes them
  role_->on_bytes(id, {in_.get(), static_cast<std::size_t>(n)}, now_);
  input_done();
}

// The peer has ended its side (error 0) or is gone. What was sent before still goes to one that only ended its side.
void NetLoop::Engine::lose(LinkId id, int error) {
  Link* link = find(id);
  const bool owned = link->state == State::kOpen;
  const bool orderly = error == 0 && !link->broken;
  link->ended = true;
  if (owned) {
    last_trouble = error == 0 ? fmt::format("{} ended the connection", endpoint_text(link->peer))
                              : link_trouble(link->peer, error);
    say(LogLevel::kDebug, last_trouble);
  }
  if (!orderly || (link->queued() == 0 && !owned)) {
    erase(id);
  } else {
    watch(*link);
    if (owned) leave(*link);
  }
  if (owned && role_ != nullptr) role_->on_closed(id, now_);
}

// ---- leaving

void NetLoop::Engine::close(LinkId id) {
  Link* link = find(id);
  if (link == nullptr || link->state == State::kLeaving) return;
  if (link->state == State::kConnecting) return erase(id);
  leave(*link);
}

// The owner knows the link no more; it stays until its queue is empty and the peer has ended too, because closing a
// socket with unread input resets the connection and may destroy what the peer has not read yet.
void NetLoop::Engine::leave(Link& link) {
  link.state = State::kLeaving;
  link.leave_by = now_ + kLingerLimit;
  link.left_at_chore = link.queued();
  link.chore_at = now_ + kLingerTime;
  chores_.push({link.chore_at, link.id});
  mark_dirty(link);
}

void NetLoop::Engine::linger(Link& link) {
  const bool moves = link.queued() > 0 && link.queued() < link.left_at_chore;
  if (!moves || now_ >= link.leave_by) return erase(link.id);
  link.left_at_chore = link.queued();
  link.chore_at = now_ + kLingerTime;
  chores_.push({link.chore_at, link.id});
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
  link.out.clear();
  doomed_.push_back(link.id);
}

template <class B>
void NetLoop::Engine::send(LinkId id, const B& bytes) {
  constexpr bool kShared = std::is_same_v<B, SharedBytes>;
  const ByteView view = [&]() -> ByteView {
    if constexpr (kShared) return *bytes;
    else return bytes;
  }();
  Link* link = find(id);
  if (link == nullptr || link->state == State::kLeaving || link->doomed || link->broken || view.empty()) return;
  const bool direct = link->state == State::kOpen && !link->waiting && link->queued() + view.size() >= kDirectWrite;
  if (direct && !kShared) {
    write_now(*link, view);
  } else {
    link->out.append(bytes);
    if (direct) write_now(*link, {});
  }
  if (link->queued() > options_.send_queue_limit) {
    ++counters.links_overflowed;
    return doom(*link, fmt::format("{} does not take its data; closed with {} bytes waiting", endpoint_text(link->peer),
                                   link->queued()));
  }
  if (link->queued() > 0 && !link->waiting) mark_dirty(*link);
}
template void NetLoop::Engine::send(LinkId, const ByteView&);
template void NetLoop::Engine::send(LinkId, const SharedBytes&);

std::size_t NetLoop::Engine::backlog(LinkId id) const {
  const auto at = links_.find(id);
  return at == links_.end() || at->second->state == State::kLeaving ? 0 : at->second->queued();
}

// One call of the kernel. 0: it takes no more now, or the link is broken.
std::size_t NetLoop::Engine::write_some(Link& link, ByteView extra) {
  iovec parts[kPieces + 1];
  std::size_t n = link.out.pieces(parts, kPieces);
  if (!extra.empty() && n < kPieces) parts[n++] = {const_cast<std::uint8_t*>(extra.data()), extra.size()};
  msghdr head{};
  head.msg_iov = parts;
  head.msg_iovlen = n;
  const int fd = link.socket.get();
  while (true) {
    const ssize_t sent =
        n == 1 ? ::send(fd, parts[0].iov_base, parts[0].iov_len, kSendFlags) : ::sendmsg(fd, &head, kSendFlags);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) link.broken = true;  // what the peer sent last can still be read
    return 0;
  }
}

// Writes the queue and then `extra`, as far as the kernel takes them without waiting; what is left is queued.
void NetLoop::Engine::write_now(Link& link, ByteView extra) {
  std::size_t slice = 0;
  while (link.queued() + extra.size() > 0 && slice < kWriteSlice) {
    const std::size_t sent = write_some(link, extra);
    if (sent == 0) break;
    counters.bytes_out += sent;
    slice += sent;
    const std::size_t from_queue = std::min(sent, link.queued());
    link.out.consume(from_queue);
    extra = extra.subspan(sent - from_queue);
  }
  if (link.broken) link.out.clear();
  else link.out.append(extra);
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
    return watch(link);
  }
  if (link.state != State::kLeaving) return;
  if (link.broken || link.ended) return erase(link.id);
  if (!std::exchange(link.fin_sent, true)) ::shutdown(link.socket.get(), SHUT_WR);
}

void NetLoop::Engine::on_writable(LinkId id) {
  Link* link = find(id);
  if (link == nullptr) return;
  now_ = now();
  link->waiting = false;
  flush(*link);
  if (link = find(id); link != nullptr) watch(*link);
  const bool drained = link != nullptr && link->state == State::kOpen && link->queued() == 0;
  if (drained) return input_done();
  settle();
}

}  // namespace convoy::os
