// The server: membership, the conductor of the run and the calls of people and programs, composed without sockets.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/conductor.h"
#include "replication/element_exchange.h"
#include "replication/live_server.h"
#include "roles/call_desk.h"
#include "roles/evictions.h"
#include "roles/faults.h"
#include "roles/run_warnings.h"
#include "roles/sample_post.h"
#include "session/membership.h"

namespace convoy {

// The server's half of a member's own exchange before it is ready: gets each of its messages, and a function that answers.
using UserData = std::function<void(const std::string& member, ByteView, const std::function<void(ByteView)>& answer)>;

struct ServerOptions {
  MembershipOptions membership;
  ConductorOptions conductor;      // in lockstep
  LiveOptions live;                // in free mode (membership.free_mode)
  std::vector<std::string> hosts;  // names that must be ready before the run begins
  std::vector<Fault> faults;
  ElementExchangeOptions elements;
  ModelJudge judge;            // of models that members bring; empty: every model that is well-formed is let in
  Handlers* judges = nullptr;  // where it judges; absent: on the spot
  UserData user_data;          // empty: messages go back as they came
  Duration sensors_wait =
      std::chrono::milliseconds(500);             // for a sensor host whose link is closed; then its sensors move
  Duration slow_after = std::chrono::seconds(3);  // a host that keeps the others waiting this long is named
  EvictionRules evictions;                        // without liveness there is no deadline for ticks
  Duration report_timeout = std::chrono::seconds(5);
  bool quit_when_over = true;
  // Samples of these sensors come to the server, for `seen`, which outlives it.
  std::vector<SensorChoice> wanted{};
  SampleTaker* seen = nullptr;
};

// Hosts that were gone before the run was over, by name, in their order.
struct Losses {
  std::vector<std::string> all;
  std::vector<std::string> unexpected;  // less those that said goodbye, and those that a fault of the scenario killed
};

class ServerRole final : public Role, private MembershipEvents {
 public:
  // The watchers, if any, are shown every boundary of a run in lockstep (see RunWatcher). Those of a run in free mode are
  // in its options.
  static Result<std::unique_ptr<ServerRole>> make(const Setup& setup, ServerOptions options, Network& network, Log& log,
                                                  const std::vector<RunWatcher*>& watchers = {});

  void on_opened(LinkId link, Moment now) override;
  void on_bytes(LinkId link, ByteView bytes, Moment now) override;
  void on_closed(LinkId link, Moment now) override;
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override;
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return finished_; }

  // Ends the run in order at the next boundary: the hosts report and are sent a goodbye.
  void stop() { stop_asked_ = true; }
  void set_udp_port(std::uint16_t port) { membership_.set_udp_port(port); }

  const Run& run() const { return *run_; }
  Run& run() { return *run_; }
  const LiveServer& live() const { return EXPECTS(live_), *live_; }                // of a run in free mode
  const Conductor& conductor() const { return EXPECTS(conductor_), *conductor_; }  // of a run in lockstep
  Conductor& conductor() { return EXPECTS(conductor_), *conductor_; }
  const Membership& membership() const { return membership_; }
  const ElementStore& elements() const { return elements_->store(); }
  std::uint64_t resumes() const { return resumes_; }
  const Losses& losses() const { return losses_; }
  Moment run_begun() const { return run_begun_; }
  Moment run_ended() const { return run_ended_; }
  std::uint64_t faults_done() const { return faults_done_; }

 private:
  ServerRole(World world, const Setup& setup, ServerOptions options, Network& network, Log& log);
  void joined(Member& member, Moment now) override;
  void frame(Member& member, FrameType type, ByteView payload, Moment now) override;
  bool datagram(Member& member, const Datagram& datagram, Moment now) override;
  void acked(Member& member, std::uint32_t datagram) override;
  void lost(Member& member, Moment now) override;
  void resumed(Member& member, Moment now) override;
  void left(Member& member, LeaveReason reason, Moment now) override;

  void begin_if_ready(Moment now);
  void make_faults(Moment now);
  void end_if_over(Moment now);
  Instant elements_now() const;
  void user_data(Member& member, ByteView payload);

  ServerOptions options_;
  Log& log_;
  Network& network_;
  Membership membership_;
  SamplePost post_;
  std::unique_ptr<Run> run_;
  Conductor* conductor_ = nullptr;  // run_, in lockstep
  LiveServer* live_ = nullptr;      // run_, in free mode
  std::unique_ptr<ElementExchange> elements_;
  FaultGate gate_;
  std::map<std::string, Moment> cut_until_;  // hosts whose links are refused until then
  std::size_t next_fault_ = 0;
  std::uint64_t faults_done_ = 0;
  bool stop_asked_ = false, finished_ = false;
  Moment over_since_ = kNever;
  Moment run_begun_ = kNever, run_ended_ = kNever;
  Losses losses_;
  std::uint64_t resumes_ = 0;
  Evictions evictions_;
  std::unique_ptr<CallDesk> desk_;
  std::unique_ptr<RunWarnings> warnings_;
};

// Who must be there before the run begins, of the hosts and of those who step time, and is not: "host0, host1".
std::string missing_of(const std::vector<std::string>& hosts, const ServerRole& server);

}  // namespace convoy
