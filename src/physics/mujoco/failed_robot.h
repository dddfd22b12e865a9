// The physics of a robot whose model could not be compiled: it does not move, and reports why.
#pragma once

#include <string>

#include "physics/physics.h"

namespace convoy::mujoco {

class FailedRobot final : public Physics {
 public:
  explicit FailedRobot(std::string why) : why_(std::move(why)) {}
  double neighbourhood(const Model&, Duration, std::span<const Carried>) const override { return 0; }
  void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) override;
  void reset(const State&) override {}
  void save(SaveFields& out) const override { out("told", reported_); }
  bool accepts(ByteView saved) const override { return saved.size() == 1; }
  bool load(Reader& in) override {
    LoadFields v(in);
    v("told", reported_);
    return in.ok();
  }
  void describe(DescribeFields::List& out) const override { out.emplace_back("physics", why_); }

 private:
  std::string why_;
  bool reported_ = false;
};

}  // namespace convoy::mujoco
