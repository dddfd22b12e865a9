#include "roles/sample_work.h"

#include "agent/fleet_looks.h"
#include "sensing/share.h"
#include "world/users_code.h"

namespace convoy {

namespace {

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

SampleWork::SampleWork(Executor& executor, const AgentParts& parts, std::function<std::uint64_t()> stopwatch)
    : executor_(executor),
      parts_(parts),
      rays_(parts.rays, parts.sensors),
      pictures_(parts.pictures),
      costs_(std::move(stopwatch)) {}

Result<Bytes> SampleWork::load(ByteView bytes, bool free_mode, Guest::SendDatagram send) {
  Setup setup;
  if (!convoy::load(bytes, setup)) return fail(ErrorCode::kInvalid, "the scenario that the server sent cannot be read");
  free_ = free_mode;
  guest_ = Guest::make(setup, free_mode, std::move(send), [] {});
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
  return list.files.empty() ? Bytes{} : save(list);
}

// Whether a sensor that samples here could have other parameters; of all else it knows nothing.
Result<Bytes> SampleWork::answer(ByteView payload) {
  Ask ask;
  NodesQuestion question;
  if (!convoy::load(payload, ask)) return fail(ErrorCode::kInvalid, "an Ask frame is malformed");
  NodesAnswer out;
  if (convoy::load(ask.bytes, question) && question.kind == NodesQuestion::Kind::kFits)
    if (auto fit = fit_of(guest_->world(), rays_.sensors(), question)) out.fits.push_back(std::move(*fit));
  return save(Ask{ask.id, save(out)});
}

// The world at the boundary of which samples are ordered. False: they are of another run by now.
Result<bool> SampleWork::show(const Orders& orders) {
  if (free_) {
    if (orders.run != guest_->run()) return false;
    guest_->show(instant(orders.tick * nanos(setup_.tick)), orders.robots);
    return true;
  }
  if (!guest_->known() || orders.run != guest_->run() || guest_->begun() != orders.tick)
    return fail(ErrorCode::kInvalid, "orders for a boundary that it was not shown");
  return true;
}

Result<std::optional<SamplePieces>> SampleWork::make(const Orders& orders, Owner me) {
  const Result<bool> shown = show(orders);
  if (!shown) return tl::unexpected(shown.error());
  if (!*shown) return std::nullopt;
  SampleMeter* const meter = this->meter();
  const std::uint64_t begin = meter ? meter->now() : 0;
  const Instant now = instant(orders.tick * nanos(setup_.tick));
  const auto made = SampleMaker(rays_, pictures_, executor_, meter).make(orders.orders, guest_->world(), setup_, now);
  SamplePieces out{{me, orders.passed.from}, orders.run, orders.tick, {}};
  for (std::size_t i = 0; i < made.size(); ++i) {
    // In free mode a robot may have gone meanwhile.
    if (!made[i] && !free_) return tl::unexpected(made[i].error());
    cut(name_of(orders.orders[i]), {}, made[i] ? *made[i] : NoReading{made[i].error().message()}, out.pieces);
  }
  if (meter) busy_ns_ += meter->now() - begin;
  reached_ = now;
  return out;
}

}  // namespace convoy
