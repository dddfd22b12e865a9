// How long samples take that may be computed on more than one machine, where somebody wants to know.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "sensing/sample_costs.h"

namespace convoy {

class SampleMeter {
 public:
  // ns since any moment, on any thread; empty: nobody wants to know.
  explicit SampleMeter(std::function<std::uint64_t()> stopwatch) : stopwatch_(std::move(stopwatch)) {}

  bool runs() const { return stopwatch_ != nullptr; }
  std::uint64_t now() const { return stopwatch_(); }
  void add(const SampleSpent& spent) {
    SampleSpent& all =
        spent_.try_emplace({spent.robot, spent.sensor}, SampleSpent{spent.robot, spent.sensor}).first->second;
    all.samples += spent.samples, all.ns += spent.ns;
  }
  // All since the last call, by robots and sensors.
  std::vector<SampleSpent> take() {
    std::vector<SampleSpent> out;
    for (const auto& [name, spent] : std::exchange(spent_, {})) out.push_back(spent);
    return out;
  }

 private:
  std::function<std::uint64_t()> stopwatch_;
  std::map<std::pair<WorldNumber, std::uint32_t>, SampleSpent> spent_;
};

}  // namespace convoy
