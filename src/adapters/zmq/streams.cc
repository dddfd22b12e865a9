#include "adapters/zmq/streams.h"

#include <fmt/format.h>

namespace convoy::zmq {

namespace {

constexpr Duration kBeat = std::chrono::milliseconds(20);  // between polls of the sockets while no tick comes

std::string doors_of(const Block& block) {
  return Json{{"calls", block.address(kCallsPort)},
              {"state", block.address(kStatePort)},
              {"control", block.address(kControlPort)},
              {"info", block.address(kInfoPort)}}
      .dump();
}

StreamsOptions with_doors(StreamsOptions options, decltype(CallsOptions::stream_camera) stream_camera) {
  options.calls.doors = doors_of(options.block);
  options.calls.stream_camera = std::move(stream_camera);
  return options;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- sockets

Streams::Streams(StreamsOptions options, Log& log)
    : options_(with_doors(std::move(options), [this](const CameraName& camera,
                                                     std::optional<bool> on) { return cameras_.stream(camera, on); })),
      log_(log),
      control_({options_.calls.doors, options_.nonce, ControlSource::kZmq}),
      calls_(control_, options_.calls),
      cameras_(context_, options_.block, {options_.header, options_.calls.unix_time}, counters_, log) {}

Result<std::unique_ptr<Streams>> Streams::open(StreamsOptions options, Log& log) {
  std::unique_ptr<Streams> out(new Streams(std::move(options), log));
  if (auto ok = out->open_sockets(); !ok) return tl::unexpected(ok.error());
  return out;
}

Status Streams::open_sockets() {
  using Kind = SocketOptions::Kind;
  const Block& block = options_.block;
  SocketOptions info = block.socket(Kind::kPublish, kInfoPort);
  info.each_one = true;  // each new subscriber gets the robots at once
  auto state =
      Publisher::open(block.socket(Kind::kPublish, kStatePort), block.port / kBlock);  // each client's on its own core
  if (!state) return tl::unexpected(state.error());
  state_.emplace(std::move(*state), options_.profile, counters_);
  takers_.add(&state_->samples()), takers_.add(&cameras_);
  auto commands = Socket::open(context_, block.socket(Kind::kListen, kControlPort));
  if (!commands) return tl::unexpected(commands.error());
  commands_.emplace(std::move(*commands), block.port + kControlPort, options_.calls.role >= Access::kDrive, counters_,
                    log_);
  auto told = Socket::open(context_, info);
  if (!told) return tl::unexpected(told.error());
  info_.emplace(std::move(*told));
  auto door = Socket::open(context_, block.socket(Kind::kRoute, kCallsPort));
  if (!door) return tl::unexpected(door.error());
  door_ = std::make_unique<Socket>(std::move(*door));
  return {};
}

Streams::~Streams() {
  if (counters_.dropped() > 0)
    log_.line(LogLevel::kWarn, fmt::format("ZeroMQ, port {}: of {} messages in some were dropped: {}",
                                           options_.block.port, counters_.received, counters_.text()));
}

// ------------------------------------------------------------------------------------------------------- robots

void Streams::follow(const Fleet& fleet) {
  control_.follow(fleet, now_);
  if (control_.roster().version() == version_) return;
  version_ = control_.roster().version();
  cameras_.keep_up(control_.roster());
  state_->follow(control_.roster(), fleet);
  info_->ask();
}

// --------------------------------------------------------------------------------------------------------- time

void Streams::before_tick(const Fleet& fleet, Tick, std::vector<Input>& inputs) { before_step(fleet, inputs); }

void Streams::before_step(const Fleet& fleet, std::vector<Input>& inputs) {
  follow(fleet);
  commands_->receive_commands(control_.roster(), control_.leases());
  serve(&fleet);
  std::size_t room = kMaxGatewayInputs;
  commands_->give(room, inputs);
  control_.before_tick(fleet, room, inputs);
}

void Streams::after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) {
  control_.after_tick(fleet, reached, states);
  if (!fleet.ahead()) calls_.at_boundary(fleet, now_);
  send_answers();
  state_->take_subscriptions(control_.roster(), fleet);
  cameras_.take_subscriptions();
  state_->publish(control_.roster(), fleet, states);
  ticked_ = true;
  info_->after_tick(control_.roster(), cameras_, now_);
}

void Streams::after_step(const Fleet& fleet, const Snapshot& states) {
  control_.after_step(states);
  state_->take_subscriptions(control_.roster(), fleet);
  state_->publish(control_.roster(), fleet, states, StateStream::Who::kWithin);
}

void Streams::on_time(const Fleet* fleet, Moment now) {
  now_ = now;
  if (std::exchange(ticked_, false)) at_.tick = now;
  control_.on_time(fleet, now);
  serve(fleet);  // always: what has come does not ring again
  send_answers();
  if (now < at_.beat) return;
  at_.beat = now + kBeat;
  if (fleet) beat(*fleet);
}

void Streams::beat(const Fleet& fleet) {
  follow(fleet);
  state_->take_subscriptions(control_.roster(), fleet);
  commands_->receive_commands(control_.roster(), control_.leases());
  info_->on_time(control_.roster(), cameras_, now_);
  cameras_.take_subscriptions();
  if (now_ - at_.tick < kIdlePeriod) return;
  at_.tick = now_;
  state_->repeat(control_.roster(), fleet);
  if (now_ < at_.picture) return;
  at_.picture = now_ + kIdlePicturePeriod;
  cameras_.repeat(fleet);
}

// ------------------------------------------------------------------------------------------------------ calls

void Streams::serve(const Fleet* fleet) {
  std::size_t bytes = 0;
  for (int i = 0; i < kMaxMessagesAtOnce && bytes < kMaxRequestBytesAtOnce; ++i) {
    std::vector<Bytes> parts;
    if (!door_->receive(parts)) break;
    if (parts.empty()) ++counters_.strangers;
    if (parts.size() < 2) continue;
    bytes += parts.back().size();
    const Bytes request = std::move(parts.back());
    parts.pop_back();
    calls_.take(std::move(parts), request, fleet, now_);
    send_answers();
  }
}

void Streams::send_answers() {
  for (const Answer& answer : calls_.take_answers()) door_->send(answer.peer, answer.bytes);
}

void Streams::at_boundary(const Fleet& fleet, const HostPosition& position) {
  control_.at_boundary(fleet, position);
  calls_.at_boundary(fleet, now_);
  send_answers();
}

void Streams::held_at(const Fleet* fleet, std::uint32_t run, Tick tick) {
  control_.held_at(fleet, run, tick);
  send_answers();
}

void Streams::answered(const Fleet* fleet, const GatewayAnswer& answer) {
  control_.answered(fleet, answer);
  send_answers();
}

}  // namespace convoy::zmq
