#include "roles/client.h"

#include "convoy/control.pb.h"
#include "world/users_code.h"

namespace convoy {

namespace {

constexpr std::size_t kRobotsInReport = 1000;
// Frames of robots' statistics for the report at the end, without the process's figures.
std::vector<HostReport> reports_of(const Fleet* fleet) {
  std::vector<HostReport> reports(1);
  if (fleet) {
    for (const Entity& entity : fleet->world().entities()) {
      const Agent* agent = fleet->agent(entity.number);
      if (!agent) continue;
      if (reports.back().robots.size() >= kRobotsInReport) reports.emplace_back();
      const AgentStatistics& s = agent->statistics();
      reports.back().robots.push_back(
          {entity.number, s.distance, s.map_contacts, s.robot_contacts, s.first_contacts, s.stuck});
      reports.back().robots.back().one_sided = agent->physics().one_sided_ticks();
      const AgentNodes* nodes = agent->equipment().nodes.get();
      if (!nodes || !nodes->software()) continue;
      const nodes::Graph& graph = nodes->software()->graph();
      RobotReport& report = reports.back().robots.back();
      report.nodes = graph.digest(), report.callbacks = graph.callbacks(), report.published = graph.published();
    }
    reports.back().agent_ticks = fleet->counts().agent_ticks;
    reports.back().foreign_contacts = fleet->counts().foreign_contacts;
  }
  reports.back().last = true;
  return reports;
}

// What this machine has of the code that the scenario names; a scenario without any has no payload.
Bytes ready_payload(const Setup& setup, const AgentParts& parts) {
  std::optional<Error> missing;  // is an error where a robot needs it
  CodeList list;
  if (parts.software)
    list.files = parts.software->code_of(component_classes(setup.entities), CodeSource::kScenario, missing);
  if (parts.sensors)
    for (CodeFile& file : parts.sensors->code_of(users_sensors(setup.entities, setup.sensors), missing))
      list.files.push_back(std::move(file));
  for (CodeFile& file : parts.physics->code_of(setup.models, missing)) list.files.push_back(std::move(file));
  if (first_that(setup.entities, SensorBook(), &SensorTraits::pictures).sensor)
    list.files.push_back({kRendererCode, renderer_of(parts.pictures).value_or(0)});
  return list.files.empty() ? Bytes{} : save(list);
}

// Of pictures that do not count, which are then not taken.
void warn_of_blindness(const Setup& setup, const AgentParts& parts, Log& log) {
  const SensorOnRobot camera = first_that(setup.entities, SensorBook(), &SensorTraits::pictures);
  if (!camera.sensor || pictures_count(setup)) return;
  const auto print = renderer_of(parts.pictures);
  if (print) return;
  log.line(LogLevel::kWarn, "cameras take no pictures here, as '" + camera.sensor->name + "' of '" +
                                camera.robot->name + "': " + print.error().message());
}

}  // namespace

ClientRole::ClientRole(ClientOptions options, Network& network, Executor& executor, const AgentParts& parts, Log& log)
    : options_(std::move(options)),
      executor_(executor),
      parts_(parts),
      log_(log),
      models_(*parts_.physics, options_.handlers),
      session_(options_.session, network, *this),
      samples_(session_, network, options_.peers, log),
      reports_(session_, options_.stopwatch) {
  takers_.add(parts.taker), takers_.add(reports_.taker());
  if (options_.gateway) takers_.add(options_.gateway->taker());
  parts_.taker = takers_.taker();
}

void ClientRole::on_time(Moment now) {
  if (!started_) {
    started_ = true;
    session_.start(now);
  }
  session_.on_time(now);
  if (session_.ended()) {
    if (Gateway* gateway = std::exchange(options_.gateway, nullptr)) gateway->left();
    return;
  }
  samples_.on_time(now);
  if (host_) report_if_over();  // what came straight from a sensor host may have been the last that it waited for
  models_.collect([this](const Bytes& answer) { session_.send(FrameType::kAnswer, answer); });
  if (options_.gateway) options_.gateway->on_time(fleet(), now);
  if (options_.gateway && (host_ || live_)) pass_wishes();
  if (live_) {
    live_->on_time(now);
    reports_.deliver(*live_);
  }
  if (its()) reports_.on_time(now, *its());
  session_.flush();
}

void ClientRole::pass_wishes() {
  if (host_ && host_->fleet()) host_->gateway().send_horizon(host_->run());
  wishes_.send(*options_.gateway, fleet(), session_);
}

Moment ClientRole::deadline() const {
  if (!started_) return Moment{};
  Moment next = live_ ? std::min(session_.deadline(), live_->deadline()) : session_.deadline();
  if (options_.gateway) next = std::min(next, options_.gateway->deadline());
  return std::min(next, samples_.deadline());
}

void ClientRole::welcomed(Moment) {
  if (options_.welcomed) options_.welcomed(session_);
  log_.line(LogLevel::kInfo,
            "joined as " + session_.name() + ", connection " + std::to_string(session_.number().value()));
}

void ClientRole::held_up(const std::string& why) { log_.line(LogLevel::kWarn, why + "; it is asked again meanwhile"); }

void ClientRole::setup_loaded(ByteView bytes, Moment) {
  Setup setup;
  if (!load(bytes, setup)) {
    failure_ = Error{ErrorCode::kInvalid, "the scenario that the server sent cannot be read", {}};
    return session_.leave();
  }
  const Bytes code = ready_payload(setup, parts_);
  warn_of_blindness(setup, parts_, log_);
  load_scene(std::move(setup));
  if (its()->trouble()) {
    failure_ = its()->trouble();
    return session_.leave();
  }
  if (options_.gateway) pass_wishes();  // its wishes reach the others before the run begins
  session_.send(FrameType::kReady, code);
}

void ClientRole::load_scene(Setup setup) {
  parts_.stopwatch = options_.stopwatch;
  parts_.meter = reports_.meter(setup.sensors);
  const auto send = [this](FrameType type, Bytes payload, std::uint64_t hash) {
    if (type == FrameType::kDone) reports_.deliver(*its());
    session_.send(type, std::move(payload), hash);
    if (type != FrameType::kOrders) return;
    session_.flush();  // others compute them while the tick goes on
    if (options_.peers) options_.peers->send_now();
  };
  if (session_.free_mode()) {
    live_ = std::make_unique<LiveHost>(
        std::move(setup), session_.number(), options_.live, executor_, parts_,
        [send](FrameType type, Bytes payload) {
          const std::uint64_t hash = hash64(payload);
          send(type, std::move(payload), hash);
        },
        [this](DatagramType type, std::uint16_t run, ByteView payload) {
          return session_.send_datagram(type, 0, run, payload);
        });
    live_->set_gateway(options_.gateway);
    samples_.set_host(live_.get());
    return;
  }
  host_ = std::make_unique<LockstepHost>(std::move(setup), session_.number(), session_.checkpoints(), executor_, parts_,
                                         send);
  samples_.set_host(host_.get());
  host_->set_faults(options_.faults);
  host_->gateway().set(options_.gateway);
}

void ClientRole::frame(FrameType type, ByteView payload, Moment) {
  if (type == FrameType::kReply) {
    if (!options_.gateway || !wishes_.take(payload, *options_.gateway, fleet()))
      session_.drops().count(Drop::kMalformed);
    return;
  }
  const auto answer = [this](const Bytes& bytes) { session_.send(FrameType::kAnswer, bytes); };
  if (type == FrameType::kAsk && fleet() && models_.take(payload, fleet()->world(), answer)) return;
  if (type == FrameType::kIntroduce) return samples_.introduced(payload);
  if (type == FrameType::kWanted) return reports_.wanted(payload);
  const Payload hashed{payload, session_.payload_hash()};
  if (!its() || !its()->on_frame(type, hashed)) return session_.drops().count(Drop::kUnexpected);
  report_if_over();
}

void ClientRole::report_if_over() {
  if (its()->trouble() && !failure_) {
    failure_ = its()->trouble();
    log_.line(LogLevel::kError, failure_->message());
    return session_.leave();
  }
  if (its()->finished() && !reported_) {
    reported_ = true;
    const HostReport process = options_.process ? options_.process() : HostReport{};
    std::vector<HostReport::Count> gateway;
    if (options_.gateway)
      for (GatewayCount& c : options_.gateway->counts()) gateway.push_back({std::move(c.name), c.count, c.dropped});
    for (HostReport& report : reports_of(fleet())) {
      report.pid = process.pid, report.cpu_ns = process.cpu_ns, report.peak_memory = process.peak_memory;
      report.gateway = std::exchange(gateway, {});  // in the first frame
      session_.send(FrameType::kReport, save(report));
    }
  }
}

bool ClientRole::datagram(const Datagram& datagram, Moment now) {
  if (live_) return live_->on_datagram(datagram, now, session_.drops());
  session_.drops().count(Drop::kUnexpected);
  return true;
}

void ClientRole::acked(std::uint32_t datagram) {
  if (live_) live_->acked(datagram);
}

std::optional<Error> ClientRole::failure() const {
  if (failure_) return failure_;
  if (reported_) return std::nullopt;  // the report is out: that the server's goodbye got lost is no failure
  if (session_.ended() && !session_.ended_in_order()) return session_.ended();
  return std::nullopt;
}

}  // namespace convoy
