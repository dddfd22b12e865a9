#include "lockstep/remote_samples.h"

namespace convoy {

RemoteSamples::RemoteSamples(Executor& executor, const AgentParts& parts, std::function<void(FrameType, Bytes)> send)
    : send_(std::move(send)),
      rays_(parts.rays, parts.sensors),
      pictures_(parts.pictures),
      maker_(rays_, pictures_, executor) {}

void RemoteSamples::order(Fleet& fleet, std::uint32_t run, Tick tick, std::span<const Input> inputs) {
  for (auto& [host, orders] : fleet.orders().take(tick, inputs))
    for (Bytes& frame : encode_orders({{fleet.me(), host}, run, tick, std::move(orders)}))
      send_(FrameType::kOrders, std::move(frame));
}

Status RemoteSamples::on_frame(FrameType type, ByteView payload, Fleet& fleet, std::uint32_t run) {
  return type == FrameType::kSamples ? samples(payload, fleet, run) : places(payload, fleet);
}

Status RemoteSamples::samples(ByteView payload, Fleet& fleet, std::uint32_t run) {
  SamplePieces pieces;
  std::vector<SampleCollector::Whole> whole;
  if (!load(payload, pieces)) return fail(ErrorCode::kInvalid, "a Samples frame is malformed");
  if (pieces.run != run) return {};  // of before a reset
  if (!collector_.take(pieces, whole)) return fail(ErrorCode::kInvalid, "a sample comes in pieces that do not fit");
  for (SampleCollector::Whole& one : whole) fleet.orders().fill(one.tick, one.name, std::move(one.data));
  return {};
}

Status RemoteSamples::places(ByteView payload, Fleet& fleet) {
  Places news;
  if (!load(payload, news)) return fail(ErrorCode::kInvalid, "a Places frame is malformed");
  for (const Places::Place& place : news.places) fleet.orders().give(place.robot, place.sensor, place.host);
  for (Owner host : news.gone) {
    collector_.forget(host);
    fleet.orders().make_up(host, maker_);
  }
  return {};
}

}  // namespace convoy
