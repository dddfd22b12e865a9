// A taker of samples that remembers what it got.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "agent/sample_taker.h"
#include "core/fields.h"

namespace convoy::testing {

class Notebook : public SampleTaker {
 public:
  bool takes(WorldNumber, const SensorSpec&, const DueSample&) const override { return true; }
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override {
    auto& of = all[{robot, sensor.name}];
    fresh = fresh && (of.empty() || of.rbegin()->first < sample.index);
    of[sample.index] = {sample, now - sample.at};
    in_order += std::to_string(robot.value()) + "/" + sensor.name + " " + std::to_string(sample.index) + " at " +
                std::to_string(nanos(now.time_since_epoch()) / 1'000'000) + "\n";
  }

  struct Taken {
    Sample sample;
    Duration age{0};  // when it was delivered
    friend bool operator==(const Taken& a, const Taken& b) {
      return a.age == b.age && save(a.sample) == save(b.sample);
    }
  };
  std::map<std::pair<WorldNumber, std::string>, std::map<std::uint64_t, Taken>> all;
  std::string in_order;
  bool fresh = true;  // no sample came twice, or behind a newer one
};

}  // namespace convoy::testing
