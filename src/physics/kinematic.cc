#include "physics/kinematic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/math.h"

namespace convoy {
namespace {

constexpr double kSlack = 1e-9;            // m kept from half the gap, against rounding
constexpr double kTouching = 1e-10;        // m; closer ones do not advance at all
constexpr double kRounding = 1e-12;        // m; a motion along a constraint may seem to break it by this
constexpr double kLeastMotion = 1e-9;      // m, rad; not worth a slide
constexpr int kArcBisections = 12;         // of a cut arc: to 1/4096 of it
constexpr double kLeastPart = 1.0 / 4096;  // of an arc
constexpr double kLeastSlide = 1.0 / 32;   // of what a cut arc left over
constexpr int kMaxChecks = 64;             // places checked along an arc
constexpr double kSmallAngle = 0.0625;     // rad
constexpr double kMaxSteering = 1.55;      // rad; nearer to a right angle the curvature has no bound

double finite_or_zero(double x) { return std::isfinite(x) ? x : 0; }
double clamp(double x, double bound) { return std::min(std::max(x, -bound), bound); }
double approach(double x, double target, double step) {
  if (target > x) return std::min(target, x + step);
  return std::max(target, x - step);
}

// sin(h), cos(h) and sin(h) / h: half of a step's turn is small, and then these are a few products.
struct HalfTurn {
  explicit HalfTurn(double h) {
    if (std::abs(h) < kSmallAngle) {
      const double u = h * h;
      sinc = 1 - u / 6 * (1 - u / 20 * (1 - u / 42 * (1 - u / 72)));
      cosine = 1 - u / 2 * (1 - u / 12 * (1 - u / 30 * (1 - u / 56 * (1 - u / 90))));
      sine = h * sinc;
    } else {
      math::sincos(h, sine, cosine);
      sinc = sine / h;
    }
  }
  double sine, cosine, sinc;
};

// Rotation about the world's z axis, then q; of unit length again.
Quat turned(const HalfTurn& t, const Quat& q) {
  Quat r{t.cosine * q.w - t.sine * q.z, t.cosine * q.x - t.sine * q.y, t.cosine * q.y + t.sine * q.x,
         t.cosine * q.z + t.sine * q.w};
  const double squared = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
  // One step of Newton's method finds the root next to 1; a quaternion far from it is not ours.
  double scale = 1.5 - 0.5 * squared;
  if (std::abs(squared - 1) > 1e-6) {
    if (!(squared > 1e-12)) return {};
    scale = 1 / std::sqrt(squared);
  }
  r.w = canonical(r.w * scale), r.x = canonical(r.x * scale);
  r.y = canonical(r.y * scale), r.z = canonical(r.z * scale);
  return r;
}

}  // namespace

// Neighbour constraint that is broken, or the map.
struct KinematicPhysics::Contact {
  bool map = false;
  const Constraint* constraint = nullptr;
};

KinematicPhysics::KinematicPhysics(const Model& model) : model_(model), radius_(circumscribed_radius(model)) {
  EXPECTS(model.footprint.size() <= kMaxFootprintCorners);
  if (model_.footprint.size() < 3) model_.footprint.clear();
  bodies_.push_back({kNoEntity, {}, model_.footprint, model_.footprint});
}

double KinematicPhysics::reach(const Model& model, Duration tick, std::span<const Carried> carried) {
  double extent = circumscribed_radius(model);
  for (const Carried& c : carried)
    extent =
        std::max(extent, std::sqrt(c.X_BC.p.x * c.X_BC.p.x + c.X_BC.p.y * c.X_BC.p.y) + circumscribed_radius(*c.model));
  // A neighbour farther away than twice what any of our corners can travel leaves us half of the gap for it.
  const double dt = seconds(tick);
  return extent + 2 * (model.max_speed + model.max_turn_rate * extent) * dt + 1e-6;
}

void KinematicPhysics::reset(const State&) {
  inner_ = {};
  probed_map_ = nullptr;
  tan_steering_ = 0, cos_steering_ = 1;
}

void KinematicPhysics::save(SaveFields& out) const { fields(out, inner_); }

bool KinematicPhysics::read_state(Reader& in, KinematicState& out) {
  LoadFields v(in);
  fields(v, out);
  return in.ok() && std::isfinite(out.speed) && std::isfinite(out.turn_rate) && std::abs(out.steering) <= kMaxSteering;
}

bool KinematicPhysics::accepts(ByteView saved) const {
  Reader in(saved);
  KinematicState ignored;
  return read_state(in, ignored) && in.done();
}

bool KinematicPhysics::load(Reader& in) {
  KinematicState loaded;
  if (!read_state(in, loaded)) return false;
  inner_ = loaded;
  probed_map_ = nullptr;
  cos_steering_ = math::cos(inner_.steering), tan_steering_ = math::tan(inner_.steering);
  return true;
}

void KinematicPhysics::describe(DescribeFields::List& out) const {
  for (auto& field : convoy::describe(inner_)) out.push_back(std::move(field));
}

void KinematicPhysics::step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) {
  const double dt = seconds(input.step);
  events.distance = 0;
  events.touched_map = false;
  events.touched.clear();
  drive(input.command, dt);
  turn_wheels(dt, tail, events);
  state.stamp = input.begin + input.step;
  state.twist = {};
  const double distance = inner_.speed * dt, angle = inner_.turn_rate * dt;
  if (distance == 0 && angle == 0) return;

  const Placement from = place(state.pose.p.x, state.pose.p.y, state.pose.q);
  ground_ = state.pose.p.z;
  take_bodies(input);
  map_ = nullptr;
  if (input.map != nullptr && !input.map->empty() && !map_is_far(*input.map, from.x, from.y, std::abs(distance)))
    map_ = input.map;
  constraints_.clear();
  if (!input.neighbours.empty()) {
    double travel = std::abs(distance) + std::abs(angle) * extent_;
    Placement boundary = from;
    if (input.at_boundary != nullptr) {
      const Pose& pose = input.at_boundary->pose;
      boundary = place(pose.p.x, pose.p.y, pose.q);
      const double dx = from.x - boundary.x, dy = from.y - boundary.y;
      travel += std::sqrt(dx * dx + dy * dy) + 2 * extent_;
    }
    take_constraints(input, boundary, travel);
  }

  const Placement full = along(from, distance, angle);
  if (constraints_.empty() && map_ == nullptr) {
    state.pose.p.x = canonical(full.x), state.pose.p.y = canonical(full.y), state.pose.q = full.q;
    state.twist.v = {canonical(inner_.speed * full.planar.c), canonical(inner_.speed * full.planar.s), 0};
    state.twist.w.z = canonical(inner_.turn_rate);
    events.distance = std::abs(distance);
    return;
  }

  const Placement to = move(from, distance, angle, events);
  const double dx = to.x - from.x, dy = to.y - from.y;
  if (!events.touched_map && events.touched.empty()) {
    state.twist.v = {canonical(inner_.speed * to.planar.c), canonical(inner_.speed * to.planar.s), 0};
    state.twist.w.z = canonical(inner_.turn_rate);
    events.distance = std::abs(distance);
  } else if (dt > 0) {
    events.distance = std::sqrt(dx * dx + dy * dy);
    state.twist.v = {canonical(dx / dt), canonical(dy / dt), 0};
    const double sine = from.planar.c * to.planar.s - from.planar.s * to.planar.c;
    const double cosine = from.planar.c * to.planar.c + from.planar.s * to.planar.s;
    state.twist.w.z = canonical(math::atan2(sine, cosine) / dt);
  }
  state.pose.p.x = canonical(to.x), state.pose.p.y = canonical(to.y), state.pose.q = to.q;
}

// Is nothing solid within the robot's extent wherever it gets from (x, y) by the distance?
bool KinematicPhysics::map_is_far(const StaticMap& map, double x, double y, double distance) {
  const double needed = extent_ + distance + kSlack;
  if (probed_map_ == &map && probed_clearance_ > needed) {
    const double dx = x - probed_x_, dy = y - probed_y_, spare = probed_clearance_ - needed;
    if (dx * dx + dy * dy < spare * spare) return true;
  }
  const Vec2 at = map.to_map(x, y);
  probed_map_ = &map, probed_x_ = x, probed_y_ = y;
  probed_clearance_ = map.clearance(at.x, at.y);
  return probed_clearance_ > needed;
}

void KinematicPhysics::drive(const Twist& command, double dt) {
  const double speed = clamp(finite_or_zero(command.v.x), model_.max_speed);
  const double turn_rate = clamp(finite_or_zero(command.w.z), model_.max_turn_rate);
  switch (model_.drive) {
    case Drive::kNone: return;
    case Drive::kDifferential:
      inner_.speed = canonical(approach(inner_.speed, speed, model_.max_acceleration * dt));
      inner_.turn_rate = canonical(approach(inner_.turn_rate, turn_rate, model_.max_turn_acceleration * dt));
      return;
    case Drive::kAckermann:
    case Drive::kTricycle: return steer(speed, turn_rate, dt);
  }
}

void KinematicPhysics::steer(double speed, double turn_rate, double dt) {
  if (speed != last_speed_ || turn_rate != last_turn_rate_) {
    last_speed_ = speed, last_turn_rate_ = turn_rate;
    last_angle_ = speed == 0 ? 0 : math::atan(turn_rate / speed * model_.wheelbase);
  }
  if (speed != 0) {
    const double wanted = clamp(last_angle_, std::min(model_.max_steering, kMaxSteering));
    const double angle = canonical(approach(inner_.steering, wanted, model_.max_steering_rate * dt));
    if (angle != inner_.steering) {
      inner_.steering = angle;
      cos_steering_ = math::cos(angle), tan_steering_ = math::tan(angle);
    }
  }
  const double curvature = tan_steering_ / model_.wheelbase;
  double bound = model_.max_speed;
  if (model_.drive == Drive::kTricycle) bound *= cos_steering_;  // the limit is that of the driven wheel
  if (std::abs(curvature) * bound > model_.max_turn_rate) bound = model_.max_turn_rate / std::abs(curvature);
  const double reached = approach(inner_.speed, speed, model_.max_acceleration * dt);
  inner_.speed = canonical(clamp(reached, bound));
  inner_.turn_rate = canonical(inner_.speed * curvature);
}

void KinematicPhysics::turn_wheels(double dt, std::span<double> tail, PhysicsEvents& events) const {
  const std::size_t joints = tail.size() / 2;
  const double side = inner_.turn_rate * model_.half_separation;
  std::array<double, 2> rim{inner_.speed - side, inner_.speed + side};
  std::size_t first = 0;
  events.wheel_left = canonical(rim[0]), events.wheel_right = canonical(rim[1]);
  events.steering = 0;
  if (model_.drive == Drive::kAckermann || model_.drive == Drive::kTricycle) {
    if (model_.drive == Drive::kTricycle) rim[0] = rim[1] = inner_.speed / cos_steering_;
    events.steering = inner_.steering;
    events.wheel_left = events.wheel_right = canonical(model_.drive == Drive::kTricycle ? rim[0] : inner_.speed);
    if (joints > 0) {
      tail[joints] = dt > 0 ? canonical((inner_.steering - tail[0]) / dt) : 0;
      tail[0] = inner_.steering;
    }
    first = 1;
  }
  if (model_.drive == Drive::kNone) return;
  for (std::size_t i = 0; i < rim.size() && first + i < joints; ++i) {
    const double rate = rim[i] / model_.wheel_radius;
    tail[first + i] = canonical(tail[first + i] + rate * dt);
    tail[joints + first + i] = canonical(rate);
  }
}

void KinematicPhysics::take_bodies(const PhysicsInput& input) {
  bodies_[0].number = input.self;
  body_count_ = 1;
  extent_ = radius_;
  for (const Carried& carried : input.carried) {
    if (carried.model->footprint.size() < 3) continue;
    if (bodies_.size() <= body_count_) bodies_.emplace_back();
    Body& body = bodies_[body_count_++];
    body.number = carried.number;
    body.pose = planar(carried.X_BC);
    body.own = carried.model->footprint;
    body.corners.clear();
    for (const Vec2& corner : body.own) body.corners.push_back(body.pose.apply(corner));
    const double offset = std::sqrt(body.pose.x * body.pose.x + body.pose.y * body.pose.y);
    extent_ = std::max(extent_, offset + circumscribed_radius(*carried.model));
  }
}

// `travel` bounds how far any corner may get from its place at the boundary, m.
void KinematicPhysics::take_constraints(const PhysicsInput& input, const Placement& boundary, double travel) {
  origin_x_ = boundary.x, origin_y_ = boundary.y;
  for (const Neighbour& other : input.neighbours) {
    const auto carried = [&](const Carried& c) { return c.number == other.number; };
    if (other.number == input.self || std::any_of(input.carried.begin(), input.carried.end(), carried)) continue;
    if (!other.model->files.empty() && !other.tail.empty()) take_loose(other, input, boundary, travel);
    if (other.model->footprint.size() < 3) continue;
    const double dx = other.state->pose.p.x - boundary.x, dy = other.state->pose.p.y - boundary.y;
    const double range = extent_ + circumscribed_radius(*other.model) + 2 * travel + 4 * kSlack;
    if (dx * dx + dy * dy > range * range) continue;  // then half of the gap is more than we can travel
    take_constraints(other.number, planar(other.state->pose), other.model->footprint, boundary, travel);
  }
}

void KinematicPhysics::take_constraints(WorldNumber number, const Planar& there, std::span<const Vec2> footprint,
                                        const Placement& boundary, double travel) {
  for (std::uint32_t i = 0; i < body_count_; ++i) {
    const Body& body = bodies_[i];
    if (body.own.empty()) continue;
    const Planar here = i == 0 ? boundary.planar : compose(boundary.planar, body.pose);
    const bool we_first = body.number < number;
    Gap gap = we_first ? widest_gap(here, body.own, there, footprint) : widest_gap(there, footprint, here, body.own);
    if (!we_first) gap.normal = {-gap.normal.x, -gap.normal.y};
    if (gap.width > 2 * travel + 4 * kSlack) continue;
    const double advance = gap.width > 4 * kSlack ? gap.width / 2 - kSlack : (gap.width > kTouching ? kRounding : 0.0);
    const double reached = support(body.corners, boundary.planar.turn_back(gap.normal));
    constraints_.push_back({number, i, gap.normal, reached + advance});
  }
}

// Loose objects lie in any way: what counts is the shadow of the box around each.
void KinematicPhysics::take_loose(const Neighbour& other, const PhysicsInput& input, const Placement& boundary,
                                  double travel) {
  auto known = std::find_if(loose_.begin(), loose_.end(), [&](const Loose& l) { return l.model == other.model; });
  if (known == loose_.end()) {
    if (input.files == nullptr) return;
    known = loose_.insert(loose_.end(), {other.model, body_boxes(*other.model, *input.files)});
  }
  static thread_local std::vector<Vec2> shadow;
  for (const BodyBox& box : known->boxes) {
    const Pose X_WB = pose_of(box, other.tail);
    const Vec3 centre = X_WB.p + rotate(X_WB.q, box.centre);
    const double dx = centre.x - boundary.x, dy = centre.y - boundary.y;
    const double range = extent_ + std::sqrt(dot(box.half, box.half)) + 2 * travel + 4 * kSlack;
    if (!(dx * dx + dy * dy <= range * range)) continue;
    if (cast_shadow(box, X_WB, ground_, ground_ + model_.height, shadow))
      take_constraints(other.number, {centre.x, centre.y, 1, 0}, shadow, boundary, travel);
  }
}

KinematicPhysics::Placement KinematicPhysics::place(double x, double y, const Quat& q) {
  return {x, y, q, planar({{x, y, 0}, q})};
}

// The arc of a constant twist: a chord, in the direction of the heading half-way.
KinematicPhysics::Placement KinematicPhysics::along(const Placement& from, double distance, double angle) {
  const HalfTurn half(angle / 2);
  const double chord = distance * half.sinc;
  const double c = from.planar.c * half.cosine - from.planar.s * half.sine;
  const double s = from.planar.s * half.cosine + from.planar.c * half.sine;
  return place(from.x + chord * c, from.y + chord * s, angle == 0 ? from.q : turned(half, from.q));
}

KinematicPhysics::Placement KinematicPhysics::shifted(const Placement& from, Vec2 by) {
  Placement p = from;
  p.x += by.x, p.y += by.y;
  p.planar.x = p.x, p.planar.y = p.y;
  return p;
}

bool KinematicPhysics::allowed(const Placement& p, Contact* contact) const {
  for (const Constraint& k : constraints_) {
    const double moved = k.normal.x * (p.x - origin_x_) + k.normal.y * (p.y - origin_y_);
    if (moved + support(bodies_[k.body].corners, p.planar.turn_back(k.normal)) <= k.limit) continue;
    if (contact != nullptr) *contact = {.map = false, .constraint = &k};
    return false;
  }
  if (map_ == nullptr || fits_map(p)) return true;
  if (contact != nullptr) *contact = {.map = true, .constraint = nullptr};
  return false;
}

namespace {

std::span<const Vec2> corners_on(const StaticMap& map, const Planar& p, std::span<const Vec2> corners,
                                 std::array<Vec2, kMaxFootprintCorners>& out) {
  const Vec2 origin = map.to_map(p.x, p.y), axis = map.x_axis();
  const Planar on_map{origin.x, origin.y, p.c * axis.x + p.s * axis.y, p.s * axis.x - p.c * axis.y};
  const std::size_t count = std::min(corners.size(), out.size());
  for (std::size_t i = 0; i < count; ++i) out[i] = on_map.apply(corners[i]);
  return {out.data(), count};
}

}  // namespace

bool KinematicPhysics::fits_map(const Placement& p) const {
  if (cells_allowed_ > 0) return cells_under(p) <= cells_allowed_;
  std::array<Vec2, kMaxFootprintCorners> corners;
  for (std::size_t i = 0; i < body_count_; ++i) {
    const auto on_map = corners_on(*map_, p.planar, bodies_[i].corners, corners);
    if (map_->touches(on_map.data(), on_map.size())) return false;
  }
  return true;
}

std::size_t KinematicPhysics::cells_under(const Placement& p) const {
  const Vec2 origin = map_->to_map(p.x, p.y);
  if (map_->solid_at(origin.x, origin.y)) return std::numeric_limits<std::size_t>::max();
  std::array<Vec2, kMaxFootprintCorners> corners;
  std::size_t count = 0;
  for (std::size_t i = 0; i < body_count_; ++i) {
    const auto on_map = corners_on(*map_, p.planar, bodies_[i].corners, corners);
    count += map_->solid_cells_under(on_map.data(), on_map.size());
  }
  return count;
}

// The first that is allowed of the whole motion, its half, its quarter and so on; but if the last of these is not,
// none.
template <class Motion>
KinematicPhysics::Placement KinematicPhysics::longest_allowed(const Placement& from, const Motion& motion) const {
  Placement p = motion(1.0);
  if (allowed(p, nullptr)) return p;
  const Placement least = motion(kLeastSlide);
  if (!allowed(least, nullptr)) return from;
  for (double part = 0.5; part > kLeastSlide; part /= 2)
    if (p = motion(part); allowed(p, nullptr)) return p;
  return least;
}

// The arc as far as it is allowed, then what is left of it along what was hit, then what is left of the turn.
KinematicPhysics::Placement KinematicPhysics::move(const Placement& from, double distance, double angle,
                                                   PhysicsEvents& events) {
  cells_allowed_ = 0;
  Placement best = from;
  double low = 0, high = 0;
  Contact contact;
  const double travel = std::abs(distance) + std::abs(angle) * extent_;
  int checks = 1;  // none farther from the one before than half a cell, or something thin could be jumped
  if (map_ != nullptr)
    checks = static_cast<int>(std::min<double>(kMaxChecks, 1 + travel / (0.5 * map_->data().resolution)));
  const auto try_fraction = [&](double fraction) {
    const Placement p = along(from, distance * fraction, angle * fraction);
    if (allowed(p, &contact)) return best = p, low = fraction, true;
    return high = fraction, false;
  };
  int k = 1;
  while (k <= checks && try_fraction(k == checks ? 1.0 : static_cast<double>(k) / checks)) ++k;
  if (k > checks) return best;

  if (k == 1 && map_ != nullptr && !fits_map(from)) {  // it begins on solid ground
    cells_allowed_ = cells_under(from);
    if (try_fraction(1.0)) return best;
  }
  // A robot that is wedged in cannot even do the least part, which is soon known.
  if (k > 1 || try_fraction(kLeastPart))
    for (int i = 0; i < kArcBisections; ++i) try_fraction(0.5 * (low + high));
  const Contact hit = contact;
  if (hit.map) events.touched_map = true;
  for (const Constraint& c : constraints_)
    if (&c == hit.constraint) events.touched.push_back(c.other);

  const double rest = 1 - low;
  const Placement end = along(best, distance * rest, angle * rest);
  best = slide(best, {end.x - best.x, end.y - best.y}, hit);
  const double turn = angle * rest;
  if (!(std::abs(turn) > kLeastMotion)) return best;
  return longest_allowed(best, [&](double part) { return along(best, 0, turn * part); });
}

// Tries the directions in which the obstacle may let go, and takes the one that leads farthest.
KinematicPhysics::Placement KinematicPhysics::slide(const Placement& from, Vec2 rest, const Contact& contact) const {
  const double length = std::sqrt(rest.x * rest.x + rest.y * rest.y);
  if (!(length > kLeastMotion)) return from;
  std::array<Vec2, 6> tries;
  std::size_t count = 0;
  // What is left of the motion without its part towards the normal, and a hair away from it.
  const auto off = [&](Vec2 n) {
    const double towards = rest.x * n.x + rest.y * n.y;
    if (towards > 0) tries[count++] = {rest.x - n.x * (towards + kRounding), rest.y - n.y * (towards + kRounding)};
  };
  tries[count++] = rest;  // perhaps it was only the turn that was in the way
  if (contact.constraint != nullptr) {
    off(contact.constraint->normal);
  } else {
    const Vec2 x = map_->x_axis(), y{-x.y, x.x};
    const double along_x = rest.x * x.x + rest.y * x.y, along_y = rest.x * y.x + rest.y * y.y;
    tries[count++] = {x.x * along_x, x.y * along_x};
    tries[count++] = {y.x * along_y, y.y * along_y};
    // A cell's corner against a side of ours: the side's direction. (Rectangles have the heading's and its normal.)
    const double ahead = rest.x * from.planar.c + rest.y * from.planar.s;
    const double aside = rest.y * from.planar.c - rest.x * from.planar.s;
    tries[count++] = {from.planar.c * ahead, from.planar.s * ahead};
    tries[count++] = {-from.planar.s * aside, from.planar.c * aside};
    // A wall that runs askew through the cells: the slope of the distance field.
    const Vec2 m = map_->to_map(from.x, from.y);
    const double h = 2 * map_->data().resolution;
    const double gx = map_->clearance(m.x + h, m.y) - map_->clearance(m.x - h, m.y);
    const double gy = map_->clearance(m.x, m.y + h) - map_->clearance(m.x, m.y - h);
    const double steepness = std::sqrt(gx * gx + gy * gy);
    if (steepness > 0) off({-(x.x * gx + y.x * gy) / steepness, -(x.y * gx + y.y * gy) / steepness});
  }
  Placement best = from;
  double farthest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (tries[i].x * tries[i].x + tries[i].y * tries[i].y <= farthest) continue;
    const Placement p = longest_allowed(from, [&](double part) {
      return shifted(from, {tries[i].x * part, tries[i].y * part});
    });
    const double dx = p.x - from.x, dy = p.y - from.y;
    if (dx * dx + dy * dy > farthest) farthest = dx * dx + dy * dy, best = p;
  }
  return best;
}

}  // namespace convoy
