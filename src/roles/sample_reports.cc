#include "roles/sample_reports.h"

namespace convoy {

namespace {

constexpr std::size_t kMostUnacked = kMaxUnacked / 2;  // bytes, behind which samples for the server are left out

}  // namespace

SampleReports::SampleReports(Session& session, std::function<std::uint64_t()> stopwatch)
    : session_(session),
      reporter_([this](const Bytes& payload) { session_.send(FrameType::kSamples, payload); },
                [this] { return session_.channel().unacked_bytes() < kMostUnacked; }),
      costs_(std::move(stopwatch)) {}

SampleMeter* SampleReports::meter(const SensorRules& rules) {
  measures_ = costs_.samples.runs() && rules.policy == PlacementPolicy::kMeasured;
  return measures_ ? &costs_.samples : nullptr;
}

void SampleReports::wanted(ByteView payload) {
  if (!reporter_.want(payload)) session_.drops().count(Drop::kMalformed);
}

void SampleReports::deliver(const RobotHost& host) {
  if (host.fleet()) reporter_.flush(host.run(), host.fleet()->tick(), session_.number());
}

void SampleReports::on_time(Moment now, const RobotHost& host) {
  const Fleet* fleet = host.fleet();
  if (!measures_ || !fleet) return;
  if (const auto costs = costs_.report(now, instant(host.tick() * nanos(fleet->tick())), fleet->counts().busy_ns))
    session_.send(FrameType::kCosts, save(*costs));
}

}  // namespace convoy
