// What samples have been measured to take, and which sensors should therefore sample on another machine.
//
// Loads are nanoseconds of work in a second of the run: they compare machines at any speed of it, and are no shares of one.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/fields.h"
#include "sensing/balancer.h"

namespace convoy {

// On one machine, since it told of it last.
struct SampleSpent {
  WorldNumber robot = kNoEntity;
  std::uint32_t sensor = 0;  // its place in the robot's spec
  std::uint64_t samples = 0, ns = 0;
};
template <class V, MaybeConst<SampleSpent> T>
void fields(V& v, T& s) {
  v("robot", s.robot), v("sensor", s.sensor), v("samples", s.samples), v("ns", s.ns);
}

class SampleCosts {
 public:
  // A host of robots or a sensor host tells what it has done in so much time of the run: `busy_ns` in all, of which samples
  // of these sensors are a part. Newer figures count a half, all before the other half.
  void note(Owner machine, Duration simulated, std::uint64_t busy_ns, std::span<const SampleSpent> samples);
  void forget(Owner machine) { own_.erase(machine); }
  void forget(WorldNumber robot) {
    std::erase_if(costs_, [&](const auto& one) { return one.first.first == robot; });
  }
  // Nothing: it has not been measured.
  std::optional<double> of(WorldNumber robot, std::uint32_t sensor) const;
  // Of its own work and the sensors that are placed there, by machine. One that was not measured counts as it is declared.
  std::map<Owner, double> loads(const SensorBalancer& placed) const;

  // What should go where, the one after the other; kNobody: to its robot's host. Each takes a sensor from the machine with
  // the greatest load to the least loaded one that may have it, if that lowers the greater of their two loads by a tenth;
  // where no sensor of that machine does, from the next. At most an eighth of the sensors at once.
  struct Move {
    WorldNumber robot = kNoEntity;
    std::uint32_t sensor = 0;
    Owner to = kNobody;
    double there = 0, here = 0;  // loads before: where it was, where it goes
  };
  std::vector<Move> moves(const SensorBalancer& placed) const;

 private:
  double cost(WorldNumber robot, const SensorBalancer::Placed& placed) const;

  std::map<Owner, double> own_;  // work of a machine beside samples that may leave it
  std::map<std::pair<WorldNumber, std::uint32_t>, double> costs_;
};

}  // namespace convoy
