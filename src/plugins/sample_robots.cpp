// Engines of a user's library, for the tests: each does one thing.
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "convoy/robot.h"

namespace {

using namespace convoy::robot;
using convoy::Parameters;

// Moves as it is told, and keeps count.
class Cart final : public Robot {
 public:
  Cart(Parameters& p, const Model& model) : gain_(p.number("gain", 1, 0, 10)), name_(model.joints.size()) {}
  static Facts facts() { return {.sight = 2}; }
  void put(const State& state) override { distance_ = state.pose.p.x; }
  void memory(Memory& m) override { m(distance_), m(ticks_); }
  void step(Surroundings& around, State& state) override {
    const double dt = static_cast<double>(around.tick_ns()) * 1e-9, way = gain_ * around.command().v.x * dt;
    state.pose.p.x += way, state.twist.v.x = way / dt;
    distance_ += way, ++ticks_;
    for (const Control& control : around.controls()) state.pose.p.z = control.value;
    for (const Neighbour& other : around.neighbours()) around.touched(other.number);
    around.touched(convoy::WorldNumber(77));  // there is none
  }

 private:
  double gain_, distance_ = 0;
  std::size_t name_;
  std::int64_t ticks_ = 0;
};

// Says what it is shown: the number of bodies, of their shapes' corners, and how heavy they are, as its height.
class Looks final : public Robot {
 public:
  Looks(Parameters&, const Model&) {}
  static Facts facts() { return {}; }
  void put(const State&) override {}
  void step(Surroundings& around, State& state) override {
    double sum = 0;
    for (const Body& body : around.bodies()) {
      sum += 100 + body.mass;
      for (const Shape& shape : body.shapes) sum += 1000 * static_cast<double>(shape.corners.size());
    }
    state.pose.p.z = sum + (around.solid(1e6, 0) ? 0.5 : 0) + around.gravity().z / 1000;
  }
};

// Takes its force from the command, on the plane; forgets.
class Slides final : public Robot {
 public:
  Slides(Parameters&, const Model&) {}
  static Facts facts() { return {.saves = false}; }
  void put(const State&) override {}
  void memory(Memory& m) override { m(unused_); }
  void step(Surroundings& around, State& state) override {
    Plane& plane = around.plane();
    const double dt = static_cast<double>(around.tick_ns()) * 1e-10;
    for (int i = 0; i < 10; ++i) plane.step(dt, {plane.mass() * around.command().v.x, 0, 0}, 0);
    plane.leave(state);
  }

 private:
  double unused_ = 0;
};

class Base : public Robot {
 public:
  Base(Parameters&, const Model&) {}
  static Facts facts() { return {}; }
  void put(const State&) override {}
};
class Nan final : public Base {
 public:
  using Base::Base;
  void step(Surroundings&, State& state) override { state.pose.p.x = std::numeric_limits<double>::quiet_NaN(); }
};
class Throws final : public Base {
 public:
  using Base::Base;
  void step(Surroundings&, State&) override { throw std::runtime_error("out of fuel"); }
};
class Lazy final : public Base {
 public:
  using Base::Base;
  void step(Surroundings& around, State&) override { around.plane().step(0.005, {}, 0); }
};
class Hangs final : public Base {
 public:
  using Base::Base;
  void step(Surroundings& around, State&) override {
    if (around.now_ns() >= 200'000'000) std::this_thread::sleep_for(std::chrono::hours(1));
  }
};
class Fussy final : public Robot {
 public:
  Fussy(Parameters& p, const Model& model) {
    if (model.joints.size() != 4) p.refuse("", "it has four wheels");
  }
  static Facts facts() { return {}; }
  void put(const State&) override {}
  void step(Surroundings&, State&) override {}
};

}  // namespace

CONVOY_ROBOTS({"cart", maker<Cart>()}, {"looks", maker<Looks>()}, {"slides", maker<Slides>()}, {"nan", maker<Nan>()},
              {"throws", maker<Throws>()}, {"lazy", maker<Lazy>()}, {"fussy", maker<Fussy>()},
              {"hangs", maker<Hangs>()})
