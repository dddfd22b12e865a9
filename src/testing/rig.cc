#include "testing/rig.h"

#include <algorithm>

#include "core/check.h"

namespace convoy::testing {

Caller::Caller(std::string name, PeerRole role, Network& network)
    : session_({.role = role,
                .name = std::move(name),
                .build = "test",
                .load_setup = false,
                .dial_timeout = std::chrono::seconds(60)},
               network, *this) {}

std::uint64_t Caller::send(proto::Request request) {
  if (request.id() == 0) request.set_id(next_id_++);
  Bytes bytes(request.ByteSizeLong());
  request.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
  session_.send(FrameType::kRequest, std::move(bytes));
  session_.flush();
  return request.id();
}

const proto::Reply* Caller::reply(std::uint64_t id) const {
  const auto it = std::find_if(replies_.begin(), replies_.end(), [&](const auto& r) { return r.id() == id; });
  return it == replies_.end() ? nullptr : &*it;
}

void Caller::on_time(Moment now) {
  if (!std::exchange(started_, true)) session_.start(now);
  session_.on_time(now);
}

void Caller::frame(FrameType type, ByteView payload, Moment) {
  if (type == FrameType::kSamples) {
    SamplePieces pieces;
    EXPECTS(load(payload, pieces) && collector_.take(pieces, samples_));
  }
  if (type != FrameType::kReply) return;
  proto::Reply reply;
  EXPECTS(reply.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
  replies_.push_back(std::move(reply));
}

Rig::Rig(const Setup& setup, RigOptions options) : options_(std::move(options)) {
  ServerOptions server_options;
  server_options.membership.build = "test";
  server_options.membership.liveness = options_.liveness;
  server_options.evictions = options_.evictions;
  server_options.membership.new_token = [this] {
    Token token{};
    token[0] = ++tokens_;
    return token;
  };
  server_options.conductor.end = options_.end;
  server_options.conductor.paused = options_.paused;
  server_options.conductor.leave = options_.leave;
  server_options.membership.free_mode = options_.free;
  server_options.live = options_.live;
  server_options.live.end = options_.end;
  server_options.live.paused = options_.paused;
  server_options.live.leave = options_.leave;
  server_options.hosts = options_.hosts;
  for (const auto* more : {&options_.absent, &options_.sensor_hosts})
    server_options.hosts.insert(server_options.hosts.end(), more->begin(), more->end());
  server_options.faults = options_.faults;
  server_options.quit_when_over = !options_.stay;
  server_options.wanted = options_.wanted, server_options.seen = options_.seen;
  server_options.judge = options_.judge;
  server_options.judges = options_.judges;
  auto made = ServerRole::make(setup, server_options, net.server_network(), log, {&memory});
  EXPECTS(made.has_value());
  server = std::move(*made);
  net.set_server(*server);
  for (const std::string& name : options_.hosts) add_host(name);
  for (const std::string& name : options_.sensor_hosts) add_sensor_host(name);
  add_caller("ctl", PeerRole::kControl);
  if (options_.paused)
    run_until([&] {
      return (options_.free ? !run().gathering() : conductor().phase() == Conductor::Phase::kBoundary) &&
             std::all_of(clients.begin(), clients.end(), [](const auto& c) { return c->fleet(); });
    });
}

std::size_t Rig::add_host(const std::string& name, std::uint64_t fingerprint, Gateway* gateway) {
  ClientOptions client;
  client.session.name = name;
  client.session.build = "test";
  client.session.fingerprint = fingerprint;
  client.session.datagrams = options_.free;
  client.session.server = SimNet::server_endpoint();
  if (clients.empty()) client.faults = options_.faults_of_first, client.handlers = options_.compilers;
  if (clients.empty()) client.gateway = options_.gateway;
  if (clients.size() < options_.gateways.size()) client.gateway = options_.gateways[clients.size()];
  if (gateway) client.gateway = gateway;
  const PhysicsFactory& physics = options_.physics ? *options_.physics : factory;
  clients.push_back(std::make_unique<ClientRole>(client, net.add_client(options_.path), executor,
                                                 AgentParts{physics, options_.software, nullptr, options_.taker}, log));
  net.set_client(seats_taken_, *clients.back(), net.now());
  seats.push_back(seats_taken_++);
  return clients.size() - 1;
}

std::size_t Rig::add_sensor_host(const std::string& name) {
  SensorHostOptions options;
  options.session.name = name;
  options.session.build = "test";
  options.session.server = SimNet::server_endpoint();
  options.slow = options_.sensors_slow;
  sensor_hosts.push_back(std::make_unique<SensorHostRole>(options, net.add_client(options_.sensor_path), executor,
                                                          AgentParts{factory}, log));
  net.set_client(seats_taken_, *sensor_hosts.back(), net.now());
  sensor_seats.push_back(seats_taken_++);
  return sensor_hosts.size() - 1;
}

std::size_t Rig::add_caller(const std::string& name, PeerRole role) {
  callers.push_back(std::make_unique<Caller>(name, role, net.add_client({})));
  net.set_client(seats_taken_++, *callers.back(), net.now());
  Session& session = callers.back()->session();
  run_until([&] { return session.welcome(); });
  return callers.size() - 1;
}

bool Rig::run_until(const std::function<bool()>& until, double limit_s) {
  net.run(net.now() + Duration(static_cast<std::int64_t>(limit_s * 1e9)), until);
  return until();
}

proto::Reply Rig::call(const proto::Request& request, std::size_t caller) {
  const std::uint64_t id = callers[caller]->send(request);
  run_until([&] { return callers[caller]->reply(id) != nullptr; });
  const proto::Reply* reply = callers[caller]->reply(id);
  if (reply) return *reply;
  proto::Reply none;
  none.set_error(999);
  none.set_text("no answer came");
  return none;
}

Bytes Rig::inner(WorldNumber number) const {
  for (const auto& client : clients)
    if (client->fleet() && client->fleet()->agent(number)) return client->fleet()->inner(number);
  return {};
}

bool Rig::logged(const std::string& part) const {
  return std::any_of(log.lines.begin(), log.lines.end(),
                     [&](const auto& l) { return l.find(part) != std::string::npos; });
}

}  // namespace convoy::testing
