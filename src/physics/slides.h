// For tests: an engine without MuJoCo, of models that have no drive. The others are kinematic.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/fields.h"
#include "physics/factory.h"

namespace convoy {

// An engine of two slides that go where their controls command, one step late.
class Slides final : public Physics {
 public:
  explicit Slides(Duration step = std::chrono::milliseconds(2)) {
    panel_.actuators = {{"left", -1, 1, true, "a", true}, {"right", -100, 100, false, "b", true}};
    panel_.sensors = {{"way", 0, 1}};
    using Type = Panel::Joint::Type;
    panel_.all_joints = {{"a", 0, Type::kSlide, 0, 0}, {"b", 1, Type::kSlide, 1, 1}};
    panel_.keyframes = {{"up", 0, {3, 4}, {0, 0}, {}, {5, 6}}};
    panel_.nq = panel_.nv = 2, panel_.nsensordata = 1, panel_.step = step;
  }
  double neighbourhood(const Model&, Duration, std::span<const Carried>) const override { return 0; }
  void step(const PhysicsInput& input, State& state, std::span<double>, PhysicsEvents& events) override {
    events.distance = std::fabs(input.command.v.x) * seconds(input.step);
    state.stamp = input.begin + input.step;
    for (const Control& control : input.controls) at_.ctrl[control.actuator] = control.value;
    for (int i = 0; i < 2; ++i) at_.qvel[i] = at_.ctrl[i] - at_.qpos[i], at_.qpos[i] = at_.ctrl[i];
    at_.way += std::fabs(at_.qvel[0]);
    for (Duration at = panel_.step; input.watcher && at < input.step + input.behind; at += panel_.step)
      show(*input.watcher, input.begin + at, state);
  }
  void reset(const State&) override { at_ = {}; }
  void put(const State&, std::span<const double>) override {}
  void save(SaveFields& out) const override { fields(out, at_); }
  bool load(Reader& in) override {
    LoadFields v(in);
    fields(v, at_);
    return in.ok();
  }
  bool accepts(ByteView saved) const override { return saved.size() == sizeof(double) * 7; }
  void describe(DescribeFields::List&) const override {}
  const Panel* panel() const override { return &panel_; }
  bool view(EngineView& out) const override {
    out = {at_.qpos, at_.qvel, {}, at_.ctrl, std::span(&at_.way, 1)};
    return true;
  }
  bool propose(const EngineValues& values, State&, std::span<double>, Bytes& saved) const override {
    At there = at_;
    std::copy(values.qpos.begin(), values.qpos.end(), there.qpos.begin());
    std::copy(values.qvel.begin(), values.qvel.end(), there.qvel.begin());
    std::copy(values.ctrl.begin(), values.ctrl.end(), there.ctrl.begin());
    SaveFields out(saved);
    fields(out, there);
    return true;
  }

 private:
  // Between steps it shows itself as many m along x as milliseconds have passed.
  static void show(StepWatcher& watcher, Instant at, State shown) {
    if (!watcher.wants(at)) return;
    shown.stamp = at, shown.pose.p.x = static_cast<double>(nanos(at)) / 1e6;
    watcher.saw(at, shown, {});
  }
  struct At {
    std::array<double, 2> qpos{}, qvel{}, ctrl{};
    double way = 0;
  };
  template <class V, MaybeConst<At> T>
  friend void fields(V& v, T& a) {
    v("qpos", a.qpos), v("qvel", a.qvel), v("ctrl", a.ctrl), v("way", a.way);
  }
  Panel panel_;
  At at_;
};

class SlidesFactory final : public PhysicsFactory {
 public:
  std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const override {
    if (model.drive == Drive::kNone) return std::make_unique<Slides>(step);
    return KinematicFactory().make(model, world, tick);
  }
  Status check(const Model&, const ModelFiles&, Duration) const override { return {}; }

  Duration step = std::chrono::milliseconds(2);
};

}  // namespace convoy
