// Free mode's way in, on real sockets over loopback (the way out: egress.cpp).
//
//   bench_live --path convoy|bare|protobuf [--entities N] [--seconds S]
//     How many states a second of CPU a server takes. `convoy`: the whole server role (checks, acks, stamps, apply,
//     rounds of dead reckoning). `bare`: the same datagrams received, checked and dequantised, no more. `protobuf`: one
//     message for each packet, received, parsed, stamp-tested and stored. The sender is another process.
//
// Prints JSON. CPU time is that of the server's process, from getrusage.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "convoy/element.pb.h"
#include "core/random.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/sockets.h"
#include "roles/server.h"
#include "session/session.h"

namespace {

using namespace convoy;

double cpu_s() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

struct Quiet final : Log {
  void line(LogLevel, const std::string&) override {}
};

Setup world_of(std::size_t entities) {
  Setup setup;
  setup.name = "bench";
  setup.models = built_in_models();
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(entities))));
  for (std::size_t i = 0; i < entities; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = setup.models[0].name;
    spec.pose.p = {1.5 * static_cast<double>(i % side), 1.5 * static_cast<double>(i / side), 0};
    setup.entities.push_back(spec);
  }
  return setup;
}

// The payloads of one round of states of all entities; the stamp is filled in anew for each round.
std::vector<Bytes> batches(const Setup& setup) {
  std::vector<Bytes> out;
  BatchWriter writer;
  for (std::size_t i = 0; i < setup.entities.size(); ++i) {
    State state;
    state.pose = setup.entities[i].pose;
    state.twist.v = {0.2, 0.01, 0};
    state.twist.w.z = 0.3;
    QuantizedState record;
    if (!quantize(state, WorldNumber(static_cast<std::uint32_t>(i + 1)), {0, 0}, record.data())) std::abort();
    if (writer.add(instant(0), {0, 0}, record, {})) continue;
    out.emplace_back(writer.payload().begin(), writer.payload().end());
    writer.clear();
    writer.add(instant(0), {0, 0}, record, {});
  }
  out.emplace_back(writer.payload().begin(), writer.payload().end());
  return out;
}

void set_stamp(Bytes& batch, std::int64_t ns) { std::memcpy(batch.data(), &ns, 8); }

// A host that runs nothing and sends as much as it can.
class Sender final : public Role, private SessionEvents {
 public:
  Sender(SessionOptions options, Network& network, std::vector<Bytes> payloads)
      : session_(std::move(options), network, *this), payloads_(std::move(payloads)) {}
  void on_opened(LinkId link, Moment now) override { session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { session_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override {
    if (!std::exchange(started_, true)) session_.start(now);
    session_.on_time(now);
    if (!begun_ || !session_.registered()) return;
    for (int i = 0; i < 64; ++i) {
      if (next_ == 0) ++stamp_;
      set_stamp(payloads_[next_], stamp_);
      session_.send_datagram(DatagramType::kStates, 0, 0, payloads_[next_]);
      next_ = (next_ + 1) % payloads_.size();
    }
  }
  Moment deadline() const override { return begun_ || !started_ ? Moment{} : session_.deadline(); }
  bool finished() const override { return session_.ended().has_value(); }

 private:
  void welcomed(Moment) override {}
  void setup_loaded(ByteView, Moment) override { session_.send(FrameType::kReady, Bytes{}); }
  void frame(FrameType type, ByteView, Moment) override { begun_ = begun_ || type == FrameType::kPace; }
  bool datagram(const Datagram&, Moment) override { return true; }

  Session session_;
  std::vector<Bytes> payloads_;
  std::size_t next_ = 0;
  std::int64_t stamp_ = 0;
  bool started_ = false, begun_ = false;
};

void print_ingest(std::string_view path, std::uint64_t states, double cpu, std::uint64_t datagrams) {
  fmt::print(
      "{{\"path\": \"{}\", \"states\": {}, \"cpu_s\": {:.4f}, \"states_per_cpu_s\": {:.0f}, \"datagrams\": {}}}\n",
      path, states, cpu, static_cast<double>(states) / cpu, datagrams);
}

int ingest_convoy(std::size_t entities, double seconds) {
  Quiet log;
  const Setup setup = world_of(entities);
  os::NetLoopOptions net;
  net.listen = "127.0.0.1:0";
  auto loop = os::NetLoop::open(net);
  if (!loop) return 1;
  ServerOptions options;
  options.membership.free_mode = true;
  options.membership.liveness = Duration{0};
  options.membership.udp_port = (*loop)->port();
  options.membership.new_token = [] { return Token{1, 2, 3}; };
  options.hosts = {"host0"};
  auto server = ServerRole::make(setup, options, **loop, log);
  if (!server) return 1;
  const pid_t child = fork();
  if (child == 0) {
    os::NetLoopOptions towards;
    towards.connect = "127.0.0.1:" + std::to_string((*loop)->port());
    auto out = os::NetLoop::open(towards);
    if (!out) _exit(1);
    SessionOptions session;
    session.name = "host0";
    session.datagrams = true;
    session.server = (*out)->server_endpoint();
    Sender sender(session, **out, batches(setup));
    const Status done = (*out)->run(sender);
    _exit(done ? 0 : 1);
  }
  // Measured from 0.5 s after the first state on, so that joining does not count.
  double cpu_at_begin = 0;
  std::uint64_t states_at_begin = 0, datagrams_at_begin = 0;
  class Clocked final : public Role {
   public:
    Clocked(Role& role, std::function<void(Moment)> tick) : role_(role), tick_(std::move(tick)) {}
    void on_opened(LinkId l, Moment n) override { role_.on_opened(l, n); }
    void on_bytes(LinkId l, ByteView b, Moment n) override { role_.on_bytes(l, b, n); }
    void on_closed(LinkId l, Moment n) override { role_.on_closed(l, n); }
    void on_datagram(const Endpoint& f, ByteView b, Moment n) override { role_.on_datagram(f, b, n); }
    void on_time(Moment n) override { role_.on_time(n), tick_(n); }
    Moment deadline() const override { return role_.deadline(); }
    bool finished() const override { return done; }
    bool done = false;

   private:
    Role& role_;
    std::function<void(Moment)> tick_;
  };
  Moment first = kNever, begin = kNever;
  Clocked* self = nullptr;
  Clocked clocked(**server, [&](Moment now) {
    const Run& run = (*server)->run();
    if (first == kNever && run.books().counts.updates_in > 0) first = now;
    if (begin == kNever && first != kNever && now - first > std::chrono::milliseconds(500)) {
      begin = now;
      cpu_at_begin = cpu_s(), states_at_begin = run.books().counts.updates_in,
      datagrams_at_begin = (*loop)->counters().datagrams.in;
    }
    if (begin != kNever && convoy::seconds(now - begin) >= seconds) self->done = true;
  });
  self = &clocked;
  const Status ran = (*loop)->run(clocked);
  const double cpu = cpu_s() - cpu_at_begin;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (!ran || begin == kNever) return 1;
  print_ingest("convoy", (*server)->run().books().counts.updates_in - states_at_begin, cpu,
               (*loop)->counters().datagrams.in - datagrams_at_begin);
  return 0;
}

// A receiver of its own, and a child that sends `payloads` as datagrams in a row for ever.
template <class Each>
int ingest_simple(std::string_view path, std::vector<Bytes> datagrams, bool offload, double seconds, const Each& each) {
  auto pair = os::open_listening_pair(os::ipv4(127, 0, 0, 1, 0));
  if (!pair) return 1;
  const pid_t child = fork();
  if (child == 0) {
    auto udp = os::open_udp_towards(pair->endpoint);
    if (!udp) _exit(1);
    os::DatagramPort port;
    port.open(std::move(*udp), offload);
    for (std::size_t i = 0;; i = (i + 1) % datagrams.size()) {
      port.send(pair->endpoint, datagrams[i]);
      if (i % 64 == 0) port.flush();
    }
  }
  os::DatagramPort port;
  port.open(std::move(pair->udp), offload);
  std::uint64_t states = 0;
  const Moment begin = os::now();
  const double cpu = cpu_s();
  while (convoy::seconds(os::now() - begin) < seconds) {
    pollfd p{port.descriptor().get(), POLLIN, 0};
    ::poll(&p, 1, 100);
    port.receive([&](const Endpoint&, ByteView bytes) { states += each(bytes); });
  }
  const double used = cpu_s() - cpu;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  print_ingest(path, states, used, port.counters().in);
  return 0;
}

int ingest_bare(std::size_t entities, double seconds) {
  std::vector<Bytes> datagrams;
  for (const Bytes& payload : batches(world_of(entities))) {
    Bytes out;
    put_datagram(out, {DatagramType::kStates, 0, 0, Owner(1), 1, 0, 0, payload});
    datagrams.push_back(out);
  }
  double sum = 0;
  std::vector<Batch> read;
  const int code = ingest_simple("bare", datagrams, true, seconds, [&](ByteView bytes) -> std::uint64_t {
    Datagram d;
    if (parse_datagram(bytes, d) != DatagramTrouble::kNone || !read_batches(d.payload, read)) return 0;
    std::uint64_t states = 0;
    for (const Batch& batch : read) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Dequantized state = dequantize(batch.record(i), batch.origin);
        sum += state.pose.p.x + state.twist.v.x;
      }
      states += batch.size();
    }
    return states;
  });
  return sum == 0.123 ? 1 : code;  // so that nothing is left out
}

int ingest_protobuf(std::size_t entities, double seconds) {
  const Setup setup = world_of(entities);
  std::vector<Bytes> datagrams;
  for (std::size_t i = 0; i < setup.entities.size(); ++i) {
    Vehicle v;
    v.set_connection(1), v.set_id(static_cast<std::uint32_t>(i)), v.set_stamp(1), v.set_speed(0.2);
    v.mutable_chassis()->mutable_p()->set_x(setup.entities[i].pose.p.x);
    v.mutable_chassis()->mutable_p()->set_y(setup.entities[i].pose.p.y);
    v.mutable_chassis()->mutable_q()->set_w(1);
    const std::string s = v.SerializeAsString();
    datagrams.emplace_back(s.begin(), s.end());
  }
  struct Stored {
    std::int64_t stamp = -1;
    double x = 0, y = 0;
  };
  std::unordered_map<std::uint64_t, Stored> world;
  Vehicle v;
  return ingest_simple("protobuf", datagrams, false, seconds, [&](ByteView bytes) -> std::uint64_t {
    if (!v.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return 0;
    Stored& stored = world[std::uint64_t{v.connection()} << 32 | v.id()];
    if (v.stamp() < stored.stamp) return 0;
    stored = {v.stamp(), v.chassis().p().x(), v.chassis().p().y()};
    return 1;
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"path", "convoy"}, {"entities", "20000"}, {"seconds", "2"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + 2] = argv[i + 1];
  const auto entities = static_cast<std::size_t>(std::atoll(options["entities"].c_str()));
  const double seconds = std::atof(options["seconds"].c_str());
  if (options["path"] == "bare") return ingest_bare(entities, seconds);
  if (options["path"] == "protobuf") return ingest_protobuf(entities, seconds);
  return ingest_convoy(entities, seconds);
}
