#include "plugins/users_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "core/pose.h"
#include "plugins/given_parameters.h"
#include "plugins/guarded.h"
#include "plugins/users_surroundings.h"

namespace convoy {
namespace {

constexpr double kFast = 5;                // m/s: how fast others may come
constexpr std::size_t kMostKept = 10'000;  // numbers of a robot's memory
constexpr double kSlack = 1e-6;            // s, by which the steps of a plane may miss the tick

class Saves final : public robot::Memory {
 public:
  explicit Saves(EngineMemory& out) : out_(out) {}
  void operator()(double& value) override {
    if (out_.numbers.size() < kMostKept)
      out_.numbers.push_back(value == value ? value : std::numeric_limits<double>::quiet_NaN());
  }
  void operator()(std::int64_t& value) override {
    if (out_.whole.size() < kMostKept) out_.whole.push_back(value);
  }

 private:
  EngineMemory& out_;
};

class Loads final : public robot::Memory {
 public:
  explicit Loads(const EngineMemory& in) : in_(in) {}
  void operator()(double& value) override {
    if (number_ < in_.numbers.size()) value = in_.numbers[number_++];
  }
  void operator()(std::int64_t& value) override {
    if (whole_ < in_.whole.size()) value = in_.whole[whole_++];
  }

 private:
  const EngineMemory& in_;
  std::size_t number_ = 0, whole_ = 0;
};

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// Why the state cannot be one; empty: it can.
std::string problem_of(const robot::State& s) {
  if (!finite(s.pose.p) || !std::isfinite(length(s.pose.q)) || length(s.pose.q) < 1e-6)
    return "its engine gave a pose that is none";
  if (!finite(s.twist.v) || !finite(s.twist.w)) return "its engine gave a twist that is no number";
  const auto bad = [](double value) { return !std::isfinite(value); };
  if (std::any_of(s.positions.begin(), s.positions.end(), bad) ||
      std::any_of(s.velocities.begin(), s.velocities.end(), bad))
    return "its engine gave a joint that is no number";
  if (!finite(s.force) || !finite(s.torque)) return "its engine gave a force that is no number";
  return {};
}

bool parse(Reader& in, EngineMemory& out) {
  LoadFields v(in);
  fields(v, out);
  return in.ok();
}

}  // namespace

UsersEngine::UsersEngine(const Model& model, const PhysicsFactory& bodies, const EngineType& type)
    : model_(model), bodies_(bodies), type_(&type) {
  for (const Vec2& corner : model_.footprint) corners_.push_back({corner.x, corner.y});
  joints_.assign(model_.joints.begin(), model_.joints.end());
  actuators_.assign(model_.actuators.begin(), model_.actuators.end());
  shown_ = {model_.name,
            model_.mass,
            model_.height,
            model_.wheel_radius,
            model_.half_separation,
            model_.wheelbase,
            model_.max_steering,
            model_.max_steering_rate,
            model_.max_speed,
            model_.max_turn_rate,
            model_.max_acceleration,
            model_.max_turn_acceleration,
            corners_,
            joints_,
            actuators_};
  make();
}

UsersEngine::UsersEngine(const Model& model, const PhysicsFactory& bodies, const Error& error)
    : model_(model), bodies_(bodies), trouble_(error.message()) {}

UsersEngine::~UsersEngine() { drop(); }

void UsersEngine::drop() {
  if (robot_) guarded([this] { type_->exported.maker.drop(robot_); });
  robot_ = nullptr;
}

void UsersEngine::make() {
  drop();
  if (!type_) return;
  trouble_.clear();
  UsersParameters given;
  if (!model_.engine.parameters.empty() && !convoy::load(model_.engine.parameters, given)) {
    trouble_ = "its parameters are malformed";
    return;
  }
  GivenParameters parameters(given);
  trouble_ = guarded([&] { robot_ = type_->exported.maker.make(parameters, shown_); });
  if (trouble_.empty() && !robot_) trouble_ = "its library made none";
  if (trouble_.empty()) trouble_ = parameters.wrong();
  if (!trouble_.empty()) drop();
}

double UsersEngine::neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const {
  double radius = bounding_radius(model);
  for (const Carried& one : carried) radius = std::max(radius, norm(one.X_BC.p) + bounding_radius(*one.model));
  const double sight = type_ ? type_->facts.sight : 0;
  return radius + sight + 2 * std::max(model.max_speed, kFast) * seconds(tick);
}

// As it was where the tick began: what its robot is shown, and goes back to.
struct UsersEngine::Boundary {
  State state;
  std::vector<double> tail;
};

// Empty, or why it failed.
std::string UsersEngine::advance(const PhysicsInput& input, const Boundary& before, State& state,
                                 std::span<double> tail, PhysicsEvents& events) {
  const std::size_t n = model_.joints.size();
  robot::State s;
  s.pose = state.pose, s.twist = state.twist;
  s.positions = tail.first(n), s.velocities = tail.subspan(n, n);
  UsersSurroundings around(input, model_, before.state, before.tail, bodies_);
  if (std::string thrown = guarded([&] { robot_->step(around, s); }); !thrown.empty()) return thrown;
  if (const Plane* plane = around.used_plane()) {
    if (std::abs(plane->stepped() - seconds(input.step)) > kSlack)
      return "its engine moved its plane by " + std::to_string(plane->stepped()) + " s in a tick of " +
             std::to_string(seconds(input.step)) + " s";
    events.touched = plane->touched(), events.touched_map = plane->touches_map();
    one_sided_ += plane->one_sided();
  }
  if (std::string wrong = problem_of(s); !wrong.empty()) return wrong;
  events.touched.insert(events.touched.end(), around.touched_ones().begin(), around.touched_ones().end());
  std::sort(events.touched.begin(), events.touched.end());
  events.touched.erase(std::unique(events.touched.begin(), events.touched.end()), events.touched.end());
  state.pose = {s.pose.p, unit(s.pose.q)}, state.twist = s.twist;
  if (tail.size() == 2 * n + kWrenchSize) {
    const double wrench[kWrenchSize] = {s.force.x, s.force.y, s.force.z, s.torque.x, s.torque.y, s.torque.z};
    std::copy(std::begin(wrench), std::end(wrench), tail.begin() + static_cast<std::ptrdiff_t>(2 * n));
  }
  const Vec3 way = state.pose.p - before.state.pose.p;
  events.distance = std::sqrt(way.x * way.x + way.y * way.y);
  const double forward = dot(state.twist.v, rotate(state.pose.q, {1, 0, 0})), turn = state.twist.w.z;
  const bool steered = model_.drive == Drive::kAckermann || model_.drive == Drive::kTricycle;
  const double side = steered ? 0 : turn * model_.half_separation;
  events.wheel_left = forward - side, events.wheel_right = forward + side;
  events.steering = steered && std::abs(forward) > 1e-3 ? math::atan(turn * model_.wheelbase / forward) : 0;
  if (const auto& turned = around.turned()) {
    if (!std::isfinite(turned->left) || !std::isfinite(turned->right) || !std::isfinite(turned->steering))
      return "its engine gave wheels that turn by no number";
    events.wheel_left = turned->left, events.wheel_right = turned->right, events.steering = turned->steering;
  }
  return {};
}

void UsersEngine::step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) {
  state.stamp = input.begin + input.step;
  if (fault_.empty()) fault_ = trouble_;
  if (fault_.empty()) {
    const Boundary before{state, {tail.begin(), tail.end()}};
    fault_ = advance(input, before, state, tail, events);
    if (fault_.empty()) return;
    state = before.state;
    std::copy(before.tail.begin(), before.tail.end(), tail.begin());
    events.touched.clear(), events.touched_map = false;
    events.distance = events.wheel_left = events.wheel_right = events.steering = 0;
  }
  // It stands where it was.
  const std::size_t n = model_.joints.size();
  state.twist = {};
  std::fill(tail.begin() + static_cast<std::ptrdiff_t>(n), tail.end(), 0.0);
  if (!told_) events.fault = fault_;
  told_ = true;
}

void UsersEngine::reset(const State& state) {
  make();
  fault_.clear(), told_ = false, one_sided_ = 0;
  put(state, {});
}

void UsersEngine::put(const State& state, std::span<const double> tail) {
  if (!robot_) return;
  const std::size_t n = model_.joints.size();
  std::vector<double> joints(2 * n, 0.0);
  const std::span<const double> from = tail.size() >= n ? tail.first(n) : std::span<const double>(model_.start);
  std::copy_n(from.begin(), std::min(n, from.size()), joints.begin());
  robot::State s;
  s.pose = state.pose, s.twist = state.twist;
  s.positions = std::span(joints).first(n), s.velocities = std::span(joints).subspan(n, n);
  if (const std::string thrown = guarded([&] { robot_->put(s); }); !thrown.empty() && fault_.empty()) fault_ = thrown;
}

EngineMemory UsersEngine::memory() const {
  EngineMemory out;
  out.fault = fault_, out.told = told_, out.one_sided = one_sided_;
  if (robot_ && type_->facts.saves) {
    Saves saves(out);
    guarded([&] { robot_->memory(saves); });
  }
  return out;
}

void UsersEngine::save(SaveFields& out) const {
  const EngineMemory kept = memory();
  fields(out, kept);
}

bool UsersEngine::take(const EngineMemory& memory) {
  const EngineMemory own = this->memory();
  if (memory.numbers.size() != own.numbers.size() || memory.whole.size() != own.whole.size()) return false;
  fault_ = memory.fault, told_ = memory.told, one_sided_ = memory.one_sided;
  if (!robot_ || !type_->facts.saves) return true;
  Loads loads(memory);
  return guarded([&] { robot_->memory(loads); }).empty();
}

bool UsersEngine::load(Reader& in) {
  EngineMemory loaded;
  return parse(in, loaded) && take(loaded);
}

bool UsersEngine::accepts(ByteView saved) const {
  Reader in(saved);
  EngineMemory loaded;
  const EngineMemory own = memory();
  return parse(in, loaded) && in.done() && loaded.numbers.size() == own.numbers.size() &&
         loaded.whole.size() == own.whole.size();
}

void UsersEngine::describe(DescribeFields::List& out) const {
  for (auto& field : convoy::describe(memory())) out.emplace_back("engine." + field.first, std::move(field.second));
}

std::optional<Vec3> UsersEngine::gravity(const Environment& environment) const {
  return environment.gravity.value_or(Vec3{0, 0, -9.81});
}

}  // namespace convoy
