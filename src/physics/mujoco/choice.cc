#include "physics/mujoco/choice.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

constexpr double kSoon = 0.1;     // m; one that comes nearer may be met in the next tick, speeding up
constexpr double kMargin = 0.05;  // m; what may come nearer by joints and accelerations within a tick
constexpr double kKick =
    2;  // m/s that a push adds to a rigid body's speed within a tick at most: what is faster is met a tick late
constexpr std::size_t kAllFixed = ~std::size_t{0};

double kick(double dt) { return std::min(kMargin, kKick * dt); }

// A lower bound, m; above `enough` any will do.
double between(const GhostBody& a, const Pose& X_WA, const GhostBody& b, const Pose& X_WB, double enough) {
  const double spheres = norm(X_WA.p - X_WB.p) - a.radius - b.radius;
  return spheres > enough ? spheres : std::max(spheres, least_distance(a.box, X_WA, b.box, X_WB));
}

}  // namespace

// What may be met, and how far beyond its margin it is at the tick's end at least, m. What no push moves of a neighbour
// comes whole: else each motion of an arm would ask for another model.
struct Choice::Near {
  double distance;
  std::size_t neighbour, body;  // or kAllFixed
  Pose X_WB;                    // of a free body
  const GhostBody* shape;
  bool passive() const { return shape && shape->passive; }
};

const std::shared_ptr<const GhostKind>& Choice::kind_of(const Neighbour& neighbour, const ModelFiles* files) {
  std::vector<Known>& all = neighbour.carried.empty() ? known_ : laden_;
  for (const Known& known : all)
    if (known.model == neighbour.model && known.held == neighbour.held && same_load(known.carried, neighbour.carried))
      return known.kind;
  static const auto nothing = std::make_shared<const GhostKind>();
  if (!files) return nothing;
  if (laden_.size() > kMostGhosts) laden_.erase(laden_.begin());
  all.push_back({neighbour.model,
                 neighbour.held,
                 {neighbour.carried.begin(), neighbour.carried.end()},
                 me_.library->kind(*neighbour.model, *files, neighbour.held, neighbour.carried)});
  return all.back().kind;
}

// How far from the robot's bodies, beyond the margin, one of the neighbour's stays within the tick, m.
double Choice::distance(const GhostBody& body, const GhostMotion& theirs, double dt) const {
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    const GhostBody& own = own_->bodies[i];
    if (own.still) continue;
    const Twist &v = mine_[i].v_WB_W, &w = theirs.v_WB_W;
    const double way = dt * (norm(v.v - w.v) + own.radius * norm(v.w) + body.radius * norm(w.w));
    const double room = way + (own.free && body.free ? kick(dt) : kMargin);
    least = std::min(least, between(own, mine_[i].X_WB, body, theirs.X_WB, room) - room);
  }
  return least;
}

// By the outlines: what may come within the margin in this tick is near, and in the next one, speeding up, soon.
Choice::Reach Choice::reach(double dt) const {
  Reach out = Reach::kFar;
  for (const Outline& a : my_outlines_)
    for (const Outline& b : their_outlines_) {
      const Vec3 d = a.p - b.p;
      const double away = dot(d, d), radii = a.radius + b.radius, way = dt * (a.speed + b.speed);
      const double soon = radii + 2 * way + kSoon, near = radii + way + kMargin;
      if (away <= near * near) return Reach::kNear;
      if (away <= soon * soon) out = Reach::kSoon;
    }
  return out;
}

// The bodies that come within their margin; `others` are the other free bodies of the same neighbours.
void Choice::find_near(const PhysicsInput& input, const Neighbour& self, std::vector<Near>& near,
                       std::vector<Near>& others) {
  const double dt = seconds(input.tick());
  soon_near_ = false;
  kinds_.assign(neighbours_.size(), nullptr);
  mine_.clear();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (neighbours_[n].attached) continue;
    const std::shared_ptr<const GhostKind>& kind = kind_of(neighbours_[n], input.files);
    if (kind->bodies.empty()) continue;
    find_outlines(*kind, neighbours_[n], their_outlines_);
    const Reach reached = reach(dt);
    soon_near_ = soon_near_ || reached != Reach::kFar;
    if (reached != Reach::kNear) continue;
    kinds_[n] = kind;
    if (mine_.empty()) find_motions(*own_, self, 0, mine_);
    find_motions(*kind, neighbours_[n], 0, theirs_);
    Near fixed{HUGE_VAL, n, kAllFixed, {}, nullptr};
    for (std::size_t b = 0; b < theirs_.size(); ++b) {
      const GhostBody& body = kind->bodies[b];
      const double d = distance(body, theirs_[b], dt);
      if (!body.free) fixed.distance = std::min(fixed.distance, d);
      else (d <= 0 ? near : others).push_back({d, n, b, theirs_[b].X_WB, &body});
    }
    if (fixed.distance <= 0) near.push_back(fixed);
  }
}

// What leans on a passive ghost, or carries it, matters too: a stack is met whole.
void Choice::add_leaning(const PhysicsInput& input, std::vector<Near>& near, std::vector<Near>& others) {
  if (std::none_of(near.begin(), near.end(), [](const Near& n) { return n.passive(); })) return;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (neighbours_[n].attached || kinds_[n]) continue;
    kinds_[n] = kind_of(neighbours_[n], input.files);
    find_motions(*kinds_[n], neighbours_[n], 0, theirs_);
    for (std::size_t b = 0; b < theirs_.size(); ++b)
      if (const GhostBody& body = kinds_[n]->bodies[b]; body.free)
        others.push_back({HUGE_VAL, n, b, theirs_[b].X_WB, &body});
  }
  const double margin = kick(seconds(input.tick()));
  for (std::size_t i = 0; i < near.size() && near.size() <= kMostGhosts; ++i)
    for (std::size_t j = 0; near[i].passive() && j < others.size();) {
      if (between(*others[j].shape, others[j].X_WB, *near[i].shape, near[i].X_WB, margin) > margin) {
        ++j;
        continue;
      }
      near.push_back(others[j]);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

bool Choice::make(const PhysicsInput& input, const State& state, std::span<const double> tail, const Pose& X_WF) {
  chosen_.clear();
  neighbours_.assign(input.neighbours.begin(), input.neighbours.end());
  soon_near_ = walls_near_ = false;
  if (!me_.walls && neighbours_.empty()) return false;
  if (!own_) own_ = me_.library->own_kind(me_.model, me_.alone, me_.load.get());
  Neighbour self;
  self.state = &state, self.model = &me_.model, self.tail = tail, self.origin = X_WF;
  find_outlines(*own_, self, my_outlines_);
  const double dt = seconds(input.tick()), margin = kMargin + kKick * dt;
  walls_near_ =
      me_.walls && (me_.alone->sees_far || std::any_of(my_outlines_.begin(), my_outlines_.end(),
                                                       [&](const auto& o) { return me_.walls->near(o, dt, margin); }));
  if (!neighbours_.empty()) choose_ghosts(input, self);
  return walls_near_ || !chosen_.empty();
}

void Choice::choose_ghosts(const PhysicsInput& input, const Neighbour& self) {
  std::vector<Near> near, others;
  find_near(input, self, near, others);
  add_leaning(input, near, others);
  if (near.size() > kMostGhosts) {
    std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
      return std::tie(a.distance, a.neighbour, a.body) < std::tie(b.distance, b.neighbour, b.body);
    });
    near.resize(kMostGhosts);
  }
  std::sort(near.begin(), near.end(),
            [](const Near& a, const Near& b) { return std::tie(a.neighbour, a.body) < std::tie(b.neighbour, b.body); });
  for (const Near& n : near)
    for (std::size_t b = 0; b < kinds_[n.neighbour]->bodies.size(); ++b)
      if (b == n.body || (n.body == kAllFixed && !kinds_[n.neighbour]->bodies[b].free))
        chosen_.push_back({n.neighbour, {kinds_[n.neighbour], b}});
}

}  // namespace convoy::mujoco
