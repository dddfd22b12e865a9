#include "adapters/zmq/entrance.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/check.h"
#include "os/address.h"
#include "os/signals.h"
#include "os/sockets.h"

namespace convoy::zmq {

namespace {

constexpr const char* kHandshakes = "inproc://zeromq.zap.01";  // where libzmq asks (RFC 27)
constexpr std::size_t kAskedParts = 2;                         // of a question, what its answer begins with
constexpr std::uint64_t kNotYet = ~std::uint64_t{0};

// All parts of the next message; none if there is none.
std::vector<std::string> next_message(void* socket) {
  std::vector<std::string> parts;
  for (bool more = true; more;) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) return parts;
    parts.emplace_back(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    more = zmq_msg_more(&part) != 0;
    zmq_msg_close(&part);
  }
  return parts;
}

// An event of a monitor: u16 what, i32 value; then a part with the address, "tcp://127.0.0.1:5555".
struct Event {
  std::uint16_t what = 0;
  std::int32_t value = 0;
};
Event event_of(const std::string& part) {
  Event out;
  if (part.size() < sizeof out.what + sizeof out.value) return out;
  std::memcpy(&out.what, part.data(), sizeof out.what);
  std::memcpy(&out.value, part.data() + sizeof out.what, sizeof out.value);
  return out;
}

bool has_port(int connection, std::string_view at) {
  const std::string port = std::to_string(os::local_endpoint_of(connection).port);
  return at.ends_with(":" + port);
}

}  // namespace

Entrance::Entrance(void* context)
    : context_(context),
      handshakes_(zmq_socket(context, ZMQ_REP)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      held_(::fcntl(wake_.get(), F_DUPFD_CLOEXEC, 0)) {
  EXPECTS(wake_ && held_ && handshakes_ && zmq_bind(handshakes_, kHandshakes) == 0);
  thread_ = os::thread_without_signals([this] { thread_main(); });
}

Entrance::~Entrance() {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    end_ = true;
  }
  (void)::eventfd_write(wake_.get(), 1);
  thread_.join();
  for (const Door& door : doors_) zmq_close(door.events);
  zmq_close(handshakes_);
}

void Entrance::guard(void* socket, Admits admits) {
  // libzmq asks in the handshake only for sockets of a domain; the name is for who answers for several.
  constexpr std::string_view kDomain = "convoy";
  (void)zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, kDomain.data(), kDomain.size());
  const std::lock_guard<std::mutex> hold(mutex_);
  const std::string events = "inproc://arrivals-" + std::to_string(doors_made_++);
  Door door{zmq_socket(context_, ZMQ_PAIR), std::move(admits)};
  EXPECTS(door.events &&
          zmq_socket_monitor(socket, events.c_str(), ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_MONITOR_STOPPED) == 0);
  EXPECTS(zmq_connect(door.events, events.c_str()) == 0);
  doors_.push_back(std::move(door));
  (void)::eventfd_write(wake_.get(), 1);
}

// While the thread still takes the events: libzmq's own thread waits where nobody does.
void Entrance::leave(void* socket) { (void)zmq_socket_monitor(socket, nullptr, 0); }

bool Entrance::admitted(void* message) const {
  auto* part = static_cast<zmq_msg_t*>(message);
  const int over = zmq_msg_get(part, ZMQ_SRCFD);
  const char* text = zmq_msg_gets(part, "User-Id");
  std::uint64_t stamp = 0;
  if (over < 0 || !text || std::from_chars(text, text + std::strlen(text), stamp).ec != std::errc{}) return false;
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto stay = stays_.find(over);
  return stay != stays_.end() && stay->second.from <= stamp && stamp < stay->second.until;
}

bool Entrance::ends() const {
  const std::lock_guard<std::mutex> hold(mutex_);
  return end_;
}

void Entrance::thread_main() {
  std::vector<zmq_pollitem_t> all;
  while (!ends()) {
    all = {{nullptr, wake_.get(), ZMQ_POLLIN, 0}, {handshakes_, 0, ZMQ_POLLIN, 0}};
    {
      const std::lock_guard<std::mutex> hold(mutex_);
      for (const Door& door : doors_) all.push_back({door.events, 0, ZMQ_POLLIN, 0});
    }
    (void)zmq_poll(all.data(), static_cast<int>(all.size()), -1);
    eventfd_t rung = 0;
    (void)::eventfd_read(wake_.get(), &rung);
    answer_handshakes();
    look_at_arrivals();
  }
}

// version, id, domain, address, the peer's own name, mechanism -> version, id, status, why, stamp, properties
void Entrance::answer_handshakes() {
  for (std::vector<std::string> asked; !(asked = next_message(handshakes_)).empty();) {
    look_at_arrivals();  // the one that asks has been reported before it asked
    asked.resize(kAskedParts);
    for (const std::string& part : {asked[0], asked[1], std::string("200"), std::string(), std::to_string(looked_at_)})
      (void)zmq_send(handshakes_, part.data(), part.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT);
    (void)zmq_send(handshakes_, "", 0, ZMQ_DONTWAIT);
  }
}

void Entrance::look_at_arrivals() {
  std::vector<Door> doors;
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    doors = doors_;
  }
  for (Door& door : doors)
    for (std::vector<std::string> parts; (parts = next_message(door.events)).size() == 2;) {
      const Event event = event_of(parts[0]);
      if (event.what == ZMQ_EVENT_ACCEPTED) look_at(door, event.value, parts[1]);
      if (event.what != ZMQ_EVENT_MONITOR_STOPPED) continue;
      const std::lock_guard<std::mutex> hold(mutex_);
      zmq_close(door.events);
      std::erase_if(doors_, [&](const Door& one) { return one.events == door.events; });
      break;
    }
}

// Whoever is asked takes its time: the descriptor may be another's by now, even a connection of another part of this
// process. So it is held under a number of our own meanwhile, and counts if it is one to this very door. If it is a
// later one, the one that was reported is gone, and has never been answered: nothing came from it.
void Entrance::look_at(Door& door, int connection, const std::string& at) {
  const bool here = ::dup3(connection, held_.get(), O_CLOEXEC) >= 0 && has_port(held_.get(), at);
  const bool enters = here && door.admits(held_.get());
  if (here && !enters) (void)::shutdown(held_.get(), SHUT_RDWR);
  (void)::dup3(wake_.get(), held_.get(), O_CLOEXEC);

  const std::lock_guard<std::mutex> hold(mutex_);
  ++looked_at_;
  if (enters) stays_[connection] = {looked_at_, kNotYet};
  else if (const auto before = stays_.find(connection); before != stays_.end())
    before->second.until = std::min(before->second.until, looked_at_);
}

}  // namespace convoy::zmq
