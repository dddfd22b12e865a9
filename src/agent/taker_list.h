// Several takers of samples as one: each gets what it takes.
//
// Whose a sample is is asked again when it is delivered: one that came to take it since it was computed gets it as well,
// one that went does not.
#pragma once

#include <algorithm>
#include <vector>

#include "agent/sample_taker.h"

namespace convoy {

class TakerList final : public SampleTaker {
 public:
  // It outlives the list. Null: there is none.
  void add(SampleTaker* taker) {
    if (taker) all_.push_back(taker);
  }
  // Null: it has none.
  SampleTaker* taker() { return all_.empty() ? nullptr : this; }

  void follow(const World& world) override {
    for (SampleTaker* one : all_) one->follow(world);
  }
  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const SampleTaker* one) { return one->takes(robot, sensor, due); });
  }
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override {
    for (SampleTaker* one : all_)
      if (one->takes(robot, sensor, {sample.index, sample.period})) one->took(robot, sensor, sample, now);
  }

 private:
  std::vector<SampleTaker*> all_;
};

}  // namespace convoy
