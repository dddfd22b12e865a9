#include "testing/cluster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "core/hash.h"
#include "roles/client.h"
#include "roles/server.h"
#include "testing/shuffled_executor.h"
#include "testing/stranger.h"
#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

constexpr Duration kLongest = std::chrono::minutes(20);  // of virtual time; a run that takes longer hangs

}  // namespace

const char* name_of(Planted planted) {
  switch (planted) {
    case Planted::kNone: return "none";
    case Planted::kDedupe: return "dedupe";
    case Planted::kOrdering: return "ordering";
    case Planted::kTokens: return "tokens";
    case Planted::kResend: return "resend";
    case Planted::kGaps: return "gaps";
    case Planted::kCorrupt: return "corrupt";
    case Planted::kLosses: return "losses";
    case Planted::kChecksum: return "checksum";
    case Planted::kStamps: return "stamps";
  }
  return "unknown";
}

std::optional<Planted> planted_of(const std::string& name) {
  for (const Planted p : {Planted::kNone, Planted::kDedupe, Planted::kOrdering, Planted::kTokens, Planted::kResend,
                          Planted::kGaps, Planted::kCorrupt, Planted::kLosses, Planted::kChecksum, Planted::kStamps})
    if (name == name_of(p)) return p;
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------------- plans

Plan undisturbed(std::uint64_t script, std::size_t hosts) {
  Plan plan;
  plan.seed = plan.script = script;
  if (hosts == 0) hosts = 1 + script % 2;
  for (std::size_t i = 0; i < hosts; ++i) {
    HostPlan host;
    host.name = "host" + std::to_string(i);
    host.path.latency = std::chrono::microseconds(10);
    host.path.split = host.path.coalesce = 0;
    plan.hosts.push_back(host);
  }
  return plan;
}

Plan plan_of(std::uint64_t seed) {
  constexpr std::uint64_t kScripts = 16;  // few enough for their calm runs to be kept
  Random random{stream_key(seed, 0, "plan"), 0};
  Plan plan;
  plan.seed = seed;
  plan.script = random.below(kScripts);
  const Duration limits[] = {Duration{0}, std::chrono::seconds(2), std::chrono::seconds(5)};
  plan.liveness = limits[random.below(4) == 0 ? 0 : 1 + random.below(2)];
  plan.datagrams = random.below(3) == 0;
  plan.resend_all = random.below(2) == 0;
  plan.stranger = random.below(3) == 0;
  plan.leave = random.below(2) == 0 ? LeavePolicy::kFreeze : LeavePolicy::kRemove;
  plan.fault_every = millis(std::pow(10.0, random.uniform(1.7, 3.2)));
  plan.cut_at = static_cast<Tick>(random.below(200));

  const std::size_t hosts = 3 + random.below(3);
  const double latency = random.uniform(0.05, 8);
  for (std::size_t i = 0; i < hosts; ++i) {
    HostPlan host;
    host.name = "host" + std::to_string(i);
    host.path.latency = millis(latency * random.uniform(0.5, 2));
    host.path.jitter = millis(random.below(2) == 0 ? 0 : latency * random.uniform(0, 3));
    host.path.split = random.uniform(0, 0.8);
    host.path.coalesce = random.uniform(0, 0.9);
    if (random.below(6) == 0) host.path.bytes_per_second = random.uniform(2e5, 2e6);
    if (plan.datagrams) {
      host.path.datagram_loss = random.uniform(0, 0.4);
      host.path.datagram_twice = random.uniform(0, 0.4);
      host.path.datagram_late = random.uniform(0, 0.4);
      host.path.datagram_damage = random.uniform(0, 0.2);
    }
    host.start = Moment{} + millis(random.below(2) == 0 ? 0 : random.uniform(0, 2500));
    host.pieces = random.below(2) == 0 ? 0 : random.bits();
    plan.hosts.push_back(host);
  }
  for (std::size_t i = hosts; i > 1; --i) std::swap(plan.hosts[i - 1], plan.hosts[random.below(i)]);
  if (random.below(4) == 0) {  // one for which the run does not wait
    HostPlan host = plan.hosts[0];
    host.name = "latecomer";
    host.start = Moment{} + millis(random.uniform(500, 6000));
    host.expected = false;
    plan.hosts.push_back(host);
  }
  if (plan.liveness.count() > 0 && random.below(4) == 0) {
    plan.kill_at = 20 + static_cast<Tick>(random.below(260));
    plan.kill_host = random.below(hosts);
  }
  return plan;
}

std::string describe(const Plan& plan) {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "seed %llu: script %llu, %zu hosts, liveness %.0f s, a fault every %.0f ms, cut at %lld, kill at %lld%s%s%s",
      static_cast<unsigned long long>(plan.seed), static_cast<unsigned long long>(plan.script), plan.hosts.size(),
      seconds(plan.liveness), seconds(plan.fault_every) * 1e3, static_cast<long long>(plan.cut_at),
      static_cast<long long>(plan.kill_at), plan.leave == LeavePolicy::kRemove ? " (remove)" : " (freeze)",
      plan.datagrams ? ", datagrams" : "", plan.stranger ? ", a stranger" : "");
  return text;
}

// --------------------------------------------------------------------------------------------------------- runs

namespace {

// One run: the parts, and the script that makes trouble.
class Cluster {
 public:
  Cluster(const Plan& plan, const Script& script, const std::vector<JournalEntry>* replay, bool verbose);
  Outcome go();

 private:
  struct Host {
    std::unique_ptr<VirtualLog> log;
    std::unique_ptr<ShuffledExecutor> executor;
    std::unique_ptr<ClientRole> role;
    Moment quiet_until{};  // no new trouble before: silence may not add up to the liveness limit
  };
  // Asks at each boundary whether it is time for the cut and the kill that the plan wants.
  class Clockwork final : public RunWatcher {
   public:
    explicit Clockwork(Cluster& all) : all_(all) {}
    void completed(std::uint32_t, Tick tick, const World&, std::span<const AgentHash>,
                   std::span<const Message>) override {
      all_.at_boundary(tick);
    }
    void entered(const JournalEntry&) override {}
    void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
    void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

   private:
    Cluster& all_;
  };

  ServerOptions server_options();
  void add_host(const HostPlan& plan);
  void at_boundary(Tick tick);
  void plan_fault();
  void make_fault();
  void cut(std::size_t client);
  std::string judge() const;
  void collect(Outcome& outcome) const;

  const Plan& plan_;
  const Script& script_;
  const bool verbose_;
  Random random_;
  std::uint64_t tokens_ = 0;
  SimNet net_;
  VirtualLog server_log_;
  const KinematicFactory factory_;
  RunMemory memory_;
  ScriptPlayer player_;
  std::optional<JournalReplay> replay_;
  Clockwork clockwork_;
  std::unique_ptr<ServerRole> server_;
  std::vector<Host> hosts_;
  std::unique_ptr<Stranger> stranger_;
  bool cut_asked_ = false, killed_ = false;
};

Cluster::Cluster(const Plan& plan, const Script& script, const std::vector<JournalEntry>* replay, bool verbose)
    : plan_(plan),
      script_(script),
      verbose_(verbose),
      random_{stream_key(plan.seed, 0, "faults"), 0},
      net_(plan.seed),
      server_log_(net_, "server", verbose),
      player_(script.steps),
      clockwork_(*this) {
  std::vector<RunWatcher*> watchers{&memory_, &clockwork_};
  if (replay) watchers.push_back(&replay_.emplace(*replay));
  else watchers.push_back(&player_);
  auto server = ServerRole::make(script.setup, server_options(), net_.server_network(), server_log_, watchers);
  EXPECTS(server.has_value());
  server_ = std::move(*server);
  if (replay_) replay_->set_conductor(server_->conductor());
  else player_.set_conductor(server_->conductor());
  net_.set_server(*server_);
  for (const HostPlan& host : plan.hosts) add_host(host);
  if (plan.stranger) {
    stranger_ = std::make_unique<Stranger>(stream_key(plan.seed, 0, "stranger"), net_.add_client({}),
                                           SimNet::server_endpoint());
    net_.set_client(hosts_.size(), *stranger_);
  }
}

ServerOptions Cluster::server_options() {
  ServerOptions options;
  options.membership.build = "test";
  options.membership.liveness = plan_.liveness;
  options.membership.channel.resend_all = plan_.resend_all;
  options.membership.channel.drop_duplicates = plan_.planted != Planted::kDedupe;
  options.membership.channel.resend = plan_.planted != Planted::kResend && plan_.planted != Planted::kGaps;
  options.membership.channel.refuse_gaps = plan_.planted != Planted::kGaps;
  options.membership.check_tokens = plan_.planted != Planted::kTokens;
  options.membership.checkpoints = plan_.seed % 4 == 0;
  options.membership.new_token = [this] {
    const PhiloxBlock block = philox(stream_key(plan_.seed, 0, "token"), ++tokens_);
    Token token{};
    std::memcpy(token.data(), &block, token.size());
    return token;
  };
  options.conductor.end = script_.end;
  options.conductor.leave = plan_.leave;
  options.conductor.barrier.sort_messages = plan_.planted != Planted::kOrdering;
  options.conductor.barrier.journal_losses = plan_.planted != Planted::kLosses;
  for (const HostPlan& host : plan_.hosts)
    if (host.expected) options.hosts.push_back(host.name);
  return options;
}

void Cluster::add_host(const HostPlan& plan) {
  ClientOptions options;
  options.session.name = plan.name;
  options.session.build = "test";
  options.session.datagrams = plan_.datagrams;
  options.session.server = SimNet::server_endpoint();
  options.session.dial_timeout = std::chrono::seconds(60);
  options.session.channel.resend_all = plan_.resend_all;
  options.session.channel.drop_duplicates = plan_.planted != Planted::kDedupe;
  options.session.channel.resend = plan_.planted != Planted::kResend && plan_.planted != Planted::kGaps;
  options.session.channel.refuse_gaps = plan_.planted != Planted::kGaps;
  if (plan_.planted == Planted::kCorrupt && plan.name == "host0") options.faults.corrupt_state_at = 100;
  Host host;
  host.log = std::make_unique<VirtualLog>(net_, plan.name.c_str(), verbose_);
  host.executor = std::make_unique<ShuffledExecutor>(plan.pieces);
  host.role = std::make_unique<ClientRole>(options, net_.add_client(plan.path), *host.executor, factory_, *host.log);
  net_.set_client(hosts_.size(), *host.role, plan.start);
  hosts_.push_back(std::move(host));
}

void Cluster::cut(std::size_t client) {
  net_.cut(client);
  hosts_[client].quiet_until = net_.now() + std::max<Duration>(plan_.liveness / 4, millis(200));
  if (random_.below(2) == 0) net_.refuse(client, millis(random_.uniform(1, 200)));
}

void Cluster::at_boundary(Tick tick) {
  if (plan_.cut_at >= 0 && tick >= plan_.cut_at && !cut_asked_ &&
      net_.troubles()[static_cast<std::size_t>(Trouble::kCut)] == 0) {
    // Any host that is linked by then, even if it has trouble already: a close that both see only shortens a silence.
    cut_asked_ = true;
    net_.at(net_.now() + millis(random_.uniform(0, 3)), [this] {
      cut_asked_ = false;  // again at the next boundary if no host could be cut
      for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const std::size_t client = (static_cast<std::size_t>(plan_.cut_at) + i) % hosts_.size();
        if (net_.linked(client)) return cut(client);
      }
    });
  }
  if (plan_.kill_at >= 0 && tick >= plan_.kill_at && !killed_) {
    killed_ = true;
    net_.at(net_.now() + millis(random_.uniform(0, 5)), [this] { net_.kill(plan_.kill_host); });
  }
}

void Cluster::plan_fault() {
  const double mean = seconds(plan_.fault_every);
  net_.at(net_.now() + Duration(static_cast<std::int64_t>(1e9 * mean * -std::log(1 - random_.uniform()))), [this] {
    make_fault();
    if (!server_->conductor().over()) plan_fault();
  });
}

void Cluster::make_fault() {
  const std::size_t client = random_.below(hosts_.size());
  const bool alive = plan_.liveness.count() > 0;
  const Duration now_silent = alive ? plan_.liveness : Duration(std::chrono::seconds(2));
  const auto kind = random_.below(8);
  const double share = random_.uniform();
  const auto half_open = static_cast<HalfOpen>(random_.below(3));
  if (!net_.linked(client) || hosts_[client].quiet_until > net_.now()) return;
  Moment& quiet = hosts_[client].quiet_until;
  if (verbose_)
    std::fprintf(stderr, "%9.4f net: trouble %d for %s\n", seconds(net_.now().time_since_epoch()),
                 static_cast<int>(kind), plan_.hosts[client].name.c_str());
  switch (kind) {
    case 0:
    case 1: cut(client); break;
    case 2:
    case 3:
    case 4: {
      const Duration length = millis(1e3 * seconds(now_silent) * 0.3 * share * share);
      net_.stall(client, length);
      quiet = net_.now() + length + now_silent / 5;
      break;
    }
    case 5:
      net_.refuse(client, millis(300 * share));  // for the next that dials
      break;
    default:  // found by silence: needs a liveness limit
      if (!alive) return;
      net_.half_open(client, half_open);
      quiet = net_.now() + plan_.liveness;
  }
}

std::string Cluster::judge() const {
  const Conductor& conductor = server_->conductor();
  if (!server_->finished())
    return "the run hangs at tick " + std::to_string(conductor.tick()) + (conductor.over() ? ", over" : "");
  if (!conductor.over() || conductor.tick() != script_.end) return "the run ended early";
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (killed_ && i == plan_.kill_host) continue;
    const auto failure = hosts_[i].role->failure();
    if (failure && plan_.hosts[i].expected) return plan_.hosts[i].name + ": " + failure->message();
  }
  if (server_->losses().all.size() > (killed_ ? 1u : 0u)) return "the server gave up " + server_->losses().all.front();
  if (!killed_ && !replay_ && !player_.refused().empty()) return player_.refused().front();
  if (stranger_ && stranger_->welcomed()) return "a stranger without a token was let in";
  return {};
}

void Cluster::collect(Outcome& outcome) const {
  const Conductor& conductor = server_->conductor();
  outcome.digest = conductor.digest();
  outcome.digests = memory_.digests();
  outcome.messages = memory_.messages();
  outcome.ticks = conductor.tick();
  outcome.troubles = net_.troubles();
  outcome.journal = memory_.journal();
  outcome.killed = killed_ && !server_->losses().all.empty();
  outcome.drops = server_->membership().drops().named();
  Events& e = outcome.events;
  e.lost_hosts = server_->losses().all.size();
  e.contacts = conductor.books().roll.contacts_between_hosts();
  e.carried_across = memory_.carried_across();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Session& session = hosts_[i].role->session();
    e.reconnects += session.reconnects();
    e.resent += session.channel().resent();
    e.duplicates += session.channel().duplicates();
    e.confirmed_datagrams += session.registered();
    e.slow_starts += plan_.hosts[i].start > Moment{};
    for (const auto& [reason, n] : session.drops().named()) outcome.drops[reason] += n;
  }
  for (const auto& [owner, host] : conductor.hosts()) e.late_joins += host.joined_at > 0;
  for (const JournalEntry& entry : outcome.journal) e.lost_mid_tick += std::holds_alternative<Lost>(entry.what);
  if (stranger_) e.wrong_tokens = stranger_->wrong_tokens(), e.garbage = stranger_->garbage();
  outcome.trace = chain(net_.trace(), outcome.digest);
}

Outcome Cluster::go() {
  if (plan_.fault_every.count() > 0) plan_fault();
  const Moment limit = Moment{} + kLongest;
  net_.run(limit, [&] { return server_->finished(); });
  // The last words are on their way; a host that misses them has reported.
  net_.run(net_.now() + std::chrono::milliseconds(500),
           [&] { return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.role->finished(); }); });
  Outcome outcome;
  outcome.failure = judge();
  collect(outcome);
  if (verbose_ && !server_log_.last_error().empty())
    std::fprintf(stderr, "server: %s\n", server_log_.last_error().c_str());
  return outcome;
}

}  // namespace

Outcome run(const Plan& plan, const Script& script, const std::vector<JournalEntry>* replay, bool verbose) {
  Cluster cluster(plan, script, replay, verbose);
  return cluster.go();
}

}  // namespace convoy::testing
