#include "physics/mujoco/encounter.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "physics/mujoco/guard.h"
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

// Calls part(bit, at, own, all) for each part of the state: the robot's own numbers are the first `own` of `all`, and
// lie in its row from `at` on.
template <class F>
void each_part(const mjModel* alone, const mjModel* among, const F& part) {
  int at = 0;
  for (int bit = 1; bit <= mjSTATE_INTEGRATION; bit <<= 1) {
    if (!(mjSTATE_INTEGRATION & bit)) continue;
    const int own = mj_stateSize(alone, bit);
    part(bit, at, own, mj_stateSize(among, bit));
    at += own;
  }
}

std::vector<double> room_for_a_part(const mjModel* alone, const mjModel* among) {
  int most = 0;
  each_part(alone, among, [&](int, int, int, int all) { most = std::max(most, all); });
  return std::vector<double>(static_cast<std::size_t>(most));
}

}  // namespace

// What may be met, and how far beyond its margin it is at the tick's end at least, m. What no push moves of a neighbour
// comes whole: else each motion of an arm would ask for another model.
struct Encounter::Near {
  double distance;
  std::size_t neighbour, body;  // or kAllFixed
  Pose X_WB;                    // of a free body
  const GhostBody* shape;
  bool passive() const { return shape && shape->passive; }
};

Encounter::~Encounter() { forget(); }

void Encounter::end() { data_.end(); }

void Encounter::forget() {
  std::string ignored;
  if (mjData* d = data()) guarded(ignored, [&] { mj_resetData(in_->model, d); });  // its stack is not unwound
  end();
  if (copy_) guarded(ignored, [this] { mj_deleteModel(copy_); });
  copy_ = nullptr, in_ = nullptr;
  among_.clear();
}

void Encounter::carry(std::shared_ptr<const Compiled> alone, std::shared_ptr<const Load> load) {
  forget();
  alone_ = std::move(alone), load_ = std::move(load);
  own_ = nullptr;
}

const std::shared_ptr<const GhostKind>& Encounter::kind_of(const Neighbour& neighbour, const ModelFiles* files) {
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
                 library_->kind(*neighbour.model, *files, neighbour.held, neighbour.carried)});
  return all.back().kind;
}

// How far from the robot's bodies, beyond the margin, one of the neighbour's stays within the tick, m.
double Encounter::distance(const GhostBody& body, const GhostMotion& theirs, double dt) const {
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    const GhostBody& own = own_->bodies[i];
    const Twist &v = mine_[i].v_WB_W, &w = theirs.v_WB_W;
    const double way = dt * (norm(v.v - w.v) + own.radius * norm(v.w) + body.radius * norm(w.w));
    const double room = way + (own.free && body.free ? kick(dt) : kMargin);
    least = std::min(least, between(own, mine_[i].X_WB, body, theirs.X_WB, room) - room);
  }
  return least;
}

// By the outlines: what may come within the margin in this tick is near, and in the next one, speeding up, soon.
Encounter::Reach Encounter::reach(double dt) const {
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
void Encounter::find_near(const PhysicsInput& input, const Neighbour& self, std::vector<Near>& near,
                          std::vector<Near>& others) {
  const double dt = seconds(input.step);
  find_outlines(*own_, self, my_outlines_);
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
void Encounter::add_leaning(const PhysicsInput& input, std::vector<Near>& near, std::vector<Near>& others) {
  if (std::none_of(near.begin(), near.end(), [](const Near& n) { return n.passive(); })) return;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (neighbours_[n].attached || kinds_[n]) continue;
    kinds_[n] = kind_of(neighbours_[n], input.files);
    find_motions(*kinds_[n], neighbours_[n], 0, theirs_);
    for (std::size_t b = 0; b < theirs_.size(); ++b)
      if (const GhostBody& body = kinds_[n]->bodies[b]; body.free)
        others.push_back({HUGE_VAL, n, b, theirs_[b].X_WB, &body});
  }
  const double margin = kick(seconds(input.step));
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

bool Encounter::choose(const PhysicsInput& input, const State& state, std::span<const double> tail) {
  chosen_.clear();
  neighbours_.assign(input.neighbours.begin(), input.neighbours.end());
  if (!own_) own_ = std::make_shared<const GhostKind>(ghosts_of(model_, alone_));
  Neighbour self;
  self.state = &state, self.model = &model_, self.tail = tail;
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
  return !chosen_.empty();
}

bool Encounter::enter(const PhysicsInput& input, const std::vector<double>& row, std::string& trouble) {
  std::vector<Ghost> among;
  for (const Chosen& chosen : chosen_) among.push_back(chosen.ghost);
  if (!in_ || among != among_) {
    forget();
    auto made = library_->among(model_, {input.files, input.map, input.static_world}, *alone_, load_.get(), among);
    if (!made) return trouble = made.error().message(), false;
    in_ = std::move(*made);
    if (!guarded(trouble, [&] { make_copy(among); })) return false;
    among_ = std::move(among);
  }
  data_ = in_->pool.take(in_->model, trouble);
  if (!data()) return false;
  std::vector<double> part = room_for_a_part(alone_->model, in_->model);
  return guarded(trouble, [&] {
    each_part(alone_->model, in_->model, [&](int bit, int at, int own, int) {
      mj_getState(in_->model, data(), part.data(), bit);
      std::copy_n(row.data() + at, own, part.data());
      mj_setState(in_->model, data(), part.data(), bit);
    });
    put_ghosts();
  });
}

// The copy has the same bits, and no other robot.
void Encounter::make_copy(std::span<const Ghost> among) {
  if (std::any_of(among.begin(), among.end(), [](const Ghost& ghost) { return ghost.body().posed; }))
    copy_ = mj_copyModel(nullptr, in_->model);
  for (std::size_t i = 0; copy_ && i < among.size(); ++i)
    if (among[i].body().posed) widen(copy_, in_->ghosts[i].body, among[i].body().radius);
}

void Encounter::put(const GhostPlace& place, const GhostMotion& motion) {
  const Quat q = unit(motion.X_WB.q);
  mujoco::put(data()->qpos + place.place.qpos, Pose{motion.X_WB.p, q});
  mujoco::put(data()->qvel + place.place.qvel, motion.v_WB_W.v);
  mujoco::put(data()->qvel + place.place.qvel + 3, rotate(q.conjugate(), motion.v_WB_W.w));
}

void Encounter::put_ghosts() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Neighbour& neighbour = neighbours_[chosen_[i].neighbour];
    const Ghost& ghost = chosen_[i].ghost;
    const GhostPlace& place = in_->ghosts[i];
    if (i == 0 || chosen_[i - 1].neighbour != chosen_[i].neighbour) find_motions(*ghost.kind, neighbour, 0, theirs_);
    put(place, theirs_[ghost.index]);
    if (ghost.body().posed)
      put_shape(copy_, in_->model, place.body, ghost.body(), pose_of(*ghost.kind, ghost.index, neighbour));
    std::fill_n(data()->qacc_warmstart + place.place.qvel, 6, 0.0);
    double* pushed = data()->xfrc_applied + 6 * place.body;
    std::fill_n(pushed, 6, 0.0);
    const std::size_t wrench = joints_size(*neighbour.model);
    if (ghost.body().free && !ghost.body().passive && neighbour.tail.size() == wrench + kWrenchSize)
      std::copy_n(neighbour.tail.data() + wrench, kWrenchSize, pushed);
  }
}

void Encounter::move(double after) {
  const double dt = in_->model->opt.timestep;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Ghost& ghost = chosen_[i].ghost;
    if (ghost.body().free) continue;
    const Neighbour& neighbour = neighbours_[chosen_[i].neighbour];
    if (i == 0 || chosen_[i - 1].neighbour != chosen_[i].neighbour || chosen_[i - 1].ghost.body().free) {
      find_motions(*ghost.kind, neighbour, after, theirs_);
      find_motions(*ghost.kind, neighbour, after + dt, later_);
    }
    const Pose &now = theirs_[ghost.index].X_WB, &then = later_[ghost.index].X_WB;
    const Quat turned = then.q * now.q.conjugate();
    const double rate = (turned.w < 0 ? -2 : 2) / dt;  // of a small turn
    put(in_->ghosts[i], {now, {(1 / dt) * (then.p - now.p), rate * Vec3{turned.x, turned.y, turned.z}}});
  }
}

bool Encounter::leave(std::vector<double>& row) const {
  std::vector<double> part = room_for_a_part(alone_->model, in_->model);
  std::string ignored;
  return guarded(ignored, [&] {
    each_part(alone_->model, in_->model, [&](int bit, int at, int own, int) {
      mj_getState(in_->model, data(), part.data(), bit);
      std::copy_n(part.data(), own, row.data() + at);
    });
  });
}

bool Encounter::count_contacts(std::vector<WorldNumber>& touched) const {
  const mjModel* m = in_->model;
  const int first = alone_->model->nbody;
  bool one_sided = false;
  for (int i = 0; i < data()->ncon; ++i) {
    const int a = m->geom_bodyid[data()->contact[i].geom[0]], b = m->geom_bodyid[data()->contact[i].geom[1]];
    const int ghost = std::max(a, b), own = std::min(a, b);
    if (ghost < first || own >= first || m->body_weldid[own] == 0 || data()->contact[i].dist > 0) continue;
    const Chosen& chosen = chosen_[static_cast<std::size_t>(ghost - first)];
    touched.push_back(neighbours_[chosen.neighbour].number);
    one_sided = one_sided || !chosen.ghost.body().free;
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return one_sided;
}

}  // namespace convoy::mujoco
