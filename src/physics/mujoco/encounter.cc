#include "physics/mujoco/encounter.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/guard.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

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

// For the largest of them.
void make_room(const mjModel* alone, const mjModel* among, std::vector<double>& out) {
  each_part(alone, among, [&](int, int, int, int all) {
    if (out.size() < static_cast<std::size_t>(all)) out.resize(static_cast<std::size_t>(all));
  });
}

}  // namespace

Encounter::~Encounter() { forget(); }

void Encounter::end() { data_.end(); }

void Encounter::forget() {
  std::string ignored;
  if (mjData* d = data()) guarded(ignored, [&] { mj_resetData(in_->model, d); });  // its stack is not unwound
  end();
  if (copy_) guarded(ignored, [this] { mj_deleteModel(copy_); });
  copy_ = nullptr, in_ = nullptr, placed_ = nullptr;
  among_.clear();
}

void Encounter::carry(std::shared_ptr<const Compiled> alone, std::shared_ptr<const Load> load) {
  forget();
  me_.alone = std::move(alone), me_.load = std::move(load);
  choice_.forget_own();
  walled_ = nullptr;
}

void Encounter::choose(const PhysicsInput& input, const State& state, std::span<const double> tail, const Pose& X_WF,
                       const Felt& felt) {
  if (!(X_WF == at_.X_WF) || !(felt == at_.felt) || (input.neighbours.empty() && !among_.empty())) forget();
  at_ = {X_WF, felt};
  any_ = choice_.make(input, state, tail, X_WF);
}

// The model with what was chosen.
bool Encounter::find_model(std::string& trouble) {
  const auto ghosts = choice_.ghosts();
  const bool walls = choice_.walls_near();
  const auto same = [](const Choice::Chosen& a, const Ghost& b) { return a.ghost == b; };
  if (in_ && walls == among_walls_ && std::equal(ghosts.begin(), ghosts.end(), among_.begin(), among_.end(), same))
    return true;
  std::vector<Ghost> among;
  for (const Choice::Chosen& chosen : ghosts) among.push_back(chosen.ghost);
  forget();
  if (among.empty() && walled_) {
    in_ = walled_;
  } else {
    auto made =
        me_.library->among(me_.model, me_.files, *me_.alone, me_.load.get(), walls ? me_.walls.get() : nullptr, among);
    if (!made) return trouble = made.error().message(), false;
    in_ = std::move(*made);
    if (among.empty()) walled_ = in_;
  }
  if (!guarded(trouble, [&] { make_copy(among); })) return false;
  if (!copy_) placed_ = placed(in_->model, at_.X_WF, at_.felt);
  among_ = std::move(among), among_walls_ = walls;
  return true;
}

bool Encounter::enter(const std::vector<double>& row, std::string& trouble) {
  if (!find_model(trouble)) return false;
  data_ = in_->pool.take(in_->model, trouble);
  if (!data()) return false;
  make_room(me_.alone->model, in_->model, part_);
  return guarded(trouble, [&] {
    put_own(row);
    put_walls();
    put_ghosts();
  });
}

void Encounter::put_own(const std::vector<double>& row) {
  each_part(me_.alone->model, in_->model, [&](int bit, int at, int own, int all) {
    if (own < all) mj_getState(in_->model, data(), part_.data(), bit);
    std::copy_n(row.data() + at, own, part_.data());
    mj_setState(in_->model, data(), part_.data(), bit);
  });
}

bool Encounter::hold(std::string& trouble) {
  return guarded(trouble, [&] {
    held_.resize(static_cast<std::size_t>(mj_stateSize(in_->model, mjSTATE_INTEGRATION)));
    mj_getState(in_->model, data(), held_.data(), mjSTATE_INTEGRATION);
  });
}

bool Encounter::resume(const std::vector<double>& row, std::string& trouble) {
  data_ = in_->pool.take(in_->model, trouble);
  if (!data()) return false;
  return guarded(trouble, [&] {
    mj_setState(in_->model, data(), held_.data(), mjSTATE_INTEGRATION);
    put_own(row);
  });
}

void Encounter::put_walls() {
  if (outside() < 0) return;
  const int mocap = in_->model->body_mocapid[outside()];
  const Pose X_FW = at_.X_WF.inverse();
  mujoco::put(data()->mocap_pos + 3 * mocap, X_FW.p), mujoco::put(data()->mocap_quat + 4 * mocap, X_FW.q);
}

// The copy has the same bits, and no other robot.
void Encounter::make_copy(std::span<const Ghost> among) {
  if (std::any_of(among.begin(), among.end(), [](const Ghost& ghost) { return ghost.body().posed; }))
    copy_ = mj_copyModel(nullptr, in_->model);
  if (copy_ && is_placed(at_.X_WF, at_.felt)) place(*copy_, at_.X_WF, at_.felt);
  for (std::size_t i = 0; copy_ && i < among.size(); ++i)
    if (among[i].body().posed) widen(copy_, in_->ghosts[i].body, among[i].body().radius);
}

void Encounter::put(const GhostPlace& place, const GhostMotion& motion) {
  const Quat q_WB = unit(motion.X_WB.q);
  const Pose X_FB = at_.X_WF.inverse() * Pose{motion.X_WB.p, q_WB};
  mujoco::put(data()->qpos + place.place.qpos, X_FB);
  mujoco::put(data()->qvel + place.place.qvel, rotate(at_.X_WF.q.conjugate(), motion.v_WB_W.v));
  mujoco::put(data()->qvel + place.place.qvel + 3, rotate(q_WB.conjugate(), motion.v_WB_W.w));
}

void Encounter::put_ghosts() {
  const auto chosen = choice_.ghosts();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Neighbour& neighbour = choice_.neighbour(chosen[i]);
    const Ghost& ghost = chosen[i].ghost;
    const GhostPlace& place = in_->ghosts[i];
    if (i == 0 || chosen[i - 1].neighbour != chosen[i].neighbour) find_motions(*ghost.kind, neighbour, 0, theirs_);
    put(place, theirs_[ghost.index]);
    if (ghost.body().posed)
      put_shape(copy_, in_->model, place.body, ghost.body(), pose_of(*ghost.kind, ghost.index, neighbour));
    std::fill_n(data()->qacc_warmstart + place.place.qvel, 6, 0.0);
    double* pushed = data()->xfrc_applied + 6 * place.body;
    std::fill_n(pushed, 6, 0.0);
    const std::size_t wrench = joints_size(*neighbour.model);
    if (ghost.body().free && !ghost.body().passive && neighbour.tail.size() == wrench + kWrenchSize)
      for (const std::size_t i : {0u, 3u})
        mujoco::put(pushed + i, rotate(at_.X_WF.q.conjugate(), vec(neighbour.tail.data() + wrench + i)));
  }
}

void Encounter::move(double after) {
  const double dt = in_->model->opt.timestep;
  const auto chosen = choice_.ghosts();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Ghost& ghost = chosen[i].ghost;
    if (ghost.body().free) continue;
    const Neighbour& neighbour = choice_.neighbour(chosen[i]);
    if (i == 0 || chosen[i - 1].neighbour != chosen[i].neighbour || chosen[i - 1].ghost.body().free) {
      find_motions(*ghost.kind, neighbour, after, theirs_);
      find_motions(*ghost.kind, neighbour, after + dt, later_);
    }
    const Pose &now = theirs_[ghost.index].X_WB, &then = later_[ghost.index].X_WB;
    const Quat turned = then.q * now.q.conjugate();
    const double rate = (turned.w < 0 ? -2 : 2) / dt;  // of a small turn
    put(in_->ghosts[i], {now, {(1 / dt) * (then.p - now.p), rate * Vec3{turned.x, turned.y, turned.z}}});
  }
}

bool Encounter::leave(std::vector<double>& row) {
  std::string ignored;
  return guarded(ignored, [&] {
    each_part(me_.alone->model, in_->model, [&](int bit, int at, int own, int) {
      mj_getState(in_->model, data(), part_.data(), bit);
      std::copy_n(part_.data(), own, row.data() + at);
    });
  });
}

WorldNumber Encounter::who(int body) const {
  const int first = me_.alone->model->nbody;
  if (body < first || body == outside()) return kNoEntity;
  return choice_.neighbour(choice_.ghosts()[static_cast<std::size_t>(body - first)]).number;
}

bool Encounter::count_contacts(std::vector<WorldNumber>& touched) const {
  const mjModel* m = in_->model;
  const int first = me_.alone->model->nbody;
  bool one_sided = false;
  for (int i = 0; i < data()->ncon; ++i) {
    const int a = m->geom_bodyid[data()->contact[i].geom[0]], b = m->geom_bodyid[data()->contact[i].geom[1]];
    const int ghost = std::max(a, b), own = std::min(a, b);
    if (ghost < first || ghost == outside() || own >= first || m->body_weldid[own] == 0 || data()->contact[i].dist > 0)
      continue;
    const Choice::Chosen& chosen = choice_.ghosts()[static_cast<std::size_t>(ghost - first)];
    touched.push_back(choice_.neighbour(chosen).number);
    one_sided = one_sided || !chosen.ghost.body().free;
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return one_sided;
}

}  // namespace convoy::mujoco
