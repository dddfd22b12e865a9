#include "os/loop.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "os/clock.h"
#include "os/loop_engine.h"
#include "os/sockets.h"

namespace convoy::os {
namespace {

constexpr int kEventsPerWake = 64;
constexpr int kAcceptsPerWake = 16;
constexpr int kWakesPerStep = 64;  // beyond its time, while there is more to do

// What an event is about: a link's number, or one of these.
constexpr std::uint64_t kAcceptMark = ~0ULL, kDatagramMark = ~1ULL, kTimerMark = ~2ULL, kBellMark = ~3ULL,
                        kOutsideMark = ~4ULL;

timespec to_timespec(Moment at) {
  const std::int64_t ns = std::max<std::int64_t>(at.time_since_epoch().count(), 1);  // 0 would disarm
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

// Has nothing been said for a second, which begins anew then?
bool quiet_for_a_second(Moment& last, Moment now) {
  if (last != Moment{} && now - last < std::chrono::seconds(1)) return false;
  last = now;
  return true;
}

}  // namespace

// ---- opening

Status NetLoop::Engine::open() {
  epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  timer_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !timer_ || !bell_) return system_failure("start", "the network loop", errno);
  // Edge-triggered: each expiry and each ring is reported once, and nothing has to be read.
  watch_special(EPOLL_CTL_ADD, timer_, EPOLLIN | EPOLLET, kTimerMark);
  watch_special(EPOLL_CTL_ADD, bell_, EPOLLIN | EPOLLET, kBellMark);
  in_ = std::unique_ptr<std::uint8_t[]>(new std::uint8_t[kReadChunk]);
  return open_sockets();
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
    Result<ListeningPair> pair = open_listening_pair(found->front(), options_.before_listening);
    if (!pair) return tl::unexpected<Error>(pair.error());
    listening = pair->endpoint;
    acceptor_ = std::move(pair->tcp);
    watch_special(EPOLL_CTL_ADD, acceptor_, EPOLLIN, kAcceptMark);
    assign_udp(std::move(pair->udp));
  }
  if (!options_.connect.empty()) {
    const Result<HostPort> where = parse_host_port(options_.connect);
    if (!where) return tl::unexpected<Error>(where.error());
    if (where->port == 0) return fail(ErrorCode::kInvalid, "a server cannot be reached at port 0");
    if (!options_.bind.empty()) {
      const Result<std::vector<Endpoint>> own = resolve({options_.bind, 0});
      if (!own) return tl::unexpected<Error>(own.error());
      calls.from = own->front();
    }
    Result<std::vector<Endpoint>> found = resolve(*where);
    if (!found) return tl::unexpected<Error>(found.error());
    calls.targets = std::move(*found);
    server = calls.targets.front();
    Result<Descriptor> udp = open_udp_towards(server, calls.from);
    if (!udp) return tl::unexpected<Error>(udp.error());
    assign_udp(std::move(*udp));
  }
  return {};
}

std::optional<Endpoint> NetLoop::Engine::take_links(LinkId beside) {
  if (acceptor_) return listening;
  const Link* link = find(beside);
  if (!link || !link->socket) return {};
  Endpoint where = local_endpoint_of(link->socket.get());
  where.port = 0;
  Result<Descriptor> acceptor = open_listener(where);
  if (!acceptor) return say(LogLevel::kWarn, acceptor.error().message()), std::nullopt;
  acceptor_ = std::move(*acceptor);
  listening = local_endpoint_of(acceptor_.get());
  watch_special(EPOLL_CTL_ADD, acceptor_, EPOLLIN, kAcceptMark);
  return listening;
}

void NetLoop::Engine::assign_udp(Descriptor fd) {
  port_.close();  // first, so that epoll forgets it
  port_.open(std::move(fd), options_.offload);
  watch_special(EPOLL_CTL_ADD, port_.descriptor(), EPOLLIN, kDatagramMark);
}

void NetLoop::Engine::watch_special(int operation, const Descriptor& fd, std::uint32_t events, std::uint64_t mark) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = mark;
  ::epoll_ctl(epoll_.get(), operation, fd.get(), &event);
}

void NetLoop::Engine::watch_outside(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = kOutsideMark;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
}

// ---- the loop

Status NetLoop::Engine::run(Role& role) {
  EXPECTS(role_ == nullptr);
  role_ = &role;
  now_ = now();
  input_done();
  while (!stop_.load(std::memory_order_acquire) && !role.finished()) turn();
  if (!stop_.load(std::memory_order_acquire)) farewell();
  role_ = nullptr;
  return {};
}

void NetLoop::Engine::step(Role& role, Duration timeout, const std::function<bool()>& until_true) {
  EXPECTS(role_ == nullptr);
  role_ = &role;
  now_ = now();
  const Moment until = now_ + timeout;
  input_done();
  int wakes = 0, handled = 0;
  do {
    const bool due = !doomed_.empty() || role.deadline() <= now_ || now_ >= until;
    handled = pump(due ? 0 : static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now_).count()));
    now_ = now();
    input_done();
  } while (!role.finished() && !(until_true && until_true()) &&
           (now_ < until || (handled > 0 && ++wakes < kWakesPerStep)));
  role_ = nullptr;
}

// A role that is due is served between events, so that neither it nor the network starves; else the loop sleeps.
void NetLoop::Engine::turn() {
  if (!doomed_.empty() || role_->deadline() <= now_) {
    pump(0);
    now_ = now();
    input_done();
  } else if (options_.busy_poll > Duration::zero()) {
    spin();
  } else {
    pump(-1);
  }
}

void NetLoop::Engine::spin() {
  const Moment until = now() + options_.busy_poll;
  while (pump(0) == 0) {
    now_ = now();
    if (now_ >= role_->deadline()) return input_done();
    if (now_ >= until) {
      pump(-1);
      return;
    }
  }
}

// Waits for events and handles them; returns how many. Those left over when the role finishes are reported again.
int NetLoop::Engine::pump(int timeout_ms) {
  epoll_event events[kEventsPerWake];
  const int n = ::epoll_wait(epoll_.get(), events, kEventsPerWake, timeout_ms);
  for (int i = 0; i < n; ++i) {
    dispatch(events[i]);
    if (stop_.load(std::memory_order_acquire) || (role_ != nullptr && role_->finished())) break;
  }
  return n;
}

void NetLoop::Engine::dispatch(const epoll_event& event) {
  switch (event.data.u64) {
    case kAcceptMark: return accept_some();
    case kDatagramMark: return read_datagrams();
    case kTimerMark: return on_timer();
    case kBellMark: return run_posted();
    case kOutsideMark: now_ = now(); return input_done();
    default: return on_link(event.data.u64, event.events);
  }
}

// What follows every input: the role is given the time, and what it wants goes out.
void NetLoop::Engine::input_done() {
  if (role_ != nullptr) role_->on_time(now_);
  settle();
}

void NetLoop::Engine::flush_all() {
  std::swap(dirty_, flushing_);
  for (const LinkId id : flushing_) {
    Link* link = find(id);
    if (link == nullptr) continue;
    link->dirty = false;
    flush(*link);
  }
  flushing_.clear();
  port_.flush();
}

// Sends what is queued and reports links that had to go. Their reports may make more of both; that of the latter waits
// for the next turn, so that a role that reconnects to a wall still lets the loop run.
void NetLoop::Engine::settle() {
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
  acceptor_ = Descriptor();
  std::vector<LinkId> all;
  for (const auto& [id, link] : links_) all.push_back(id);
  for (const LinkId id : all) close(id);
  settle();
  while (!links_.empty() && !stop_.load(std::memory_order_acquire)) pump(-1);
}

void NetLoop::Engine::ring() {
  const std::uint64_t one = 1;
  (void)!::write(bell_.get(), &one, sizeof one);
}

bool NetLoop::Engine::post(std::function<void()> work) {
  const std::lock_guard lock(posted_mutex_);
  if (posted_.size() >= kMaxPosted) return false;
  posted_.push_back(std::move(work));
  if (posted_.size() == 1) ring();
  return true;
}

void NetLoop::Engine::run_posted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(posted_mutex_);
    work.swap(posted_);
  }
  if (work.empty()) return;
  now_ = now();
  for (const auto& one : work) one();
  input_done();
}

void NetLoop::Engine::stop() {
  stop_.store(true, std::memory_order_release);
  ring();
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
  itimerspec wanted{};
  wanted.it_value = to_timespec(at);
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &wanted, nullptr);
}

void NetLoop::Engine::on_timer() {
  armed_ = kNever;
  now_ = now();
  do_chores();
  if (role_ != nullptr && role_->deadline() <= now_) role_->on_time(now_);
  settle();
}

void NetLoop::Engine::do_chores() {
  while (!chores_.empty() && chores_.top().at <= now_) {
    const Chore chore = chores_.top();
    chores_.pop();
    if (chore.link == 0) {
      if (acceptor_) watch_special(EPOLL_CTL_MOD, acceptor_, EPOLLIN, kAcceptMark);
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

void NetLoop::Engine::accept_some() {
  now_ = now();
  for (int i = 0; i < kAcceptsPerWake && acceptor_; ++i) {
    SocketAddress address;
    Descriptor socket(::accept4(acceptor_.get(), address.get(), &address.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) pause_accepting(errno);
      return;  // no peer is waiting any more, or the one that was is gone
    }
    if (links_.size() >= options_.max_links || role_ == nullptr) {
      ++counters.links_refused;
      if (quiet_for_a_second(last_refused_line_, now_)) {
        say(LogLevel::kWarn, fmt::format("more than {} connections; further ones are closed", options_.max_links));
      }
      continue;
    }
    const LinkId id = add_link(std::move(socket), State::kOpen, from_socket_address(address)).id;
    ++counters.links_opened;
    role_->on_opened(id, now_);
    input_done();
    if (role_->finished()) return;
  }
}

// The connection stays in the kernel's queue; without a pause it would be reported again at once, forever.
void NetLoop::Engine::pause_accepting(int error) {
  ++counters.accept_pauses;
  if (quiet_for_a_second(last_accept_line_, now_)) {
    say(LogLevel::kWarn, fmt::format("cannot accept connections for now: {}", errno_text(error)));
  }
  watch_special(EPOLL_CTL_MOD, acceptor_, 0, kAcceptMark);
  chores_.push({now_ + kAcceptPause, 0});
  arm();
}

// ---- datagrams

// One batch, then links get their turn: epoll reports again what is still there.
void NetLoop::Engine::read_datagrams() {
  if (role_ == nullptr) return;
  now_ = now();
  bool any = false;
  port_.receive([&](const Endpoint& from, ByteView bytes) {
    any = true;
    role_->on_datagram(from, bytes, now_);
  });
  if (any) input_done();
}

// ---- words

void NetLoop::Engine::say(LogLevel level, const std::string& text) {
  if (options_.log != nullptr) options_.log->line(level, text);
}

// ---- the door

NetLoop::NetLoop(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
NetLoop::~NetLoop() = default;

Result<std::unique_ptr<NetLoop>> NetLoop::open(const NetLoopOptions& options) {
  auto engine = std::make_unique<Engine>(options);
  if (const Status ok = engine->open(); !ok) return tl::unexpected<Error>(ok.error());
  return std::unique_ptr<NetLoop>(new NetLoop(std::move(engine)));
}

Status NetLoop::run(Role& role) { return engine_->run(role); }
void NetLoop::step(Role& role, Duration timeout, const std::function<bool()>& until_true) {
  engine_->step(role, timeout, until_true);
}
bool NetLoop::post(std::function<void()> work) { return engine_->post(std::move(work)); }
void NetLoop::watch(int descriptor) { engine_->watch_outside(descriptor); }
void NetLoop::stop() { engine_->stop(); }
void NetLoop::send(LinkId link, ByteView bytes) { engine_->send(link, bytes); }
void NetLoop::send_shared(LinkId link, const SharedBytes& bytes) { engine_->send(link, bytes); }
void NetLoop::close(LinkId link) { engine_->close(link); }
void NetLoop::send_datagram(const Endpoint& to, ByteView bytes) { engine_->send_datagram(to, bytes); }
LinkId NetLoop::connect() { return engine_->connect({}); }
LinkId NetLoop::connect_to(const Endpoint& peer) { return engine_->connect(peer); }
std::optional<Endpoint> NetLoop::take_links(LinkId beside) { return engine_->take_links(beside); }
void NetLoop::send_now() { engine_->flush_all(); }
std::size_t NetLoop::backlog(LinkId link) const { return engine_->backlog(link); }
Endpoint NetLoop::listening() const { return engine_->listening; }
CallFrom NetLoop::call_from() const { return engine_->calls.from; }
Endpoint NetLoop::server_endpoint() const { return engine_->server; }
Endpoint NetLoop::peer(LinkId link) const { return engine_->peer(link); }
NetCounters NetLoop::counters() const {
  NetCounters all = engine_->counters;
  all.datagrams = engine_->datagram_counters();
  return all;
}
const std::string& NetLoop::last_trouble() const { return engine_->last_trouble; }

}  // namespace convoy::os
