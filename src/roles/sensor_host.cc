#include "roles/sensor_host.h"

#include "agent/fleet_looks.h"
#include "sensing/share.h"
#include "world/users_code.h"

namespace convoy {

namespace {

SessionOptions as_sensor_host(SessionOptions options) {
  options.role = PeerRole::kSensorHost;
  options.datagrams = options.load_setup = true;
  return options;
}

// The first of its sensors that may sample elsewhere and works so; its name. Empty: there is none.
std::string first_to_leave(const Setup& setup, SensorBook& types, bool SensorTraits::*works) {
  for (const EntitySpec& robot : setup.entities)
    for (const SensorSpec& sensor : robot.sensors)
      if (const auto type = types.type_of(sensor, CodeSource::kScenario);
          type && (*type)->traits.*works && share_of(sensor, setup.sensors).may_leave())
        return sensor.name + "' of '" + robot.name;
  return {};
}

}  // namespace

SensorHostRole::SensorHostRole(SensorHostOptions options, Network& network, Executor& executor, const AgentParts& parts,
                               Log& log)
    : options_(std::move(options)),
      executor_(executor),
      parts_(parts),
      log_(log),
      session_(as_sensor_host(options_.session), network, *this),
      direct_(network, options_.peers, *this, session_.drops(), log, options_.new_token),
      rays_(parts.rays, parts.sensors),
      pictures_(parts.pictures) {}

void SensorHostRole::on_time(Moment now) {
  if (!std::exchange(started_, true)) session_.start(now);
  session_.on_time(now);
  direct_.on_time(now);
  if (guest_ && !session_.ended()) guest_->on_time(now);
  for (; !slow_.empty() && slow_.front().at <= now; slow_.pop_front()) send(std::move(slow_.front()));
  if (options_.slow > Duration(0)) session_.flush();
}

Moment SensorHostRole::deadline() const {
  if (!started_) return Moment{};
  Moment next = std::min(session_.deadline(), direct_.deadline());
  if (guest_ && !session_.ended()) next = std::min(next, guest_->deadline());
  return slow_.empty() ? next : std::min(next, slow_.front().at);
}

void SensorHostRole::welcomed(Moment) {
  if (options_.welcomed) options_.welcomed(session_);
  if (options_.peers) door_.where = options_.peers->take_links(door_.beside);
  log_.line(LogLevel::kInfo,
            "joined as " + session_.name() + ", connection " + std::to_string(session_.number().value()));
}

void SensorHostRole::held_up(const std::string& why) {
  log_.line(LogLevel::kWarn, why + "; it is asked again meanwhile");
}

void SensorHostRole::end_with(Error error) {
  log_.line(LogLevel::kError, error.message());
  if (!failure_) failure_ = std::move(error);
  session_.leave();
}

Status SensorHostRole::load_setup(ByteView bytes) {
  Setup setup;
  if (!load(bytes, setup)) return fail(ErrorCode::kInvalid, "the scenario that the server sent cannot be read");
  const auto send = [this](DatagramType type, std::uint16_t run, ByteView payload) {
    return session_.send_datagram(type, 0, run, payload);
  };
  guest_ = Guest::make(setup, session_.free_mode(), send, [] {});
  if (guest_->trouble()) return tl::unexpected(*guest_->trouble());
  CodeList list;
  std::optional<Error> missing;
  if (parts_.sensors)
    for (CodeFile& file : parts_.sensors->code_of(users_sensors(setup.entities, setup.sensors), missing))
      list.files.push_back(std::move(file));
  if (missing) return tl::unexpected(*missing);
  // What it could not compute it must not be asked for.
  if (const std::string name = first_to_leave(setup, rays_.sensors(), &SensorTraits::rays); !name.empty()) {
    const auto caster =
        parts_.rays ? parts_.rays->make(setup.sensors.isa) : fail(ErrorCode::kUnsupported, "nobody casts rays here");
    if (!caster) return fail(ErrorCode::kUnsupported, "'" + name + "': " + caster.error().message());
  }
  if (const std::string name = first_to_leave(setup, rays_.sensors(), &SensorTraits::pictures); !name.empty()) {
    const auto print = renderer_of(parts_.pictures);
    if (!print) return fail(ErrorCode::kUnsupported, "'" + name + "': " + print.error().message());
    list.files.push_back({kRendererCode, *print});
  }
  setup_ = std::move(setup);
  forget_scene(setup_);
  session_.send(FrameType::kReady, list.files.empty() ? Bytes{} : save(list));
  return {};
}

void SensorHostRole::setup_loaded(ByteView bytes, Moment) {
  if (auto ok = load_setup(bytes); !ok) end_with(ok.error());
}

void SensorHostRole::frame(FrameType type, ByteView payload, Moment now) {
  if (!guest_) return session_.drops().count(Drop::kUnexpected);
  if (type == FrameType::kOrders) {
    if (auto ok = take_orders(payload, now); !ok) end_with(ok.error());
    return;
  }
  if (type == FrameType::kAsk) return answer(payload);
  if (!guest_->on_frame(type, {payload, session_.payload_hash()})) return session_.drops().count(Drop::kUnexpected);
  if (guest_->trouble()) end_with(*guest_->trouble());
}

bool SensorHostRole::datagram(const Datagram& datagram, Moment now) {
  if (guest_ && session_.free_mode()) return guest_->on_datagram(datagram, now, session_.drops());
  return session_.drops().count(Drop::kUnexpected), true;
}

// Whether a sensor that samples here could have other parameters; of all else it knows nothing.
void SensorHostRole::answer(ByteView payload) {
  Ask ask;
  NodesQuestion question;
  if (!load(payload, ask)) return session_.drops().count(Drop::kMalformed);
  NodesAnswer out;
  if (load(ask.bytes, question) && question.kind == NodesQuestion::Kind::kFits)
    if (auto fit = fit_of(guest_->world(), rays_.sensors(), question)) out.fits.push_back(std::move(*fit));
  session_.send(FrameType::kAnswer, save(Ask{ask.id, save(out)}));
}

Result<bool> SensorHostRole::show(const Orders& orders) {
  if (session_.free_mode()) {
    if (orders.run != guest_->run()) return false;
    guest_->show(instant(orders.tick * nanos(setup_.tick)), orders.robots);
    return true;
  }
  if (!guest_->known() || orders.run != guest_->run() || guest_->begun() != orders.tick)
    return fail(ErrorCode::kInvalid, "orders for a boundary that it was not shown");
  return true;
}

Status SensorHostRole::take_orders(ByteView payload, Moment now) {
  Orders orders;
  if (!load(payload, orders)) return fail(ErrorCode::kInvalid, "an Orders frame is malformed");
  const Result<bool> shown = show(orders);
  if (!shown) return tl::unexpected(shown.error());
  if (!*shown) return {};
  SampleMaker maker(rays_, pictures_, executor_);
  const auto made = maker.make(orders.orders, guest_->world(), setup_, instant(orders.tick * nanos(setup_.tick)));
  const Owner to = orders.passed.from;
  SamplePieces samples{{session_.number(), to}, orders.run, orders.tick, {}};
  for (std::size_t i = 0; i < made.size(); ++i) {
    // In free mode a robot may have gone meanwhile.
    if (!made[i] && !session_.free_mode()) return tl::unexpected(made[i].error());
    cut(name_of(orders.orders[i]), {}, made[i] ? *made[i] : NoReading{made[i].error().message()}, samples.pieces);
  }
  counts_.samples += made.size();
  Answer answer{to, made.size(), encode_samples(std::move(samples)), now + options_.slow};
  if (options_.slow > Duration(0)) slow_.push_back(std::move(answer));
  else send(std::move(answer));
  offer_link(to, now);
  return {};
}

void SensorHostRole::send(Answer answer) {
  if (direct_.up(answer.to)) counts_.sent_directly += answer.samples;
  for (Bytes& frame : answer.frames) {
    if (direct_.up(answer.to)) direct_.send(answer.to, FrameType::kSamples, frame);
    else session_.send(FrameType::kSamples, std::move(frame));
  }
}

// By the server, which knows from where this host comes, and sends it on to a peer that can get there.
void SensorHostRole::offer_link(Owner peer, Moment now) {
  if (!door_.where || direct_.up(peer)) return;
  if (const auto secret = direct_.offer(peer, now))
    session_.send(FrameType::kIntroduce,
                  save(Introduction{
                      {session_.number(), peer}, {0, 0, door_.where->port}, Bytes(secret->begin(), secret->end())}));
}

void SensorHostRole::direct_lost(Owner peer) {
  session_.send(FrameType::kIntroduce, save(Introduction{{session_.number(), peer}, {}, {}}));
}

std::optional<Error> SensorHostRole::failure() const {
  if (failure_) return failure_;
  if (guest_ && guest_->finished()) return std::nullopt;
  if (session_.ended() && !session_.ended_in_order()) return session_.ended();
  return std::nullopt;
}

}  // namespace convoy
