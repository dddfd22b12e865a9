#include "roles/sensor_host.h"

namespace convoy {

namespace {

SessionOptions as_sensor_host(SessionOptions options) {
  options.role = PeerRole::kSensorHost;
  options.datagrams = options.load_setup = true;
  return options;
}

}  // namespace

SensorHostRole::SensorHostRole(SensorHostOptions options, Network& network, Executor& executor, const AgentParts& parts,
                               Log& log)
    : options_(std::move(options)),
      log_(log),
      session_(as_sensor_host(options_.session), network, *this),
      ways_(network, options_.peers, *this, session_.drops(), log, options_.new_token),
      work_(executor, parts, options_.stopwatch) {}

void SensorHostRole::on_time(Moment now) {
  if (!std::exchange(started_, true)) session_.start(now);
  session_.on_time(now);
  ways_.on_time(now);
  if (work_.guest() && !session_.ended()) {
    work_.guest()->on_time(now);
    if (const auto costs = work_.costs(now)) session_.send(FrameType::kCosts, save(*costs));
  }
  answers_.remove_if([&](const Answer& answer) { return answer.at <= now && send(answer); });
  handled_ = now;
  session_.flush();
}

Moment SensorHostRole::deadline() const {
  if (!started_) return Moment{};
  Moment next = std::min(session_.deadline(), ways_.deadline());
  if (work_.guest() && !session_.ended()) next = std::min(next, work_.guest()->deadline());
  for (const Answer& answer : answers_)
    if (answer.at > handled_) next = std::min(next, answer.at);  // others wait for a way
  return next;
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

void SensorHostRole::setup_loaded(ByteView bytes, Moment) {
  const auto send = [this](DatagramType type, std::uint16_t run, ByteView payload) {
    return session_.send_datagram(type, 0, run, payload);
  };
  auto ready = work_.load(bytes, session_.free_mode(), send);
  if (!ready) return end_with(ready.error());
  session_.send(FrameType::kReady, *ready);
}

void SensorHostRole::frame(FrameType type, ByteView payload, Moment now) {
  Guest* guest = work_.guest();
  if (!guest) return session_.drops().count(Drop::kUnexpected);
  if (type == FrameType::kOrders) {
    if (auto ok = take_orders(payload, now); !ok) end_with(ok.error());
    return;
  }
  if (type == FrameType::kAsk) {
    const auto answer = work_.answer(payload);
    if (!answer) return session_.drops().count(Drop::kMalformed);
    return session_.send(FrameType::kAnswer, *answer);
  }
  if (!guest->on_frame(type, {payload, session_.payload_hash()})) return session_.drops().count(Drop::kUnexpected);
  if (guest->trouble()) end_with(*guest->trouble());
}

bool SensorHostRole::datagram(const Datagram& datagram, Moment now) {
  if (work_.guest()) return work_.guest()->on_datagram(datagram, now, session_.drops());
  return session_.drops().count(Drop::kUnexpected), true;
}

Status SensorHostRole::take_orders(ByteView payload, Moment now) {
  Orders orders;
  if (!load(payload, orders)) return fail(ErrorCode::kInvalid, "an Orders frame is malformed");
  auto samples = work_.make(orders, session_.number());
  if (!samples) return tl::unexpected(samples.error());
  if (!*samples) return {};
  const Owner to = orders.passed.from;
  counts_.samples += orders.orders.size();
  Answer answer{to, orders.orders.size(), encode_samples(std::move(**samples)), now + options_.slow};
  if (answer.at > now || !send(answer)) answers_.push_back(std::move(answer));
  offer_link(to, now);
  return {};
}

// False: there is no way to it yet.
bool SensorHostRole::send(const Answer& answer) {
  if (!ways_.up(answer.to)) return ways_.by_server(session_.number(), session_.token()), false;
  bool directly = false;
  for (const Bytes& frame : answer.frames) directly = ways_.send(answer.to, FrameType::kSamples, frame);
  if (directly) counts_.sent_directly += answer.samples;
  return true;
}

// By the server, which knows from where this host comes, and sends it on to a peer that can get there.
void SensorHostRole::offer_link(Owner peer, Moment now) {
  if (!door_.where || ways_.direct().up(peer)) return;
  if (const auto secret = ways_.direct().offer(peer, now))
    session_.send(FrameType::kIntroduce,
                  save(Introduction{
                      {session_.number(), peer}, {0, 0, door_.where->port}, Bytes(secret->begin(), secret->end())}));
}

void SensorHostRole::direct_lost(Owner peer) {
  session_.send(FrameType::kIntroduce, save(Introduction{{session_.number(), peer}, {}, {}}));
}

std::optional<Error> SensorHostRole::failure() const {
  if (failure_) return failure_;
  if (work_.guest() && work_.guest()->finished()) return std::nullopt;
  if (session_.ended() && !session_.ended_in_order()) return session_.ended();
  return std::nullopt;
}

}  // namespace convoy
