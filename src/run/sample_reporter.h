// A host's side of samples that somebody at the server wants: it takes them, and sends them in the order of their deliveries.
//
//   reporter.want(payload)          a WantedSamples; from then on
//   reporter.flush(run, tick, me)   what was delivered leaves; `tick`: its length
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "agent/sensor_picker.h"
#include "run/sample_frames.h"

namespace convoy {

class SampleReporter final : public SampleTaker {
 public:
  // `send`: the payload of a Samples frame, towards the server. `room`: false, and samples are dropped.
  SampleReporter(std::function<void(Bytes)> send, std::function<bool()> room)
      : send_(std::move(send)), room_(std::move(room)) {}

  // False: it is malformed.
  bool want(ByteView payload);
  void flush(std::uint32_t run, Duration tick, Owner me);

  void follow(const World& world) override {
    for (SensorPicker& one : pickers_) one.follow(world);
  }
  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override {
    return std::any_of(pickers_.begin(), pickers_.end(),
                       [&](const SensorPicker& one) { return one.wants(robot, sensor, due); });
  }
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

 private:
  std::function<void(Bytes)> send_;
  std::function<bool()> room_;
  std::vector<SensorPicker> pickers_;
  struct Delivered {
    std::vector<SamplePiece> pieces;
    std::uint64_t samples = 0;
  };
  std::map<Instant, Delivered> waiting_;  // by boundary
  std::uint64_t lacking_ = 0;             // dropped, which the server has not been told
};

}  // namespace convoy
