#include "physics/plane.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/math.h"
#include "core/pose.h"
#include "physics/touch.h"

namespace convoy {

namespace {

// MuJoCo's defaults.
constexpr double kTimeConstant = 0.02;                        // s
constexpr double kLeast = 0.9, kMost = 0.95, kWidth = 0.001;  // of the impedance, and the depth where it is the most, m
constexpr double kEdges = 2;     // a touch's end stands for two contacts, one above the other
constexpr int kRounds = 40;      // of the solver
constexpr double kApart = 1e-3;  // m: pieces of which one ends so much above the other's beginning meet
constexpr std::size_t kDirections = 16;
constexpr double kTwist = 2.0 / 3;  // of a disc's radius: the arm of its friction when it turns

Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
double across(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }

// How much of the wanted acceleration a contact reaches by itself.
double impedance(double depth) {
  const double x = std::min(1.0, std::abs(depth) / kWidth);
  const double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
  return kLeast + y * (kMost - kLeast);
}

// The farthest point of a shape along n, in its own frame.
Vec3 farthest(const MetShape& shape, const Vec3& n) {
  const double flat = std::sqrt(n.x * n.x + n.y * n.y);
  const double side = n.z < 0 ? -1 : 1;
  switch (shape.kind) {
    case MetShape::Kind::kSphere: return shape.size.x * n;
    case MetShape::Kind::kCapsule: return shape.size.x * n + Vec3{0, 0, side * shape.size.y};
    case MetShape::Kind::kEllipsoid: {
      const Vec3 a{shape.size.x * n.x, shape.size.y * n.y, shape.size.z * n.z};
      const double length = norm(a);
      return length > 0 ? (1 / length) * Vec3{shape.size.x * a.x, shape.size.y * a.y, shape.size.z * a.z} : Vec3{};
    }
    case MetShape::Kind::kCylinder: {
      const double r = flat > 0 ? shape.size.x / flat : 0;
      return {r * n.x, r * n.y, side * shape.size.y};
    }
    case MetShape::Kind::kBox:
      return {n.x < 0 ? -shape.size.x : shape.size.x, n.y < 0 ? -shape.size.y : shape.size.y, side * shape.size.z};
    case MetShape::Kind::kHull: break;
  }
  Vec3 out;
  double reached = -HUGE_VAL;
  for (const Vec3& corner : shape.corners)
    if (const double at = dot(corner, n); at > reached) reached = at, out = corner;
  return out;
}

std::vector<Vec3> corners_of(const MetShape& shape, const Quat& q_WS) {
  if (shape.kind == MetShape::Kind::kHull) return shape.corners;
  std::vector<Vec3> out;
  if (shape.kind == MetShape::Kind::kBox) {
    for (int i = 0; i < 8; ++i)
      out.push_back({i & 1 ? shape.size.x : -shape.size.x, i & 2 ? shape.size.y : -shape.size.y,
                     i & 4 ? shape.size.z : -shape.size.z});
    return out;
  }
  for (std::size_t i = 0; i < kDirections; ++i) {
    double s = 0, c = 1;
    math::sincos(2 * math::kPi * static_cast<double>(i) / kDirections, s, c);
    out.push_back(farthest(shape, rotate(q_WS.conjugate(), {c, s, 0})));
  }
  return out;
}

}  // namespace

Planar Plane::Body::place() const {
  double s = 0, c = 1;
  math::sincos(angle, s, c);
  return {x, y, c, s};
}

Plane::Body Plane::body_of(const MetBody& met) const {
  Body out;
  out.number = met.number, out.free = met.free && met.mass > 0, out.passive = met.passive;
  const Vec3 com = met.X_WB * met.com, arm = com - met.X_WB.p;
  out.x = com.x, out.y = com.y;
  const Vec3 v = met.v_WB_W.v + cross(met.v_WB_W.w, arm);
  out.vx = v.x, out.vy = v.y, out.turn_rate = met.v_WB_W.w.z;
  out.mass = met.mass, out.pull = {met.force.x, met.force.y}, out.twisting = met.torque.z;
  const Vec3 up = rotate(met.X_WB.q.conjugate(), {0, 0, 1});
  const auto& i = met.inertia;
  out.inertia = i[0] * up.x * up.x + i[1] * up.y * up.y + i[2] * up.z * up.z +
                2 * (i[3] * up.x * up.y + i[4] * up.x * up.z + i[5] * up.y * up.z);
  if (!(out.inertia > 0)) out.free = false;
  out.friction = 0;
  for (const MetShape& shape : met.shapes) {
    const Pose X_WS = met.X_WB * shape.X_BS;
    Piece piece;
    for (const Vec3& corner : corners_of(shape, X_WS.q)) {
      const Vec3 at = X_WS * corner;
      piece.outline.push_back({at.x - com.x, at.y - com.y});
    }
    make_hull(piece.outline);
    if (piece.outline.size() < 3) continue;
    const Quat q_SW = X_WS.q.conjugate();
    piece.low = (X_WS * farthest(shape, rotate(q_SW, {0, 0, -1}))).z;
    piece.high = (X_WS * farthest(shape, rotate(q_SW, {0, 0, 1}))).z;
    for (const Vec2& corner : piece.outline) piece.radius = std::max(piece.radius, std::sqrt(dot(corner, corner)));
    piece.friction = shape.friction;
    out.radius = std::max(out.radius, piece.radius), out.friction = std::max(out.friction, piece.friction);
    out.pieces.push_back(std::move(piece));
  }
  return out;
}

Plane::Plane(const PhysicsInput& input, const Model& model, const State& state, std::span<const MetBody> own,
             std::span<const MetBody> others)
    : map_(input.map), boundary_(state) {
  if (input.environment && input.environment->gravity) gravity_ = norm(*input.environment->gravity);
  const auto base = std::find_if(own.begin(), own.end(), [](const MetBody& b) { return b.free; });
  if (base != own.end()) {
    bodies_.push_back(body_of(*base));
  } else {
    Neighbour self;
    self.number = input.self, self.state = &state, self.model = &model;
    std::vector<MetBody> prism;
    add_footprint(self, prism);
    MetBody met = prism.empty() ? MetBody{.number = input.self, .X_WB = state.pose} : prism[0];
    const double r = circumscribed_radius(model);
    met.free = true, met.mass = model.mass, met.inertia[2] = met.mass * std::max(1e-6, r * r / 2);
    bodies_.push_back(body_of(met));
  }
  for (const MetBody& met : others) bodies_.push_back(body_of(met));
  Body& me = bodies_[0];
  // Where the engine says that the robot is, and how it moves, counts.
  com_ = rotate(state.pose.q.conjugate(), Vec3{me.x, me.y, state.pose.p.z} - state.pose.p);
  com_at_boundary_ = {me.x, me.y};
  const Vec3 v = state.twist.v + cross(state.twist.w, Vec3{me.x, me.y, state.pose.p.z} - state.pose.p);
  me.vx = v.x, me.vy = v.y, me.turn_rate = state.twist.w.z, me.pull = {}, me.twisting = 0, me.passive = false;
}

Plane::Motion Plane::motion() const {
  State now = boundary_;
  finish(now);
  const Vec3 x = rotate(now.pose.q, {1, 0, 0});
  return {now.pose.p.x, now.pose.p.y, math::atan2(x.y, x.x), now.twist.v.x, now.twist.v.y, now.twist.w.z};
}

void Plane::finish(State& state) const {
  const Body& me = bodies_[0];
  double s = 0, c = 1;
  math::sincos(me.angle, s, c);
  const Vec2 before{boundary_.pose.p.x - com_at_boundary_.x, boundary_.pose.p.y - com_at_boundary_.y};
  const Vec2 arm{c * before.x - s * before.y, s * before.x + c * before.y};
  state.pose.p = {me.x + arm.x, me.y + arm.y, boundary_.pose.p.z};
  state.pose.q = me.angle == 0 ? boundary_.pose.q : unit(from_axis_angle({0, 0, 1}, me.angle) * boundary_.pose.q);
  state.twist = {{me.vx - me.turn_rate * arm.y, me.vy + me.turn_rate * arm.x, 0}, {0, 0, me.turn_rate}};
}

Vec3 Plane::mean_force() const { return stepped_ > 0 ? Vec3{pushed_.x / stepped_, pushed_.y / stepped_, 0} : Vec3{}; }
double Plane::mean_torque() const { return stepped_ > 0 ? turned_ / stepped_ : 0; }

// Its softness, and what it wants: that the two come to rest against each other, apart.
void Plane::finish_row(Row& row, double dt, double depth) {
  const Body& a = bodies_[row.body];
  const Body* b = row.other < 0 ? nullptr : &bodies_[static_cast<std::size_t>(row.other)];
  double speed = row.way.x * a.vx + row.way.y * a.vy + row.arm * a.turn_rate;
  row.inverse = a.inverse_mass() * dot(row.way, row.way) + row.arm * row.arm * a.inverse_inertia();
  if (b) {
    speed -= row.way.x * b->vx + row.way.y * b->vy + row.other_arm * b->turn_rate;
    row.inverse += b->inverse_mass() * dot(row.way, row.way) + row.other_arm * row.other_arm * b->inverse_inertia();
  }
  const double d = impedance(depth), constant = std::max(kTimeConstant, 2 * dt);
  const double damping = 2 / (kMost * constant), stiffness = d / (kMost * kMost * constant * constant);
  row.wanted = -damping * speed + stiffness * depth;
  row.give = (1 - d) / d * row.inverse;
}

void Plane::add_contact(std::size_t body, int other, Vec2 at, Vec2 normal, double depth, double friction, double dt) {
  const Body& a = bodies_[body];
  const Vec2 arm{at.x - a.x, at.y - a.y};
  Vec2 other_arm;
  if (other >= 0) {
    const Body& b = bodies_[static_cast<std::size_t>(other)];
    other_arm = {at.x - b.x, at.y - b.y};
  }
  const auto row_along = [&](Vec2 way) {
    Row row;
    row.body = body, row.other = other, row.way = way;
    row.arm = across(arm, way), row.other_arm = across(other_arm, way);
    return row;
  };
  Row press = row_along(normal);
  finish_row(press, dt, depth);
  press.give /= kEdges;
  press.least = 0, press.most = HUGE_VAL;
  Row rub = row_along({-normal.y, normal.x});
  finish_row(rub, dt, 0);
  rub.give /= kEdges;
  rub.normal = static_cast<int>(rows_.size()), rub.least = -friction, rub.most = friction;
  rows_.push_back(press), rows_.push_back(rub);
}

// Friction on the ground, under the weight of what nothing else holds.
void Plane::add_ground(std::size_t body, double dt) {
  const Body& b = bodies_[body];
  const double bound = std::max(1.0, b.friction) * b.mass * gravity_;
  const auto add = [&](Vec2 way, double arm, double most) {
    Row row;
    row.body = body, row.way = way, row.arm = arm;
    finish_row(row, dt, 0);
    row.least = -most, row.most = most;
    rows_.push_back(row);
  };
  add({1, 0}, 0, bound), add({0, 1}, 0, bound);
  if (b.radius > 0) add({0, 0}, 1, bound * kTwist * b.radius);
}

void Plane::find_contacts(double dt) {
  rows_.clear();
  touched_.clear();
  touches_map_ = one_sided_ = false;
  const Planar here = bodies_[0].place();
  const auto ends = [](const TouchLine& touch) {
    std::array<Vec2, 2> out{touch.point(touch.from), touch.point(touch.to)};
    return std::pair(out, touch.to - touch.from > kApart ? 2u : 1u);
  };
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const Body& other = bodies_[i];
    const double dx = other.x - here.x, dy = other.y - here.y, reach = bodies_[0].radius + other.radius;
    if (dx * dx + dy * dy > reach * reach) continue;
    const Planar there = other.place();
    bool any = false;
    for (const Piece& own : bodies_[0].pieces)
      for (const Piece& piece : other.pieces) {
        if (own.low + kApart > piece.high || piece.low + kApart > own.high) continue;
        TouchLine touch;
        if (!touching(here, own.outline, there, piece.outline, true, touch) || touch.depth < 0) continue;
        const auto [points, count] = ends(touch);
        for (std::size_t p = 0; p < count; ++p)
          add_contact(0, static_cast<int>(i), points[p], touch.normal, touch.depth,
                      std::max(own.friction, piece.friction), dt);
        any = true;
      }
    if (!any) continue;
    touched_.push_back(other.number);
    one_sided_ = one_sided_ || !other.free;
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  if (map_ && !map_->empty()) {
    const Vec2 axis = map_->x_axis();
    const Planar turn{0, 0, axis.x, axis.y};
    for (const Piece& own : bodies_[0].pieces)
      for (const TouchLine& touch : touches_of_map(*map_, here, own.outline)) {
        if (touch.depth < 0) continue;
        const auto [points, count] = ends(touch);
        for (std::size_t p = 0; p < count; ++p)
          add_contact(0, -1, map_->to_world(points[p].x, points[p].y), turn.turn(touch.normal), touch.depth,
                      std::max(1.0, own.friction), dt);
        touches_map_ = true;
      }
  }
  for (std::size_t i = 1; i < bodies_.size(); ++i)
    if (bodies_[i].free && bodies_[i].passive) add_ground(i, dt);
}

void Plane::push(const Row& row, double force) {
  const auto apply = [&](Body& body, double sign, double arm) {
    body.ax += sign * force * row.way.x * body.inverse_mass();
    body.ay += sign * force * row.way.y * body.inverse_mass();
    body.turn_acceleration += sign * force * arm * body.inverse_inertia();
  };
  apply(bodies_[row.body], 1, row.arm);
  if (row.other >= 0) apply(bodies_[static_cast<std::size_t>(row.other)], -1, row.other_arm);
}

// By Gauss and Seidel, each row within its bounds.
void Plane::solve() {
  for (int round = 0; round < kRounds; ++round)
    for (Row& row : rows_) {
      if (!(row.inverse > 0)) continue;
      const Body& a = bodies_[row.body];
      double now = row.way.x * a.ax + row.way.y * a.ay + row.arm * a.turn_acceleration;
      if (row.other >= 0) {
        const Body& b = bodies_[static_cast<std::size_t>(row.other)];
        now -= row.way.x * b.ax + row.way.y * b.ay + row.other_arm * b.turn_acceleration;
      }
      const double pressed = row.normal < 0 ? 1 : rows_[static_cast<std::size_t>(row.normal)].force;
      const double force = std::clamp(row.force + (row.wanted - now - row.give * row.force) / (row.inverse + row.give),
                                      row.least * pressed, row.most * pressed);
      push(row, force - row.force);
      row.force = force;
    }
}

void Plane::step(double dt, Vec2 force, double torque) {
  if (!(dt > 0)) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const Vec2 pull = i == 0 ? force : body.pull;
    body.ax = pull.x * body.inverse_mass(), body.ay = pull.y * body.inverse_mass();
    body.turn_acceleration = (i == 0 ? torque : body.twisting) * body.inverse_inertia();
  }
  find_contacts(dt);
  solve();
  Vec2 pushed = force;
  double turned = torque;
  for (const Row& row : rows_)
    if (row.body == 0 && row.other < 0) pushed = pushed + row.force * row.way, turned += row.force * row.arm;
  pushed_ = pushed_ + dt * pushed, turned_ += dt * turned, stepped_ += dt;
  for (Body& body : bodies_) {
    body.vx += dt * body.ax, body.vy += dt * body.ay, body.turn_rate += dt * body.turn_acceleration;
    body.x += dt * body.vx, body.y += dt * body.vy, body.angle += dt * body.turn_rate;
  }
}

}  // namespace convoy
