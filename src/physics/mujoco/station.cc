#include "physics/mujoco/station.h"

#include <algorithm>

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

void put_free(const FreeBody& free, const Pose& X_FB, const Twist& v_FB_F, mjData* d) {
  put(d->qpos + free.place.qpos, Pose{X_FB.p, unit(X_FB.q)});
  double* qvel = d->qvel + free.place.qvel;
  put(qvel, v_FB_F.v), put(qvel + 3, rotate(X_FB.q.conjugate(), v_FB_F.w));
}

}  // namespace

void Station::take(const Compiled& compiled) {
  c_ = &compiled;
  placed_ = placed(c_->model, X_WF_, felt_);
}

void Station::stand(const Pose& X_WF) {
  const Quat q = unit(X_WF.q);  // no -0: its bytes would be another's
  X_WF_ = {X_WF.p + Vec3{}, {q.w + 0.0, q.x + 0.0, q.y + 0.0, q.z + 0.0}};
  placed_ = placed(c_->model, X_WF_, felt_);
}

void Station::feel(const Felt& felt) {
  if (felt == felt_) return;
  felt_ = felt;
  placed_ = placed(c_->model, X_WF_, felt_);
}

void Station::begin(const State& state, mjData* d) {
  stand(c_->fixed_base ? state.pose : level(state.pose));
  if (c_->fixed_base) return;
  if (!is_level(state.pose)) {  // else the file's own numbers stay as they are
    const Pose X_FR = X_WF_.inverse() * state.pose;
    for (const FreeBody& free : c_->free) {
      const Pose X_FB = X_FR * pose_at(d->qpos + free.place.qpos);  // X_FR is where the level frame has its origin
      const Vec3 v = vec(d->qvel + free.place.qvel), w = vec(d->qvel + free.place.qvel + 3);
      put_free(free, X_FB, {rotate(X_FR.q, v), rotate(X_FB.q, w)}, d);
    }
  }
  if (!(state.twist == Twist{})) put_base(state, d);
}

void Station::move(const State& state, mjData* d) {
  if (!c_->fixed_base) return put_base(state, d);
  const Pose before = X_WF_;
  stand(state.pose);
  if (!(X_WF_ == before)) turn(X_WF_.inverse() * before, d->qpos, d->qvel);
}

void Station::put_base(const State& state, mjData* d) const {
  const Pose X_FR = X_WF_.inverse() * state.pose, X_FB = X_FR * c_->X_BR.inverse();
  const Twist v = rotated(X_WF_.q.conjugate(), state.twist);
  put_free(c_->free[0], X_FB, {v.v + cross(v.w, X_FB.p - X_FR.p), v.w}, d);
}

void Station::turn(const Pose& X, double* qpos, double* qvel) const {
  if (X == Pose{}) return;
  for (const FreeBody& free : c_->free) {
    if (qpos) put(qpos + free.place.qpos, X * pose_at(qpos + free.place.qpos));
    if (qvel) put(qvel + free.place.qvel, rotate(X.q, vec(qvel + free.place.qvel)));  // the rest is about its own axes
  }
}

void Station::rest(std::span<const double> tail, mjData* d) const {
  if (tail.size() < c_->joints.size()) return;
  for (std::size_t i = 0; i < c_->first_mocap; ++i) d->qpos[c_->joints[i].qpos] = tail[i];
  std::fill_n(d->qvel, c_->model->nv, 0.0);
  const Pose X_FW = X_WF_.inverse();
  for (int i = 0; i < c_->model->nmocap; ++i) {
    const Pose X_FM = X_FW * pose_at(&tail[c_->first_mocap + 7 * static_cast<std::size_t>(i)]);
    put(d->mocap_pos + 3 * i, X_FM.p), put(d->mocap_quat + 4 * i, unit(X_FM.q));
  }
  for (std::size_t i = 0; i < loose(); ++i)
    put_free(c_->free[c_->free.size() - loose() + i], X_FW * pose_at(&tail[c_->first_loose + 7 * i]), {}, d);
}

Pose Station::X_WR(const mjData* d) const {
  return c_->fixed_base ? X_WF_ : X_WF_ * pose_at(d->qpos + c_->free[0].place.qpos) * c_->X_BR;
}

Twist Station::twist(const mjData* d) const {
  if (c_->fixed_base) return {};
  const Pose X_FB = pose_at(d->qpos + c_->free[0].place.qpos);
  const double* qvel = d->qvel + c_->free[0].place.qvel;
  const Vec3 w = rotate(X_FB.q, vec(qvel + 3));
  return rotated(X_WF_.q, Twist{vec(qvel) + cross(w, rotate(X_FB.q, c_->X_BR.p)), w});
}

void Station::read(const mjData* d, const std::array<double, kWrenchSize>& wrench, State& state,
                   std::span<double> tail) const {
  state.pose = X_WR(d);
  state.pose.q = unit(state.pose.q);
  state.twist = twist(d);
  const std::size_t n = c_->joints.size();
  if (tail.size() != 2 * n + kWrenchSize) return;
  for (std::size_t i = 0; i < c_->singles; ++i)
    tail[i] = d->qpos[c_->joints[i].qpos], tail[n + i] = d->qvel[c_->joints[i].qvel];
  for (std::size_t i = c_->singles; i < c_->first_mocap; ++i)
    tail[i] = d->qpos[c_->joints[i].qpos], tail[n + i] = c_->joints[i].qvel < 0 ? 0 : d->qvel[c_->joints[i].qvel];
  for (int i = 0; i < c_->model->nmocap; ++i) {
    const std::size_t at = c_->first_mocap + 7 * static_cast<std::size_t>(i);
    put(&tail[at], X_WF_ * Pose{vec(d->mocap_pos + 3 * i), quat(d->mocap_quat + 4 * i)});
    std::fill_n(&tail[n + at], 7, 0.0);
  }
  for (std::size_t i = 0; i < loose(); ++i)
    read_loose(c_->free[c_->free.size() - loose() + i], d, tail.subspan(c_->first_loose + 7 * i, n + 7));
  for (const std::size_t i : {0u, 3u}) put(&tail[2 * n + i], rotate(X_WF_.q, vec(wrench.data() + i)));
}

// Into its seven numbers, and into those as far behind them as there are joints.
void Station::read_loose(const FreeBody& free, const mjData* d, std::span<double> tail) const {
  const std::size_t n = c_->joints.size();
  put(tail.data(), X_WF_ * pose_at(d->qpos + free.place.qpos));
  const double* qvel = d->qvel + free.place.qvel;
  put(&tail[n], rotate(X_WF_.q, vec(qvel)));
  tail[n + 3] = 0;
  std::copy_n(qvel + 3, 3, &tail[n + 4]);
}

}  // namespace convoy::mujoco
