// A small cluster for tests: a server, hosts on a fault-free network, and a caller.
//
//   Rig rig(setup, {.hosts = {"host0", "host1"}, .paused = true});
//   rig.call(step(10));
//   rig.host(0).fleet()->...
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convoy/control.pb.h"
#include "roles/client.h"
#include "roles/sensor_host.h"
#include "roles/server.h"
#include "testing/script.h"
#include "testing/shuffled_executor.h"
#include "testing/sim_net.h"

namespace convoy::testing {

struct RigOptions {
  std::vector<std::string> hosts{"host0", "host1"};
  Tick end = 0;
  bool paused = false;
  Duration liveness{0};
  EvictionRules evictions{};
  LeavePolicy leave = LeavePolicy::kFreeze;
  HostFaults faults_of_first{};
  std::vector<std::string> absent{};  // hosts that the run waits for and that never come
  std::vector<Fault> faults{};
  bool stay = false;   // the server stays when the run is over
  bool free = false;   // free mode, in virtual time, with the options `live`
  LiveOptions live{};  // but its end, paused and leave, which are above
  PathProfile path{};  // to the hosts
  ModelJudge judge{};
  Handlers* judges = nullptr;               // the server's
  Handlers* compilers = nullptr;            // of the first host
  const PhysicsFactory* physics = nullptr;  // absent: kinematic
  SoftwareFactory* software = nullptr;      // of all hosts; absent: they run no nodes
  Gateway* gateway = nullptr;               // of the first host
  std::vector<Gateway*> gateways{};         // or of the first ones, in their order; null: it has none
  SampleTaker* taker = nullptr;             // of all hosts; absent: only nodes take samples
  std::vector<std::string> sensor_hosts{};
  PathProfile sensor_path{};           // to those
  Duration sensors_slow{0};            // each answer of theirs takes so long
  std::vector<SensorChoice> wanted{};  // of which `seen` gets the samples, at the server
  SampleTaker* seen = nullptr;
};

// A session of any role that makes calls and keeps the answers.
class Caller final : public Role, private SessionEvents {
 public:
  Caller(std::string name, PeerRole role, Network& network);
  // Sends the request with the next id, or with the one that it has.
  std::uint64_t send(proto::Request request);
  const proto::Reply* reply(std::uint64_t id) const;
  std::size_t replies() const { return replies_.size(); }
  const proto::Reply& reply_at(std::size_t i) const { return replies_[i]; }  // in the order in which they came
  const std::vector<SampleCollector::Whole>& samples() const { return samples_; }
  Session& session() { return session_; }

  void on_opened(LinkId link, Moment now) override { session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { session_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override { return started_ ? session_.deadline() : Moment{}; }
  bool finished() const override { return session_.ended().has_value(); }

 private:
  void welcomed(Moment) override {}
  void setup_loaded(ByteView, Moment) override {}
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram&, Moment) override { return true; }

  Session session_;
  bool started_ = false;
  std::uint64_t next_id_ = 1;
  std::vector<proto::Reply> replies_;
  SampleCollector collector_;
  std::vector<SampleCollector::Whole> samples_;
};

class Rig {
 public:
  explicit Rig(const Setup& setup, RigOptions options = {});

  // One more host, now; the run does not wait for it.
  std::size_t add_host(const std::string& name, std::uint64_t fingerprint = 0, Gateway* gateway = nullptr);
  std::size_t add_sensor_host(const std::string& name);
  // Another caller; its number for call().
  std::size_t add_caller(const std::string& name, PeerRole role);

  // Until it is true, or virtual seconds are over; whether it is.
  bool run_until(const std::function<bool()>& until, double limit_s = 60);
  // To the end of the run.
  bool finish() {
    return run_until([&] { return server->finished(); }, 600);
  }
  bool run_to(Tick tick) {
    return run_until([&] { return run().tick() >= tick; });
  }
  // Sends and waits for the answer.
  proto::Reply call(const proto::Request& request, std::size_t caller = 0);
  // The answer's text; "" if the call succeeded.
  std::string error_of(const proto::Request& request, std::size_t caller = 0) { return call(request, caller).text(); }

  Run& run() { return server->run(); }
  LiveHost& live(std::size_t i) { return *clients[i]->live(); }
  Conductor& conductor() { return server->conductor(); }
  LockstepHost& host(std::size_t i) { return *clients[i]->host(); }
  // The inner bytes of an agent, wherever it runs; empty if nowhere.
  Bytes inner(WorldNumber number) const;
  const State& state(const std::string& name) { return run().world().snapshot().state(run().world().find(name)); }
  bool logged(const std::string& part) const;

  struct Lines final : Log {
    void line(LogLevel, const std::string& text) override { lines.push_back(text); }
    std::vector<std::string> lines;
  };
  SimNet net{1};
  Lines log;
  const KinematicFactory factory;
  ShuffledExecutor executor{0};
  RunMemory memory;
  std::unique_ptr<ServerRole> server;
  std::vector<std::unique_ptr<ClientRole>> clients;
  std::vector<std::size_t> seats;  // of the clients in the network
  std::vector<std::unique_ptr<SensorHostRole>> sensor_hosts;
  std::vector<std::size_t> sensor_seats;
  std::vector<std::unique_ptr<Caller>> callers;

 private:
  RigOptions options_;
  std::size_t seats_taken_ = 0;
  std::uint8_t tokens_ = 0;
};

}  // namespace convoy::testing
