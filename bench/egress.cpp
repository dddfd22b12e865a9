// What one round of free mode costs the server, to C clients that each own one robot among N entities that all move.
//
//   bench_egress [--clients C] [--entities N] [--seen K] [--rounds R]
//
// The server's own parts: Membership (members, numbers, acknowledgements), LiveServer (states in, rounds, interest,
// what each was sent) and the UDP port. Left out: TCP, since images of the world would be all that is measured. One
// more host moves the other entities. Each client answers each round with its robot's state, and loses 2 % of what
// comes to it. Time is virtual, CPU time is real. Prints JSON.
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "convoy/control.pb.h"
#include "core/random.h"
#include "os/datagram_port.h"
#include "os/sockets.h"
#include "replication/live_server.h"
#include "session/membership.h"

namespace {

using namespace convoy;

constexpr double kSpacing = 1.5;         // m between entities
constexpr Duration kPeriod{16'666'667};  // 60 Hz

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Quiet final : Log {
  void line(LogLevel, const std::string&) override {}
};

// Endpoints represent clients: port p is client p. Two sockets take it all, in turn, so that as with real clients no
// two of them share a system call.
class Wire final : public Network {
 public:
  Wire() {
    for (os::ListeningPair& sink : sinks_) sink = *os::open_listening_pair(os::ipv4(127, 0, 0, 1, 0));
    port_.open(std::move(*os::open_udp_towards(sinks_[0].endpoint)));
  }
  void send(LinkId, ByteView) override {}
  void close(LinkId) override {}
  LinkId connect() override { return 0; }
  std::size_t backlog(LinkId) const override { return 0; }
  void send_datagram(const Endpoint& to, ByteView bytes) override {
    std::uint32_t seq = 0;
    std::memcpy(&seq, bytes.data() + 8, sizeof seq);
    in_flight[to.port].push_back(seq);
    this->bytes += bytes.size();
    port_.send(sinks_[to.port % 2].endpoint, bytes);
  }
  void flush() { port_.flush(); }

  std::vector<std::vector<std::uint32_t>> in_flight = std::vector<std::vector<std::uint32_t>>(65536);  // by client
  std::uint64_t bytes = 0;

 private:
  os::ListeningPair sinks_[2];
  os::DatagramPort port_;
};

Setup world_of(std::size_t entities, std::size_t clients, double seen) {
  Setup setup;
  setup.name = "bench";
  setup.models = built_in_models();
  setup.view_radius = kSpacing * std::sqrt(seen / 3.14159265358979) - kInterestMargin - 0.1;  // a robot's own radius
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(entities))));
  for (std::size_t i = 0; i < entities; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = setup.models[0].name;
    const std::size_t at = i * 7919 % entities;  // clients all over the place
    spec.pose.p = {kSpacing * static_cast<double>(at % side), kSpacing * static_cast<double>(at / side), 0};
    spec.host = i < clients ? "c" + std::to_string(i + 1) : "crowd";
    setup.entities.push_back(spec);
  }
  return setup;
}

class Server final : private MembershipEvents {
 public:
  Server(const Setup& setup, std::size_t clients)
      : membership_(rules(clients), wire, *this, log_),
        live_(
            *World::make(setup), setup, {.period = kPeriod}, [](Owner, FrameType, const Payload&) {},
            [this](Owner to, DatagramType type, std::uint16_t run, ByteView payload) {
              return membership_.send_datagram(to, type, 0, run, payload);
            }) {}

  void join(std::uint16_t client, const std::string& name, Moment now) {
    proto::Hello hello;
    hello.set_protocol(kProtocolVersion);
    hello.set_role(proto::ROBOT_CLIENT);
    hello.set_name(name);
    hello.set_datagrams(true);
    const std::string text = hello.SerializeAsString();
    Bytes out;
    put_frame(out, FrameType::kHello, 0, 0, as_bytes(text));
    put_frame(out, FrameType::kReady, 1, 0, Bytes{});
    membership_.on_opened(client, now);
    membership_.on_bytes(client, out, now);
    datagram(client, {DatagramType::kRegister, 0, 0, Owner(client), 0, 0, 0, kToken}, now);
  }
  void start(Moment now) {
    std::vector<std::string> warnings;
    live_.start(now, warnings);
  }
  void datagram(std::uint16_t client, const Datagram& datagram, Moment now) {
    Bytes out;
    put_datagram(out, datagram);
    membership_.on_datagram({0, 0, client}, out, now);
  }
  void round(Moment now) {
    live_.proceed(now);
    wire.flush();
  }
  const LiveServer& live() const { return live_; }
  const Membership& membership() const { return membership_; }

  Wire wire;

 private:
  static constexpr Token kToken{1, 2, 3};
  static MembershipOptions rules(std::size_t clients) {
    MembershipOptions options;
    options.free_mode = true;
    options.equal_hosts = false;
    options.liveness = Duration{0};
    options.max_members = clients + 2;
    options.new_token = [] { return kToken; };
    return options;
  }
  void joined(Member&, Moment) override {}
  void frame(Member& member, FrameType type, ByteView, Moment) override {
    if (type == FrameType::kReady) live_.join(member.number, member.name);
  }
  bool datagram(Member& member, const Datagram& datagram, Moment now) override {
    return live_.on_datagram(member.number, datagram, now, drops_);
  }
  void acked(Member& member, std::uint32_t datagram) override { live_.acked(member.number, datagram); }
  void lost(Member&, Moment) override {}
  void resumed(Member&, Moment) override {}
  void left(Member&, LeaveReason, Moment) override {}

  Quiet log_;
  Drops drops_;
  Membership membership_;
  LiveServer live_;
};

// One who has robots, and answers with their states and what it has got.
struct Client {
  std::vector<WorldNumber> robots;
  DatagramLink link;

  void drive(Server& server, std::uint16_t me, Instant stamp, Moment now, double way) {
    const World& world = server.live().world();
    BatchWriter payload;
    const auto send = [&] {
      Datagram d{DatagramType::kStates, 0, 0, Owner(me), 0, 0, 0, payload.payload()};
      link.stamp(d);
      server.datagram(me, d, now);
      payload.clear();
    };
    payload.write_reached(stamp);
    for (WorldNumber robot : robots) {
      const Slot slot = world.slot_of(robot);
      State state = world.snapshot().state(slot);
      state.pose.p.x += way;
      state.twist.v = {way * 60, 0, 0};
      const BatchOrigin origin = origin_for(state);
      QuantizedState record;
      if (!quantize(state, robot, origin, record.data())) std::abort();
      const std::span<const double> tail = world.snapshot().tail(slot);
      std::uint8_t joints[kMostJoints * kJointSize];
      if (!pack_joints(tail, joints)) std::abort();
      const ByteView packed(joints, tail.size() / 2 * kJointSize);
      if (payload.add(stamp, origin, record, packed)) continue;
      send();
      payload.add(stamp, origin, record, packed);
    }
    send();
  }
};

int measure(std::size_t clients, std::size_t entities, double seen, int rounds) {
  const Setup setup = world_of(entities, clients, seen);
  Server server(setup, clients);
  std::vector<Client> all(clients + 1);
  Moment now{};
  for (std::size_t i = 0; i <= clients; ++i)
    server.join(static_cast<std::uint16_t>(i + 1), i < clients ? "c" + std::to_string(i + 1) : "crowd", now);
  server.start(now);
  for (const Entity& e : server.live().world().entities()) all[e.owner.value() - 1].robots.push_back(e.number);
  now += std::chrono::milliseconds(200);  // beyond the lead: time goes on
  server.round(now);
  Random random{stream_key(1, 0, "egress")};
  double out = 0, in = 0;
  std::uint64_t states = 0, bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    now += kPeriod;
    const Instant stamp = server.live().now();
    all[clients].drive(server, static_cast<std::uint16_t>(clients + 1), stamp, now, 0.004);
    double begin = cpu_s();
    for (std::size_t c = 0; c < clients; ++c) {
      for (std::uint32_t seq : server.wire.in_flight[static_cast<std::uint16_t>(c + 1)])
        if (random.below(50) != 0) all[c].link.keep({DatagramType::kStates, 0, 0, Owner(0), seq, 0, 0, {}});
      server.wire.in_flight[static_cast<std::uint16_t>(c + 1)].clear();
      all[c].drive(server, static_cast<std::uint16_t>(c + 1), stamp, now, 0.004);
    }
    for (std::uint32_t seq : server.wire.in_flight[static_cast<std::uint16_t>(clients + 1)])
      all[clients].link.keep({DatagramType::kStates, 0, 0, Owner(0), seq, 0, 0, {}});
    server.wire.in_flight[static_cast<std::uint16_t>(clients + 1)].clear();
    if (i > 2) in += cpu_s() - begin;
    begin = cpu_s();
    const std::uint64_t states_before = server.live().books().counts.updates_out, bytes_before = server.wire.bytes;
    server.round(now);
    if (i <= 2) continue;  // the first rounds send everything
    out += cpu_s() - begin;
    states += server.live().books().counts.updates_out - states_before, bytes += server.wire.bytes - bytes_before;
  }
  const double n = static_cast<double>(rounds - 3), c = static_cast<double>(clients);
  fmt::print(
      "{{\"clients\": {}, \"states_a_client\": {:.1f}, \"bytes_a_client\": {:.0f}, \"round_ms\": {:.3f}, "
      "\"answers_ms\": {:.3f}, \"drops\": {}}}\n",
      clients, static_cast<double>(states) / c / n, static_cast<double>(bytes) / c / n, out / n * 1e3, in / n * 1e3,
      server.membership().drops().total());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{
      {"clients", "2000"}, {"entities", "100000"}, {"seen", "64"}, {"rounds", "23"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + 2] = argv[i + 1];
  const auto number = [&](const char* name) { return static_cast<std::size_t>(std::atoll(options[name].c_str())); };
  return measure(number("clients"), number("entities"), static_cast<double>(number("seen")),
                 static_cast<int>(number("rounds")));
}
