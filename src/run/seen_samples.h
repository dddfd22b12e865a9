// Samples that hosts send to the server, for who wants them there: a recorder.
#pragma once

#include "agent/sensor_picker.h"
#include "run/sample_frames.h"

namespace convoy {

class SeenSamples {
 public:
  // It outlives this. Before hosts come.
  void want(std::vector<SensorChoice> choices, SampleTaker& taker) { choices_ = std::move(choices), taker_ = &taker; }
  // For a host that comes: a WantedSamples; empty: nothing is wanted.
  Bytes wanted() const { return taker_ ? save(WantedSamples{choices_}) : Bytes{}; }
  // A Samples frame for the server.
  Status take(ByteView payload, std::uint32_t run);
  // What has come whole, by robots and in the order of their deliveries. `world`: with those robots; `tick`: its length.
  void deliver(const World& world, Duration tick);
  // That host is gone, or everything begins anew.
  void forget(Owner host) { collector_.forget(host); }
  std::uint64_t lacking() const { return lacking_; }  // samples that hosts had no room to send

 private:
  std::vector<SensorChoice> choices_;
  SampleTaker* taker_ = nullptr;
  SampleCollector collector_;
  std::vector<SampleCollector::Whole> whole_;
  std::uint64_t lacking_ = 0;
};

}  // namespace convoy
