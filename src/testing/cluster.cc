#include "testing/cluster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "core/hash.h"
#include "roles/client.h"
#include "roles/server.h"
#include "testing/shuffled_executor.h"
#include "testing/signs.h"
#include "testing/stranger.h"
#include "testing/time_calls.h"
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

Plan plan_of(std::uint64_t seed, std::uint64_t script, Tick end) {
  Random random{stream_key(seed, 0, "plan"), 0};
  const auto boundary = [&](Tick from) {
    return from + static_cast<Tick>(random.below(static_cast<std::uint64_t>(std::max<Tick>(1, end - from - 20))));
  };
  Plan plan;
  plan.seed = seed;
  plan.script = script;
  const Duration limits[] = {Duration{0}, std::chrono::seconds(1), std::chrono::seconds(2), std::chrono::seconds(5)};
  plan.liveness = limits[random.below(5) == 0 ? 0 : 1 + random.below(3)];
  plan.datagrams = random.below(3) == 0;
  plan.resend_all = random.below(2) == 0;
  plan.stranger = random.below(3) == 0;
  plan.leave = random.below(2) == 0 ? LeavePolicy::kFreeze : LeavePolicy::kRemove;
  plan.fault_every = millis(std::pow(10.0, random.uniform(1.7, 3.2)));
  plan.mischief = some_mischief(random);
  if (random.below(2) == 0) plan.image_chunk = 200 + static_cast<std::uint32_t>(random.below(kMaxChunk - 200));
  if (random.below(2) == 0) plan.cut_at = boundary(0);
  if (random.below(3) == 0)
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) plan.pauses.push_back(boundary(1));

  const std::size_t hosts = 2 + random.below(5);
  const double latency = random.uniform(0.05, 8);
  const double narrow =
      plan.liveness >= std::chrono::seconds(2) ? 2e5 : 1e6;  // no wait for a link as long as a silence
  for (std::size_t i = 0; i < hosts; ++i) {
    HostPlan host;
    host.name = "host" + std::to_string(i);
    host.path.latency = millis(latency * random.uniform(0.5, 2));
    host.path.jitter = millis(random.below(2) == 0 ? 0 : latency * random.uniform(0, 3));
    host.path.split = random.uniform(0, 0.8);
    host.path.coalesce = random.uniform(0, 0.9);
    if (random.below(6) == 0) host.path.bytes_per_second = random.uniform(narrow, 2e6);
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
    plan.kill_at = boundary(10);
    plan.kill_host = random.below(hosts);
    if (random.below(3) > 0) plan.return_after = millis(random.uniform(1, 2000));
    plan.kill_closes = random.below(2) == 0;
  }
  return plan;
}

std::string describe(const Plan& plan) {
  char text[256];
  std::snprintf(text, sizeof text,
                "seed %llu: script %llu, %zu hosts, liveness %.0f s, a fault of %zu kinds every %.0f ms, cut at %lld, "
                "kill at %lld%s%s, %zu pauses%s%s",
                static_cast<unsigned long long>(plan.seed), static_cast<unsigned long long>(plan.script),
                plan.hosts.size(), seconds(plan.liveness), plan.mischief.size(), seconds(plan.fault_every) * 1e3,
                static_cast<long long>(plan.cut_at), static_cast<long long>(plan.kill_at),
                plan.leave == LeavePolicy::kRemove ? " (remove)" : " (freeze)",
                plan.return_after.count() > 0 ? " and again" : "", plan.pauses.size(),
                plan.datagrams ? ", datagrams" : "", plan.stranger ? ", a stranger" : "");
  return text;
}

// --------------------------------------------------------------------------------------------------------- runs

namespace {

// What was done to the world, by its journal.
struct KindOfEdit {
  const char* operator()(const Spawn&) const { return "spawn"; }
  const char* operator()(const Delete&) const { return "delete"; }
  const char* operator()(const SetState&) const { return "set_state"; }
  const char* operator()(const Attach&) const { return "attach"; }
  const char* operator()(const Detach&) const { return "detach"; }
  const char* operator()(const SetEnvironment&) const { return "environment"; }
  const char* operator()(const AddModel&) const { return "add_model"; }
  const char* operator()(const Reset& edit) const { return edit.entities.empty() ? "reset_all" : "reset_some"; }
  const char* operator()(const Freeze&) const { return "freeze"; }
  const char* operator()(const Move&) const { return "move"; }
  const char* operator()(const Mount&) const { return "mount"; }
  const char* operator()(const AddFile&) const { return "add_file"; }
  const char* operator()(const PutBody&) const { return "put_body"; }
  const char* operator()(const Return&) const { return "return"; }
  const char* operator()(const SetPart&) const { return "set_part"; }
  const char* operator()(const Lease&) const { return "lease"; }
  const char* operator()(const SetTags&) const { return "tags"; }
};
struct KindOfInput {
  const char* operator()(const DriveCommand&) const { return "drive"; }
  const char* operator()(const SetParameter&) const { return "parameter"; }
  const char* operator()(const SetControls&) const { return "controls"; }
  const char* operator()(const SetSensor&) const { return "sensor"; }
  const char* operator()(const PublishMessage&) const { return "publish"; }
  const char* operator()(const CallService&) const { return "call"; }
  const char* operator()(const OutsideTraffic&) const { return "outside"; }
};

constexpr std::uint64_t kMany = 10;  // of one kind at one boundary

void count_journal(const std::vector<JournalEntry>& journal, std::map<std::string, std::uint64_t>& events) {
  std::map<std::tuple<std::uint32_t, Tick, std::string>, std::uint64_t> at_once;
  for (const JournalEntry& entry : journal) {
    if (std::holds_alternative<Lost>(entry.what)) ++events["lost_within_a_tick"];
    if (const auto* input = std::get_if<Input>(&entry.what))
      ++events[std::string("input ") + std::visit(KindOfInput{}, *input)];
    if (const auto* asked = std::get_if<AskedEdit>(&entry.what))
      ++events[std::string("asked ") + std::visit(KindOfEdit{}, asked->edit)];
    if (const auto* edit = std::get_if<Edit>(&entry.what)) {
      const std::string kind = std::visit(KindOfEdit{}, *edit);
      ++events["edit " + kind];
      if (++at_once[{entry.run, entry.tick, kind}] == kMany && (kind == "spawn" || kind == "attach"))
        ++events[kind == "spawn" ? "spawn_storm" : "everything_attached"];
    }
  }
}

// One run: the parts, and who makes trouble.
class Cluster {
 public:
  Cluster(const Plan& plan, const Script& script, const AgentParts& parts, const std::vector<JournalEntry>* replay,
          bool verbose);
  Outcome go();

 private:
  struct Host {
    std::unique_ptr<VirtualLog> log;
    std::unique_ptr<ShuffledExecutor> executor;
    std::unique_ptr<ClientRole> role;
    std::unique_ptr<Signs> signs;  // where there is a liveness limit
    std::size_t client = 0, signs_client = 0;
  };
  // Asks at each boundary whether it is time for what the plan wants at one.
  class Clockwork final : public RunWatcher {
   public:
    explicit Clockwork(Cluster& all) : all_(all) {}
    void completed(std::uint32_t run, Tick tick, const World&, std::span<const AgentHash>,
                   std::span<const Message>) override {
      all_.at_boundary(run, tick);
    }
    void entered(const JournalEntry&) override {}
    void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
    void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

   private:
    Cluster& all_;
  };

  ServerOptions server_options();
  void add_host(const HostPlan& plan);
  void kill();
  void at_boundary(std::uint32_t run, Tick tick);
  void cut();
  bool everybody_finished() const;
  std::string judge() const;
  void collect(Outcome& outcome) const;

  const Plan& plan_;
  const Script& script_;
  const AgentParts parts_;
  const bool verbose_;
  Random random_;
  std::uint64_t tokens_ = 0;
  SimNet net_;
  std::size_t clients_ = 0;  // in the network
  VirtualLog server_log_;
  RunMemory memory_;
  ScriptPlayer player_;
  std::optional<JournalReplay> replay_;
  Clockwork clockwork_;
  Troublemaker trouble_;
  std::unique_ptr<ServerRole> server_;
  std::vector<Host> hosts_;
  std::unique_ptr<Stranger> stranger_;
  std::unique_ptr<Caller> caller_;
  std::unique_ptr<TimeCalls> time_calls_;
  std::size_t pauses_begun_ = 0;
  bool cut_asked_ = false, killed_ = false;
};

Cluster::Cluster(const Plan& plan, const Script& script, const AgentParts& parts,
                 const std::vector<JournalEntry>* replay, bool verbose)
    : plan_(plan),
      script_(script),
      parts_(parts),
      verbose_(verbose),
      random_{stream_key(plan.seed, 0, "cluster"), 0},
      net_(plan.seed),
      server_log_(net_, "server", verbose),
      player_(script.steps),
      clockwork_(*this),
      trouble_({stream_key(plan.seed, 0, "faults"), plan.fault_every, plan.liveness, plan.mischief, verbose}, net_) {
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
    net_.set_client(clients_++, *stranger_);
  }
  if (!plan.pauses.empty()) {
    caller_ = std::make_unique<Caller>("", PeerRole::kControl, net_.add_client({}));
    net_.set_client(clients_++, *caller_);
    time_calls_ = std::make_unique<TimeCalls>(stream_key(plan.seed, 0, "pauses"), net_, *caller_);
  }
}

ServerOptions Cluster::server_options() {
  ServerOptions options;
  options.membership.build = "test";
  options.membership.liveness = plan_.liveness;
  options.evictions = {Duration{0}, std::chrono::hours(24)};  // who hangs shall be seen to
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
  options.conductor.image_chunk = plan_.image_chunk;
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
  if (plan_.planted == Planted::kCorrupt && plan.name == "host0") options.faults.corrupt_state_at = script_.end / 2;
  Host host;
  host.log = std::make_unique<VirtualLog>(net_, plan.name.c_str(), verbose_);
  host.executor = std::make_unique<ShuffledExecutor>(plan.pieces);
  host.role = std::make_unique<ClientRole>(options, net_.add_client(plan.path), *host.executor, parts_, *host.log);
  host.client = clients_++;
  net_.set_client(host.client, *host.role, plan.start);
  Troublemaker::Victim victim{plan.name, host.client};
  if (plan_.liveness.count() > 0) {
    host.signs = std::make_unique<Signs>(host.role->session(), net_.add_client(plan.path));
    victim.signs = host.signs_client = clients_++;
    net_.set_client(host.signs_client, *host.signs, plan.start);
  }
  trouble_.add(std::move(victim));
  hosts_.push_back(std::move(host));
}

void Cluster::cut() {
  cut_asked_ = false;  // again at the next boundary if no host could be cut
  trouble_.cut_near(static_cast<std::size_t>(plan_.cut_at) % hosts_.size());
}

void Cluster::kill() {
  const Host& host = hosts_[plan_.kill_host];
  std::vector<std::size_t> clients{host.client};
  if (host.signs) clients.push_back(host.signs_client);
  for (const std::size_t client : clients) {
    if (plan_.kill_closes) net_.cut(client);
    net_.at(net_.now() + std::chrono::milliseconds(plan_.kill_closes ? 50 : 0), [this, client] { net_.kill(client); });
  }
  if (plan_.return_after.count() == 0) return;
  HostPlan again = plan_.hosts[plan_.kill_host];
  again.start = net_.now() + plan_.return_after;
  net_.at(again.start, [this, again] { add_host(again); });
}

void Cluster::at_boundary(std::uint32_t run, Tick tick) {
  if (server_->conductor().over()) trouble_.end();
  if (run != script_.resets) return;
  if (plan_.cut_at >= 0 && tick >= plan_.cut_at && !cut_asked_ &&
      net_.troubles()[static_cast<std::size_t>(Trouble::kCut)] == 0) {
    cut_asked_ = true;
    net_.at(net_.now() + millis(random_.uniform(0, 3)), [this] { cut(); });
  }
  if (plan_.kill_at >= 0 && tick >= plan_.kill_at && !killed_) {
    killed_ = true;
    net_.at(net_.now() + millis(random_.uniform(0, 5)), [this] { kill(); });
  }
  if (pauses_begun_ < plan_.pauses.size() && std::count_if(plan_.pauses.begin(), plan_.pauses.end(), [&](Tick at) {
                                               return at <= tick;
                                             }) > static_cast<std::ptrdiff_t>(pauses_begun_)) {
    ++pauses_begun_;
    time_calls_->begin();
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
    const bool expected = i < plan_.hosts.size() ? plan_.hosts[i].expected : hosts_[i].role->host() != nullptr;
    if (failure && expected) return hosts_[i].role->session().name() + ": " + failure->message();
  }
  if (server_->losses().all.size() > (killed_ ? 1u : 0u)) return "the server gave up " + server_->losses().all.front();
  if (!killed_ && !replay_ && !script_.agents_edit && !player_.refused().empty()) return player_.refused().front();
  if (!killed_ && !replay_ && !player_.late().empty()) return player_.late().front();
  if (!killed_ && conductor.run() != script_.resets) return "another number of resets than the script has";
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
  auto& e = outcome.events;
  e["host_lost"] = server_->losses().all.size();
  e["contacts_between_hosts"] = conductor.books().roll.contacts_between_hosts();
  e["carried_across_hosts"] = memory_.carried_across();
  e["busy_for_longer_than_liveness"] = trouble_.busy_for_long();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Session& session = hosts_[i].role->session();
    e["reconnect"] += session.reconnects();
    e["frames_resent"] += session.channel().resent();
    e["duplicates_dropped"] += session.channel().duplicates();
    e["datagrams_confirmed"] += session.registered();
    if (i < plan_.hosts.size()) e["started_late"] += plan_.hosts[i].start > Moment{};
    if (hosts_[i].signs) e["signs_of_life"] += hosts_[i].signs->sent();
    for (const auto& [reason, n] : session.drops().named()) outcome.drops[reason] += n;
  }
  for (const auto& [owner, host] : conductor.hosts()) e["joined_late"] += host.joined_at > 0;
  count_journal(outcome.journal, e);
  if (stranger_) e["wrong_token"] = stranger_->wrong_tokens(), e["garbage"] = stranger_->garbage();
  if (time_calls_) e["paused"] = time_calls_->pauses(), e["stepped"] = time_calls_->steps();
  outcome.trace = chain(net_.trace(), outcome.digest);
}

bool Cluster::everybody_finished() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.role->finished(); });
}

Outcome Cluster::go() {
  trouble_.begin();
  net_.run(Moment{} + kLongest, [&] {
    if (time_calls_) time_calls_->listen();
    return server_->finished();
  });
  trouble_.end();
  // The last words are on their way; a host that misses them has reported.
  net_.run(net_.now() + std::chrono::milliseconds(500), [&] { return everybody_finished(); });
  Outcome outcome;
  outcome.failure = judge();
  collect(outcome);
  if (verbose_ && !server_log_.last_error().empty())
    std::fprintf(stderr, "server: %s\n", server_log_.last_error().c_str());
  return outcome;
}

}  // namespace

Outcome run(const Plan& plan, const Script& script, const AgentParts& parts, const std::vector<JournalEntry>* replay,
            bool verbose) {
  return Cluster(plan, script, parts, replay, verbose).go();
}

Outcome run(const Plan& plan, const Script& script) {
  const KinematicFactory factory;
  return run(plan, script, factory);
}

}  // namespace convoy::testing
