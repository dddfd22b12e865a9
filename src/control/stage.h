// A host with two sliding robots and a burger, and a server that does at once what it is asked: for tests, in virtual
// time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/control_core.h"
#include "core/fields.h"

namespace convoy::control {

// An engine of two slides that go where their controls command, one step late.
class Slides final : public Physics {
 public:
  Slides() {
    panel_.actuators = {{"left", -1, 1, true, "a"}, {"right", -100, 100, false, "b"}};
    panel_.sensors = {{"way", 0, 1}};
    using Type = Panel::Joint::Type;
    panel_.all_joints = {{"a", 0, Type::kSlide, 0, 0}, {"b", 1, Type::kSlide, 1, 1}};
    panel_.keyframes = {{"up", 0, {3, 4}, {0, 0}, {}, {5, 6}}};
    panel_.nq = panel_.nv = 2, panel_.nsensordata = 1, panel_.step = std::chrono::milliseconds(2);
  }
  double neighbourhood(const Model&, Duration, std::span<const Carried>) const override { return 0; }
  void step(const PhysicsInput& input, State& state, std::span<double>, PhysicsEvents&) override {
    state.stamp = input.begin + input.step;
    for (const Control& control : input.controls) at_.ctrl[control.actuator] = control.value;
    for (int i = 0; i < 2; ++i) at_.qvel[i] = at_.ctrl[i] - at_.qpos[i], at_.qpos[i] = at_.ctrl[i];
    at_.way += std::fabs(at_.qvel[0]);
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
    if (model.drive == Drive::kNone) return std::make_unique<Slides>();
    return KinematicFactory().make(model, world, tick);
  }
  Status check(const Model&, const ModelFiles&, Duration) const override { return {}; }
};

// Robots "s0", "s1" and "burger", with the world numbers in this order.
struct Stage {
  explicit Stage(ControlCoreOptions options = {}, bool lockstep = true, Duration tick = std::chrono::milliseconds(10))
      : control(std::move(options)) {
    setup.models = built_in_models();
    setup.tick = tick;
    for (int i = 0; i < 3; ++i) {
      EntitySpec spec;
      spec.name = i < 2 ? "s" + std::to_string(i) : "burger", spec.model = i < 2 ? "box" : "turtlebot3_burger";
      for (const Model& model : setup.models)
        if (i < 2 && model.drive == Drive::kNone && has_body(model)) spec.model = model.name;
      spec.pose.p.x = 3 * i;
      setup.entities.push_back(spec);
    }
    World world = *World::make(setup);
    for (Slot slot : SlotRange(3)) world.set_owner(slot, Owner(1));
    fleet = std::make_unique<Fleet>(std::move(world), setup, Owner(1), executor, AgentParts{engines});
    fleet->take_up();
    position.lockstep = lockstep;
    control.at_boundary(*fleet, position);
    serve();
  }

  // What the server does.
  void serve() {
    for (GatewayWish& wish : control.take_wishes()) {
      GatewayAnswer answer{wish.id, {}, position.tick, {}};
      if (wish.kind == GatewayWish::Kind::kQuery) answer.text = look(wish.text);
      if (wish.kind == GatewayWish::Kind::kPause) paused = true;
      if (wish.kind == GatewayWish::Kind::kResume) paused = false;
      if (wish.kind == GatewayWish::Kind::kEdit) {
        if (auto ok = fleet->world().check(wish.edit); !ok) answer.error = ok.error();
        else edit(wish.edit);
      }
      control.answered(fleet.get(), answer);
    }
    if (const auto through = control.stepping().horizon(); through && !held)
      control.held_at(fleet.get(), position.run, std::max(*through, position.tick));
    held = control.stepping().horizon().has_value();
  }
  std::string look(const std::string& doors) const {
    std::string quoted;
    for (char c : doors) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    return std::string(R"({"paused":)") + (paused ? "true" : "false") +
           R"(,"speed":1,"hosts":[{"name":"host0","doors":")" + quoted + R"("}]})";
  }
  void edit(const Edit& edit) {
    const auto* reset = std::get_if<Reset>(&edit);
    if (reset && reset->entities.empty()) ++position.run, position.tick = 0;
    EXPECTS(fleet->apply(edit, instant(position.tick * nanos(setup.tick))));
    fleet->settle();
    ++edits;
    control.at_boundary(*fleet, position);
  }
  void tick() {
    std::vector<Input> inputs;
    std::size_t room = 100;
    control.before_tick(*fleet, room, inputs);
    given.push_back(inputs);
    fleet->open({});
    fleet->advance(position.tick, inputs);
    ++position.tick;
    control.after_tick(*fleet, position.tick, fleet->world().next());
    fleet->turn();
    control.at_boundary(*fleet, position);
    serve();
  }
  // Time passes, and no tick comes.
  void wait(Duration time) {
    now += time;
    control.on_time(fleet.get(), now);
    serve();
  }

  Setup setup;
  SerialExecutor executor;
  SlidesFactory engines;
  std::unique_ptr<Fleet> fleet;
  ControlCore control;
  HostPosition position;
  bool paused = false, held = false;
  int edits = 0;
  Moment now{std::chrono::seconds(1)};
  std::vector<std::vector<Input>> given;  // with each tick
};

}  // namespace convoy::control
