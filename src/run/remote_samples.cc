#include "run/remote_samples.h"

namespace convoy {

namespace {

constexpr Duration kTellPeriod = std::chrono::seconds(1);

}  // namespace

RemoteSamples::RemoteSamples(Executor& executor, const AgentParts& parts, std::function<void(FrameType, Bytes)> send)
    : send_(std::move(send)),
      rays_(parts.rays, parts.sensors),
      pictures_(parts.pictures),
      maker_(rays_, pictures_, executor) {}

void RemoteSamples::order(Fleet& fleet, std::uint32_t run, Tick tick, std::span<const Input> inputs) {
  const World& world = fleet.world();
  for (auto& [host, orders] : fleet.orders().take(tick, inputs)) {
    std::vector<RobotState> robots;
    for (const SampleOrder& order : orders) {
      if (fleet.orders().waits() || (!robots.empty() && robots.back().robot == order.robot)) continue;
      const Slot slot = world.slot_of(order.robot);
      const std::span<const double> joints = world.joints(slot);
      robots.push_back({order.robot, world.snapshot().state(slot), {joints.begin(), joints.end()}});
    }
    for (Bytes& frame : encode_orders({{fleet.me(), host}, run, tick, std::move(orders), std::move(robots)}))
      send_(FrameType::kOrders, std::move(frame));
  }
}

void RemoteSamples::tell(Fleet& fleet, Moment now) {
  if (now < next_tell_) return;
  next_tell_ = now == kNever ? kNever : now + kTellPeriod;
  const FleetOrders::Missed missed = fleet.orders().take_missed();
  if (count_ == 0 && !missed.any()) return;
  send_(FrameType::kLate, save(Late{{}, take_count(), missed.late, missed.left_out + missed.dropped}));
}

Status RemoteSamples::on_frame(FrameType type, ByteView payload, Fleet& fleet, std::uint32_t run) {
  if (type == FrameType::kPlaces) return places(payload, fleet);
  SamplePieces pieces;
  if (!peek_passed(payload, pieces.passed)) return fail(ErrorCode::kInvalid, "a Samples frame of nobody");
  const Owner host = pieces.passed.from;
  // Of another run: they were sent before a reset.
  const bool sound = load(payload, pieces) && (pieces.run != run || samples(pieces, fleet));
  if (!sound) give_up({host}, fleet);
  return {};
}

bool RemoteSamples::samples(const SamplePieces& pieces, Fleet& fleet) {
  std::vector<SampleCollector::Whole> whole;
  const bool sound = collector_.take(pieces, whole);
  for (SampleCollector::Whole& one : whole)
    count_ += fleet.orders().fill(one.tick, one.name, std::move(one.data)) ? 1 : 0;
  return sound;
}

void RemoteSamples::give_up(const std::vector<Owner>& hosts, Fleet& fleet) {
  send_(FrameType::kLate, save(Late{.hosts = hosts}));
  for (Owner host : hosts) lose(host, fleet);
}

void RemoteSamples::lose(Owner host, Fleet& fleet) {
  collector_.forget(host);
  fleet.orders().make_up(host, maker_);
}

Status RemoteSamples::places(ByteView payload, Fleet& fleet) {
  Places news;
  if (!load(payload, news)) return fail(ErrorCode::kInvalid, "a Places frame is malformed");
  for (const Places::Place& place : news.places) fleet.orders().give(place.robot, place.sensor, place.host);
  for (Owner host : news.gone) lose(host, fleet);
  return {};
}

}  // namespace convoy
