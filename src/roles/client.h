// A robot client: one session and one host with its agents, in lockstep or in free mode, composed without sockets.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent/taker_list.h"
#include "lockstep/host.h"
#include "replication/live_host.h"
#include "roles/model_preparer.h"
#include "roles/sample_intake.h"
#include "roles/sample_reports.h"
#include "roles/wishes.h"
#include "session/session.h"

namespace convoy {

struct ClientOptions {
  SessionOptions session;
  HostFaults faults;
  LiveHostOptions live;
  std::uint64_t pid = 0;
  Handlers* handlers = nullptr;  // compile models before they are needed; absent: the role does
  PeerNetwork* peers = nullptr;  // samples come straight from sensor hosts; may be absent; outlives the role
  Gateway* gateway = nullptr;    // outlives the role; may be absent
  std::function<std::uint64_t()> stopwatch;      // ns since any moment, for Done.busy_ns; may be empty
  std::function<HostReport()> process;           // cpu, memory and pid at the end; may be empty
  std::function<void(const Session&)> welcomed;  // the server has let it in; may be empty
};

class ClientRole final : public Role, private SessionEvents {
 public:
  ClientRole(ClientOptions options, Network& network, Executor& executor, const AgentParts& parts, Log& log);

  void on_opened(LinkId link, Moment now) override {
    samples_.links().has(link) ? samples_.links().on_opened(link, now) : (void)session_.on_opened(link, now);
  }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override {
    samples_.links().has(link) ? samples_.links().on_bytes(link, bytes, now) : session_.on_bytes(link, bytes, now);
  }
  void on_closed(LinkId link, Moment now) override {
    samples_.links().has(link) ? samples_.links().on_closed(link, now) : session_.on_closed(link, now);
  }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return session_.ended().has_value(); }

  // Leaves in order.
  void stop() { session_.leave(); }

  const Session& session() const { return session_; }
  Session& session() { return session_; }
  LockstepHost* host() const { return host_.get(); }
  LiveHost* live() const { return live_.get(); }
  const Fleet* fleet() const { return its() ? its()->fleet() : nullptr; }
  // Why it ended, if not in order.
  std::optional<Error> failure() const;

 private:
  void welcomed(Moment now) override;
  void held_up(const std::string& why) override;
  void setup_loaded(ByteView setup, Moment now) override;
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram& datagram, Moment now) override;
  void acked(std::uint32_t datagram) override;
  void report_if_over();
  void load_scene(Setup setup);
  void pass_wishes();
  // Of either mode; null before the scenario has come.
  RobotHost* its() const {
    if (host_) return host_.get();
    return live_.get();
  }

  ClientOptions options_;
  Executor& executor_;
  TakerList takers_;  // that of the parts, and the gateway's
  AgentParts parts_;
  Log& log_;
  ModelPreparer models_;
  Session session_;
  SampleIntake samples_;
  SampleReports reports_;
  GatewayWishes wishes_;
  std::unique_ptr<LockstepHost> host_;  // in lockstep
  std::unique_ptr<LiveHost> live_;      // in free mode
  bool started_ = false, reported_ = false;
  std::optional<Error> failure_;
};

}  // namespace convoy
