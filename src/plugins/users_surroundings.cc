#include "plugins/users_surroundings.h"

#include <algorithm>

namespace convoy {

UsersSurroundings::UsersSurroundings(const PhysicsInput& input, const Model& model, const State& state,
                                     std::span<const double> tail, const PhysicsFactory& bodies)
    : input_(input), model_(model), state_(state), tail_(tail), bodies_(bodies) {
  for (const Control& control : input.controls) controls_.push_back({control.actuator, control.value});
}

Vec3 UsersSurroundings::gravity() const {
  return input_.environment && input_.environment->gravity ? *input_.environment->gravity : Vec3{0, 0, -9.81};
}

std::span<const robot::Neighbour> UsersSurroundings::neighbours() {
  if (!neighbours_.empty()) return neighbours_;
  for (const Neighbour& other : input_.neighbours) {
    const std::size_t joints = other.model->joints.size();
    const std::span<const double> tail = other.tail.size() >= 2 * joints ? other.tail : std::span<const double>();
    robot::Neighbour& out = neighbours_.emplace_back();
    out.number = other.number, out.model = other.model->name;
    out.pose = other.state->pose, out.twist = other.state->twist, out.mass = other.model->mass;
    if (!tail.empty()) out.positions = tail.first(joints), out.velocities = tail.subspan(joints, joints);
  }
  return neighbours_;
}

bool UsersSurroundings::solid(double x, double y) const {
  if (!input_.map) return false;
  const Vec2 at = input_.map->to_map(x, y);
  return input_.map->solid_at(at.x, at.y);
}

std::span<const robot::Body> UsersSurroundings::show(Shown& out) {
  if (!out.shown.empty()) return out.shown;
  for (const MetBody& body : out.bodies) {
    std::vector<robot::Shape>& shapes = out.shapes.emplace_back();
    for (const MetShape& shape : body.shapes)
      shapes.push_back(
          {static_cast<robot::Shape::Kind>(shape.kind), shape.size, shape.X_BS, shape.corners, shape.friction});
    robot::Body& shown = out.shown.emplace_back();
    shown.number = body.number, shown.pose = body.X_WB, shown.twist = body.v_WB_W;
    shown.free = body.free, shown.passive = body.passive, shown.mass = body.mass, shown.com = body.com;
    std::copy(body.inertia.begin(), body.inertia.end(), shown.inertia);
    shown.force = body.force, shown.torque = body.torque, shown.shapes = shapes;
  }
  return out.shown;
}

UsersSurroundings::Shown& UsersSurroundings::met() {
  if (met_) return *met_;
  met_.emplace();
  for (const Neighbour& other : input_.neighbours) bodies_.add_bodies(other, input_.files, met_->bodies);
  return *met_;
}

UsersSurroundings::Shown& UsersSurroundings::own() {
  if (own_) return *own_;
  own_.emplace();
  Neighbour self;
  self.number = input_.self, self.state = &state_, self.model = &model_, self.tail = tail_;
  self.carried = input_.carried, self.origin = state_.pose;
  bodies_.add_bodies(self, input_.files, own_->bodies);
  return *own_;
}

robot::Plane& UsersSurroundings::plane() {
  if (!plane_) plane_.emplace(convoy::Plane(input_, model_, state_, own().bodies, met().bodies));
  return *plane_;
}

robot::Plane::Motion UsersSurroundings::UsersPlane::motion() const {
  const convoy::Plane::Motion m = inside.motion();
  return {m.x, m.y, m.yaw, m.vx, m.vy, m.turn_rate};
}

void UsersSurroundings::UsersPlane::step(double seconds, const Vec3& force, double torque) {
  inside.step(seconds, {force.x, force.y}, torque);
}

void UsersSurroundings::UsersPlane::leave(robot::State& state) const {
  State now;
  inside.finish(now);
  state.pose = now.pose, state.twist = now.twist;
  state.force = inside.mean_force(), state.torque = {0, 0, inside.mean_torque()};
}

void UsersSurroundings::touched(WorldNumber number) {
  const auto near = [&](const Neighbour& other) { return other.number == number; };
  if (std::any_of(input_.neighbours.begin(), input_.neighbours.end(), near)) touched_.push_back(number);
}

}  // namespace convoy
