#include "testing/live_cluster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/hash.h"
#include "testing/live_calls.h"
#include "testing/same_view.h"
#include "testing/signs.h"
#include "testing/stranger.h"
#include "testing/virtual_log.h"

namespace convoy::testing {

namespace {

PathProfile draw_path(Random& random, double latency) {
  PathProfile path;
  path.latency = millis(latency * random.uniform(0.5, 2));
  path.jitter = millis(random.below(2) == 0 ? 0 : latency * random.uniform(0, 3));
  if (random.below(3) == 0) path.slower_up = millis(latency * random.uniform(0, 3));
  path.split = random.uniform(0, 0.8);
  path.coalesce = random.uniform(0, 0.9);
  if (random.below(6) == 0) path.bytes_per_second = random.uniform(3e5, 2e6);
  path.datagram_loss = random.uniform(0, 0.35);
  path.datagram_twice = random.uniform(0, 0.3);
  path.datagram_late = random.uniform(0, 0.3);
  path.datagram_damage = random.uniform(0, 0.15);
  return path;
}

}  // namespace

LivePlan live_plan_of(std::uint64_t seed, std::uint64_t script) {
  Random random{stream_key(seed, 0, "live plan"), 0};
  LivePlan plan;
  plan.seed = seed;
  plan.script = script;
  const Duration limits[] = {std::chrono::seconds(1), std::chrono::seconds(2), std::chrono::seconds(4)};
  plan.liveness = limits[random.below(3)];
  plan.length = millis(random.uniform(3000, 5000));
  plan.fault_every = millis(std::pow(10.0, random.uniform(2, 3)));
  plan.mischief = some_mischief(random);
  plan.speed = random.below(4) == 0 ? 2 : 1;
  plan.slow = random.below(4) == 0;
  plan.leave = random.below(2) == 0 ? LeavePolicy::kFreeze : LeavePolicy::kRemove;
  plan.stranger = random.below(3) == 0;
  plan.resend_all = random.below(3) == 0;
  const std::size_t hosts = 2 + random.below(5);
  const double latency = random.uniform(0.05, 8);
  for (std::size_t i = 0; i < hosts; ++i) {
    HostPlan host;
    host.name = "host" + std::to_string(i);
    host.path = draw_path(random, latency);
    host.start = Moment{} + millis(random.below(2) == 0 ? 0 : random.uniform(0, 800));
    host.pieces = random.below(2) == 0 ? 0 : random.bits();
    plan.hosts.push_back(host);
  }
  if (random.below(3) == 0) {
    HostPlan host = plan.hosts[0];
    host.name = "latecomer";
    host.start = Moment{} + millis(random.uniform(1500, 4000));
    host.expected = false;
    plan.hosts.push_back(host);
  }
  plan.callers = draw_path(random, latency);
  plan.kill = random.below(4) == 0;
  plan.kill_host = random.below(hosts);
  plan.kill_after = millis(random.uniform(300, 3000));
  if (random.below(3) > 0) plan.return_after = millis(random.uniform(1, 2000));
  plan.kill_closes = random.below(2) == 0;
  return plan;
}

std::string describe(const LivePlan& plan) {
  char text[256];
  std::snprintf(text, sizeof text,
                "seed %llu: script %llu, %zu hosts, liveness %.0f s, %.1f s, a fault of %zu kinds every %.0f ms, speed "
                "%.0f%s%s%s",
                static_cast<unsigned long long>(plan.seed), static_cast<unsigned long long>(plan.script),
                plan.hosts.size(), seconds(plan.liveness), seconds(plan.length), plan.mischief.size(),
                seconds(plan.fault_every) * 1e3, plan.speed, plan.slow ? ", waits for the slow" : "",
                plan.stranger ? ", a stranger" : "",
                !plan.kill                           ? ""
                : plan.leave == LeavePolicy::kRemove ? ", a host dies (remove)"
                                                     : ", a host dies (freeze)");
  return text;
}

namespace {

class LiveCluster {
 public:
  LiveCluster(const LivePlan& plan, const Setup& setup, bool verbose);
  LiveOutcome go();

 private:
  struct Host {
    std::unique_ptr<ShuffledExecutor> executor;
    std::unique_ptr<ClientRole> role;
    std::unique_ptr<Signs> signs;
    std::size_t client = 0, signs_client = 0;
  };
  ServerOptions server_options();
  void add_host(const HostPlan& plan);
  void kill();
  void add_caller(std::size_t which);
  void pass(
      Duration time, const std::function<bool()>& until = [] { return false; });
  std::string play();
  std::string judge() const;
  void collect(LiveOutcome& outcome) const;
  // Hosts that have come again follow those of the plan.
  const std::string& host_name(std::size_t host) const {
    return plan_.hosts[host < plan_.hosts.size() ? host : plan_.kill_host].name;
  }
  bool dead(std::size_t host) const { return killed_ && host == plan_.kill_host; }

  const LivePlan& plan_;
  const Setup& setup_;
  std::uint64_t tokens_ = 0;
  SimNet net_;
  std::size_t clients_ = 0;  // in the network
  Troublemaker trouble_;
  VirtualLog log_;
  const KinematicFactory factory_;
  std::unique_ptr<ServerRole> server_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<std::unique_ptr<LiveCalls>> calls_;
  std::unique_ptr<Stranger> stranger_;
  std::uint64_t carried_across_ = 0;
  bool killed_ = false;
};

LiveCluster::LiveCluster(const LivePlan& plan, const Setup& setup, bool verbose)
    : plan_(plan),
      setup_(setup),
      net_(plan.seed),
      trouble_({stream_key(plan.seed, 0, "live faults"), plan.fault_every, plan.liveness, plan.mischief, verbose},
               net_),
      log_(net_, "live", verbose) {
  auto server = ServerRole::make(setup, server_options(), net_.server_network(), log_, {});
  EXPECTS(server.has_value());
  server_ = std::move(*server);
  net_.set_server(*server_);
  for (const HostPlan& host : plan.hosts) add_host(host);
  for (std::size_t i = 0; i < 2; ++i) add_caller(i);
  if (plan.stranger) {
    stranger_ = std::make_unique<Stranger>(stream_key(plan.seed, 0, "stranger"), net_.add_client({}),
                                           SimNet::server_endpoint());
    net_.set_client(clients_++, *stranger_);
  }
}

ServerOptions LiveCluster::server_options() {
  ServerOptions options;
  options.membership.build = "test";
  options.membership.free_mode = true;
  options.membership.liveness = plan_.liveness;
  options.membership.channel.resend_all = plan_.resend_all;
  options.membership.check_tokens = plan_.planted != Planted::kTokens;
  options.membership.check_datagrams = plan_.planted != Planted::kChecksum;
  options.membership.new_token = [this] {
    const PhiloxBlock block = philox(stream_key(plan_.seed, 0, "token"), ++tokens_);
    Token token{};
    std::memcpy(token.data(), &block, token.size());
    return token;
  };
  options.live.speed = plan_.speed;
  options.live.leave = plan_.leave;
  options.live.drift = plan_.slow ? DriftPolicy::kSlow : DriftPolicy::kDegrade;
  options.live.rules.check_stamps = plan_.planted != Planted::kStamps;
  for (const HostPlan& host : plan_.hosts)
    if (host.expected) options.hosts.push_back(host.name);
  return options;
}

void LiveCluster::add_host(const HostPlan& plan) {
  ClientOptions options;
  options.session.name = plan.name;
  options.session.build = "test";
  options.session.datagrams = true;
  options.session.server = SimNet::server_endpoint();
  options.session.dial_timeout = std::chrono::seconds(60);
  options.session.channel.resend_all = plan_.resend_all;
  options.session.check_datagrams = plan_.planted != Planted::kChecksum;
  options.live.rules.check_stamps = plan_.planted != Planted::kStamps;
  Host host;
  host.executor = std::make_unique<ShuffledExecutor>(plan.pieces);
  host.role = std::make_unique<ClientRole>(options, net_.add_client(plan.path), *host.executor, factory_, log_);
  host.client = clients_++;
  net_.set_client(host.client, *host.role, plan.start);
  host.signs = std::make_unique<Signs>(host.role->session(), net_.add_client(plan.path));
  host.signs_client = clients_++;
  net_.set_client(host.signs_client, *host.signs, plan.start);
  trouble_.add({plan.name, host.client, host.signs_client});
  hosts_.push_back(std::move(host));
}

void LiveCluster::kill() {
  killed_ = true;
  for (const std::size_t client : {hosts_[plan_.kill_host].client, hosts_[plan_.kill_host].signs_client}) {
    if (plan_.kill_closes) net_.cut(client);
    net_.at(net_.now() + std::chrono::milliseconds(plan_.kill_closes ? 50 : 0), [this, client] { net_.kill(client); });
  }
  if (plan_.return_after.count() == 0) return;
  HostPlan again = plan_.hosts[plan_.kill_host];
  again.start = net_.now() + plan_.return_after;
  net_.at(again.start, [this, again] { add_host(again); });
}

void LiveCluster::add_caller(std::size_t which) {
  // Without a name, as ctl: else one whose Welcome was lost finds its own name taken.
  callers_.push_back(std::make_unique<Caller>("", PeerRole::kControl, net_.add_client(plan_.callers)));
  trouble_.add({"caller" + std::to_string(which), clients_});
  net_.set_client(clients_++, *callers_.back());
  calls_.push_back(
      std::make_unique<LiveCalls>(stream_key(plan_.seed, which, "calls"), setup_, net_, *callers_.back(), which == 1));
}

void LiveCluster::pass(Duration time, const std::function<bool()>& until) {
  net_.run(net_.now() + time, [&] {
    for (auto& calls : calls_) calls->listen();
    carried_across_ += carried_across(server_->run().world());
    return until();
  });
}

// What went wrong on the way, or "".
std::string LiveCluster::play() {
  using std::chrono::seconds;
  trouble_.begin();
  pass(seconds(60), [&] {
    return !server_->run().gathering() && callers_[0]->session().welcome() && callers_[1]->session().welcome();
  });
  if (server_->run().gathering()) return "the run has not begun after a minute";
  for (auto& calls : calls_) calls->begin();
  if (plan_.kill) net_.at(net_.now() + plan_.kill_after, [this] { kill(); });
  pass(plan_.length);
  trouble_.end();
  for (auto& calls : calls_) calls->end();
  pass(seconds(60), [&] { return calls_[0]->idle() && calls_[1]->idle(); });
  if (!calls_[0]->idle() || !calls_[1]->idle()) return "a call has no answer after a minute";
  pass(trouble_.aftermath());
  server_->run().time().pause();
  pass(2 * plan_.liveness + seconds(2));  // links are found dead, losses made good
  return {};
}

std::string LiveCluster::judge() const {
  const LiveServer& live = server_->live();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (dead(i)) continue;
    const ClientRole& role = *hosts_[i].role;
    if (const auto failure = role.failure()) return host_name(i) + ": " + failure->message();
    if (!role.live()) return host_name(i) + " has no world";
    const std::string wrong = difference(live, *role.live(), role.session().number());
    if (!wrong.empty())
      return host_name(i) + " at tick " + std::to_string(role.live()->tick()) + " of " + std::to_string(live.tick()) +
             ": " + wrong;
  }
  if (server_->losses().all.size() != (killed_ ? 1u : 0u))
    return "the server has lost " + std::to_string(server_->losses().all.size()) + " hosts";
  std::uint64_t spawned = 0, driven = 0;
  for (const auto& calls : calls_) {
    if (const std::string wrong = calls->judge(live.world(), killed_); !wrong.empty()) return wrong;
    spawned += calls->succeeded("spawn"), driven += calls->succeeded("drive");
  }
  if (live.books().counts.spawned != spawned)
    return std::to_string(live.books().counts.spawned) + " spawned by " + std::to_string(spawned) + " calls";
  if (live.books().counts.inputs != driven)
    return std::to_string(live.books().counts.inputs) + " commands passed on for " + std::to_string(driven) + " calls";
  if (!killed_ && live.books().counts.deleted != calls_[0]->succeeded("delete"))
    return "another number of deletions than calls";
  if (stranger_ && stranger_->welcomed()) return "a stranger without a token was let in";
  return {};
}

void LiveCluster::collect(LiveOutcome& outcome) const {
  outcome.troubles = net_.troubles();
  auto& e = outcome.events;
  for (const char* kind : {"reconnect", "frames_resent", "duplicate_frames", "contacts_between_hosts", "joined_late",
                           "paused_late", "wrong_token", "garbage", "host_frozen", "host_removed", "host_returned"})
    e[kind];
  outcome.drops = server_->membership().drops().named();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const ClientRole& role = *hosts_[i].role;
    e["reconnect"] += role.session().reconnects();
    e["frames_resent"] += role.session().channel().resent();
    e["duplicate_frames"] += role.session().channel().duplicates();
    if (role.fleet()) e["contacts_between_hosts"] += role.fleet()->counts().foreign_contacts;
    if (role.live() && !dead(i)) e["paused_late"] += role.live()->tick() > server_->run().tick();
    for (const auto& [reason, n] : role.session().drops().named()) outcome.drops[reason] += n;
    if (i >= plan_.hosts.size() && role.fleet()) e["host_returned"] += !role.fleet()->all().empty();
  }
  for (const Host& host : hosts_) e["signs_of_life"] += host.signs->sent();
  e["busy_for_longer_than_liveness"] = trouble_.busy_for_long();
  for (const auto& caller : callers_) e["caller_reconnect"] += caller->session().reconnects();
  for (const auto& [owner, host] : server_->run().hosts()) e["joined_late"] += host.joined_at > 0;
  e["carried_across_hosts"] = carried_across_;
  e[plan_.leave == LeavePolicy::kRemove ? "host_removed" : "host_frozen"] += server_->losses().all.size();
  if (stranger_) e["wrong_token"] = stranger_->wrong_tokens(), e["garbage"] = stranger_->garbage();
  for (const auto& calls : calls_)
    for (const auto& [kind, n] : calls->made()) e["call " + kind] += n;
  outcome.trace = chain(net_.trace(), hash64(server_->run().world().image()));
}

LiveOutcome LiveCluster::go() {
  LiveOutcome outcome;
  outcome.failure = play();
  if (outcome.failure.empty()) outcome.failure = judge();
  collect(outcome);
  if (!outcome.failure.empty()) return outcome;
  server_->stop();
  pass(std::chrono::seconds(30), [&] { return server_->finished(); });
  if (!server_->finished()) outcome.failure = "the run does not end";
  return outcome;
}

}  // namespace

LiveOutcome run(const LivePlan& plan, const Setup& setup, bool verbose) {
  LiveCluster cluster(plan, setup, verbose);
  return cluster.go();
}

}  // namespace convoy::testing
