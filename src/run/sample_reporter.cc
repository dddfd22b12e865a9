#include "run/sample_reporter.h"

namespace convoy {

bool SampleReporter::want(ByteView payload) {
  WantedSamples wanted;
  if (!load(payload, wanted)) return false;
  pickers_.clear();
  for (std::vector<SensorChoice>& list : wanted.lists) pickers_.emplace_back(std::move(list));
  return true;
}

void SampleReporter::took(WorldNumber robot, const SensorSpec&, const Sample& sample, Instant now) {
  Delivered& delivered = waiting_[now];
  cut({robot, sample.sensor, sample.index}, {sample.at, sample.period}, sample.data, delivered.pieces);
  ++delivered.samples;
}

void SampleReporter::flush(std::uint32_t run, Duration tick, Owner me) {
  for (auto& [now, delivered] : std::exchange(waiting_, {})) {
    const Tick at = nanos(now.time_since_epoch()) / nanos(tick);
    // All of a boundary or nothing: who gets half of a sample can make nothing of the rest.
    if (!room_()) {
      lacking_ += delivered.samples;
      continue;
    }
    for (Bytes& frame :
         encode_samples({{me, kNobody}, run, at, std::move(delivered.pieces), std::exchange(lacking_, 0)}))
      send_(std::move(frame));
  }
}

}  // namespace convoy
