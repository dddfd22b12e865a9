#include "os/loop.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "core/check.h"
#include "os/clock.h"
#include "os/loop_engine.h"
#include "os/sockets.h"

namespace convoy::os {
namespace {

constexpr int kHandlersPerTurn = 64;  // between two looks at a role that is always due

std::chrono::steady_clock::time_point steady(Moment at) {
  return std::chrono::steady_clock::time_point(at.time_since_epoch());
}

}  // namespace

// ---- opening

Status NetLoop::Engine::open() {
  try {
    datagrams_ = std::make_unique<std::uint8_t[]>(kDatagramsPerWake * kMaxDatagram);
    return open_sockets();
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, fmt::format("the network loop cannot start: {}", e.what()));
  }
}

Status NetLoop::Engine::open_sockets() {
  if (!options_.listen.empty() && !options_.connect.empty()) {
    return fail(ErrorCode::kInvalid, "a network loop either listens or connects");
  }
  if (!options_.listen.empty()) {
    const Result<HostPort> where = parse_host_port(options_.listen);
    if (!where) return tl::unexpected<Error>(where.error());
    const Result<std::vector<Endpoint>> found = resolve(*where);
    if (!found) return tl::unexpected<Error>(found.error());
    Result<ListeningPair> pair = open_listening_pair(found->front());
    if (!pair) return tl::unexpected<Error>(pair.error());
    listening = pair->endpoint;
    const auto protocol = is_ipv4(listening) ? asio::ip::tcp::v4() : asio::ip::tcp::v6();
    error_code error;
    acceptor_.assign(protocol, pair->tcp.get(), error);
    if (error) return system_failure("listen on", endpoint_text(listening), error.value());
    pair->tcp.release();
    if (const Status ok = assign_udp(pair->udp.release()); !ok) return ok;
    start_accept();
  }
  if (!options_.connect.empty()) {
    const Result<HostPort> where = parse_host_port(options_.connect);
    if (!where) return tl::unexpected<Error>(where.error());
    if (where->port == 0) return fail(ErrorCode::kInvalid, "a server cannot be reached at port 0");
    Result<std::vector<Endpoint>> found = resolve(*where);
    if (!found) return tl::unexpected<Error>(found.error());
    targets_ = std::move(*found);
    server = targets_.front();
    Result<Descriptor> udp = open_udp_towards(server);
    if (!udp) return tl::unexpected<Error>(udp.error());
    if (const Status ok = assign_udp(udp->release()); !ok) return ok;
  }
  return {};
}

// Takes over the descriptor.
Status NetLoop::Engine::assign_udp(int fd) {
  Descriptor owner(fd);
  error_code error;
  if (udp_.is_open()) udp_.close(error);
  const bool v4 = is_ipv4(local_endpoint_of(fd));
  udp_family_ = v4 ? AF_INET : AF_INET6;
  udp_.assign(v4 ? asio::ip::udp::v4() : asio::ip::udp::v6(), fd, error);
  if (error) return system_failure("open", "a UDP socket", error.value());
  owner.release();
  wait_datagrams();
  return {};
}

// ---- the loop

Status NetLoop::Engine::run(Role& role) {
  EXPECTS(role_ == nullptr);
  role_ = &role;
  Status end;
  try {
    now_ = now();
    input_done();
    while (!stop_.load(std::memory_order_acquire) && !role.finished()) turn();
    if (!stop_.load(std::memory_order_acquire)) farewell();
  } catch (const std::exception& e) {
    end = fail(ErrorCode::kInternal, fmt::format("the network loop failed: {}", e.what()));
  }
  role_ = nullptr;
  return end;
}

// A role that is due is served between handlers, so that neither it nor the network starves; else the loop sleeps.
void NetLoop::Engine::turn() {
  if (!doomed_.empty() || role_->deadline() <= now_) {
    for (int i = 0; i < kHandlersPerTurn && io_.poll_one() > 0; ++i) {
    }
    now_ = now();
    input_done();
  } else if (options_.busy_poll > Duration::zero()) {
    spin();
  } else {
    io_.run_one();
  }
}

void NetLoop::Engine::spin() {
  const Moment until = now() + options_.busy_poll;
  while (io_.poll_one() == 0) {
    now_ = now();
    if (now_ >= role_->deadline()) return input_done();
    if (now_ >= until) {
      io_.run_one();
      return;
    }
  }
}

// What follows every input: the role looks at the time, and what it wants goes out.
void NetLoop::Engine::input_done() {
  if (role_ != nullptr) role_->on_time(now_);
  settle();
}

// Sends what is queued and reports links that had to go. Their reports may make more of both; that of the latter waits
// for the next turn, so that a role that reconnects to a wall still lets the loop run.
void NetLoop::Engine::settle() {
  const auto flush_all = [this] {
    std::swap(dirty_, flushing_);
    for (const LinkId id : flushing_) {
      Link* link = find(id);
      if (link == nullptr) continue;
      link->dirty = false;
      flush(*link);
    }
    flushing_.clear();
  };
  flush_all();
  if (!doomed_.empty()) {
    const std::vector<LinkId> gone = std::exchange(doomed_, {});
    for (const LinkId id : gone) {
      Link* link = find(id);
      if (link == nullptr) continue;  // closed by its owner in the meantime
      erase(id);
      if (role_ != nullptr) role_->on_closed(id, now_);
    }
    if (role_ != nullptr) role_->on_time(now_);
    flush_all();
  }
  arm();
}

// The role has finished: every link ends after what was sent. Chores bound the wait.
void NetLoop::Engine::farewell() {
  role_ = nullptr;
  error_code ignored;
  if (acceptor_.is_open()) acceptor_.close(ignored);
  std::vector<LinkId> all;
  for (const auto& [id, link] : links_) all.push_back(id);
  for (const LinkId id : all) close(id);
  settle();
  while (!links_.empty() && !stop_.load(std::memory_order_acquire)) io_.run_one();
}

void NetLoop::Engine::post(std::function<void()> work) {
  asio::post(io_, [this, work = std::move(work)] {
    now_ = now();
    work();
    input_done();
  });
}

void NetLoop::Engine::stop() {
  stop_.store(true, std::memory_order_release);
  asio::post(io_, [] {});
}

// ---- time

// One timer for everything. It is moved only to an earlier moment: a deadline that recedes with every message would
// otherwise cost a system call each time; so it may ring for nothing.
void NetLoop::Engine::arm() {
  Moment at = role_ != nullptr ? role_->deadline() : kNever;
  if (at <= now_) at = kNever;  // due at once: turn() does not sleep
  if (!chores_.empty()) at = std::min(at, chores_.top().at);
  if (at >= armed_) return;
  armed_ = at;
  timer_.expires_at(steady(at));
  timer_.async_wait([this](const error_code& error) {
    if (error) return;
    armed_ = kNever;
    now_ = now();
    do_chores();
    if (role_ != nullptr && role_->deadline() <= now_) role_->on_time(now_);
    settle();
  });
}

void NetLoop::Engine::schedule(LinkId id, Moment at) { chores_.push({at, id}); }

void NetLoop::Engine::do_chores() {
  while (!chores_.empty() && chores_.top().at <= now_) {
    const Chore chore = chores_.top();
    chores_.pop();
    if (chore.link == 0) {
      if (acceptor_.is_open()) start_accept();
      continue;
    }
    Link* link = find(chore.link);
    if (link == nullptr || link->chore_at != chore.at) continue;
    if (link->state == State::kConnecting) {
      connect_failed(link->id, fmt::format("no answer from {} within {:.3g} s", endpoint_text(link->peer),
                                           seconds(options_.connect_timeout)));
    } else if (link->state == State::kLeaving) {
      linger(*link);
    }
  }
}

// ---- accepting

void NetLoop::Engine::start_accept() {
  acceptor_.async_accept([this](const error_code& error, asio::ip::tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    on_accept(error, std::move(socket));
  });
}

void NetLoop::Engine::on_accept(const error_code& error, asio::ip::tcp::socket socket) {
  now_ = now();
  if (error) {
    const int e = error.value();
    if (e == EMFILE || e == ENFILE || e == ENOBUFS || e == ENOMEM) {
      ++counters.accept_pauses;
      if (quiet_for_a_second(last_accept_line_)) {
        say(LogLevel::kWarn, fmt::format("cannot accept connections for now: {}", errno_text(e)));
      }
      schedule(0, now_ + kAcceptPause);
      arm();
      return;
    }
  } else if (links_.size() >= options_.max_links || role_ == nullptr) {
    ++counters.links_refused;
    if (quiet_for_a_second(last_refused_line_)) {
      say(LogLevel::kWarn, fmt::format("more than {} connections; further ones are closed", options_.max_links));
    }
  } else {
    const LinkId id = add_link(std::move(socket), State::kOpen).id;
    ++counters.links_opened;
    role_->on_opened(id, now_);
    input_done();
    start_read(id);
  }
  if (acceptor_.is_open()) start_accept();
}

// ---- datagrams

void NetLoop::Engine::wait_datagrams() {
  udp_.async_wait(asio::ip::udp::socket::wait_read, [this](const error_code& error) {
    if (error == asio::error::operation_aborted) return;
    read_datagrams();
    wait_datagrams();
  });
}

// One batch, then links get their turn: asking to wait again reports what is still there.
void NetLoop::Engine::read_datagrams() {
  mmsghdr heads[kDatagramsPerWake];
  iovec vectors[kDatagramsPerWake];
  sockaddr_storage from[kDatagramsPerWake];
  for (std::size_t i = 0; i < kDatagramsPerWake; ++i) {
    vectors[i] = {datagrams_.get() + i * kMaxDatagram, kMaxDatagram};
    heads[i] = {};
    heads[i].msg_hdr.msg_iov = &vectors[i];
    heads[i].msg_hdr.msg_iovlen = 1;
    heads[i].msg_hdr.msg_name = &from[i];
    heads[i].msg_hdr.msg_namelen = sizeof(sockaddr_storage);
  }
  const int n = ::recvmmsg(udp_.native_handle(), heads, kDatagramsPerWake, MSG_DONTWAIT, nullptr);
  if (n <= 0 || role_ == nullptr) return;
  now_ = now();
  for (int i = 0; i < n; ++i) {
    if ((heads[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
      ++counters.datagrams_too_long;
      continue;
    }
    SocketAddress address;
    address.storage = from[i];
    address.size = heads[i].msg_hdr.msg_namelen;
    ++counters.datagrams_in;
    counters.datagram_bytes_in += heads[i].msg_len;
    role_->on_datagram(from_socket_address(address),
                       {datagrams_.get() + std::size_t(i) * kMaxDatagram, heads[i].msg_len}, now_);
  }
  input_done();
}

void NetLoop::Engine::send_datagram(const Endpoint& to, ByteView bytes) {
  if (!udp_.is_open() || (udp_family_ == AF_INET && !is_ipv4(to))) {
    ++counters.datagrams_unsent;
    return;
  }
  const SocketAddress address = to_socket_address(to, udp_family_);
  const ssize_t n = ::sendto(udp_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                             address.get(), address.size);
  if (n < 0) {
    ++counters.datagrams_unsent;
    return;
  }
  ++counters.datagrams_out;
  counters.datagram_bytes_out += bytes.size();
}

// ---- words

void NetLoop::Engine::say(LogLevel level, const std::string& text) {
  if (options_.log != nullptr) options_.log->line(level, text);
}

bool NetLoop::Engine::quiet_for_a_second(Moment& last) {
  if (last != Moment{} && now_ - last < std::chrono::seconds(1)) return false;
  last = now_;
  return true;
}

// ---- the door

NetLoop::NetLoop(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
NetLoop::~NetLoop() = default;

Result<std::unique_ptr<NetLoop>> NetLoop::open(const NetLoopOptions& options) {
  std::unique_ptr<Engine> engine;
  try {
    engine = std::make_unique<Engine>(options);
  } catch (const std::exception& e) {  // no descriptor left for epoll
    return fail(ErrorCode::kUnavailable, fmt::format("the network loop cannot start: {}", e.what()));
  }
  if (const Status ok = engine->open(); !ok) return tl::unexpected<Error>(ok.error());
  return std::unique_ptr<NetLoop>(new NetLoop(std::move(engine)));
}

Status NetLoop::run(Role& role) { return engine_->run(role); }
void NetLoop::post(std::function<void()> work) { engine_->post(std::move(work)); }
void NetLoop::stop() { engine_->stop(); }
void NetLoop::send(LinkId link, ByteView bytes) { engine_->send(link, bytes); }
void NetLoop::close(LinkId link) { engine_->close(link); }
void NetLoop::send_datagram(const Endpoint& to, ByteView bytes) { engine_->send_datagram(to, bytes); }
LinkId NetLoop::connect() { return engine_->connect(); }
std::size_t NetLoop::backlog(LinkId link) const { return engine_->backlog(link); }
Endpoint NetLoop::listening() const { return engine_->listening; }
Endpoint NetLoop::server_endpoint() const { return engine_->server; }
Endpoint NetLoop::peer(LinkId link) const { return engine_->peer(link); }
const NetCounters& NetLoop::counters() const { return engine_->counters; }
const std::string& NetLoop::last_trouble() const { return engine_->last_trouble; }

}  // namespace convoy::os
