#include "physics/mujoco/sdf_inertia.h"

#include <mujoco/mujoco.h>

namespace convoy::mujoco {

namespace {

constexpr double kLeast = 1e-14;     // kg m²; what MuJoCo takes for nothing is a tenth of it
constexpr double kRounding = 1e-6;   // of a moment
constexpr double kThickness = 1e-3;  // m
constexpr double kThin = 1e-3;       // of a moment: what a thin plate may lack by rounding

struct Matrix {
  mjtNum m[9];
};

Matrix matrix(const Inertia& i) { return {{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}}; }

}  // namespace

Inertia turned(const Inertia& inertia, const Quat& q) {
  const Matrix own = matrix(inertia);
  const mjtNum quat[4] = {q.w, q.x, q.y, q.z};
  mjtNum R[9], RI[9], out[9];
  mju_quat2Mat(R, quat);
  mju_mulMatMat(RI, R, own.m, 3, 3, 3);
  mju_mulMatMatT(out, RI, R, 3, 3, 3);
  return {out[0], out[4], out[8], out[1], out[2], out[5]};
}

InertiaState repair(Inertia& inertia, double mass) {
  mjtNum moments[3], axes[9], quat[4];
  mju_eig3(moments, axes, quat, matrix(inertia).m);
  mju_insertionSort(moments, 3);
  if (moments[0] < -kRounding * moments[2] || moments[2] < 0) return InertiaState::kNone;
  InertiaState out = InertiaState::kSound;
  const auto add = [&](double more) {
    for (std::size_t i = 0; i < 3; ++i) inertia[i] += more, moments[i] += more;
  };
  if (moments[0] < kLeast) add(mass * kThickness * kThickness - moments[0]), out = InertiaState::kThickened;
  if (moments[0] + moments[1] >= moments[2] * (1 + kRounding)) return out;
  const double lacks = moments[2] * (1 + 2 * kRounding) - moments[0] - moments[1];
  if (lacks < moments[2] * kThin) return add(lacks), out;
  const double mean = (moments[0] + moments[1] + moments[2]) / 3;
  inertia = {mean, mean, mean, 0, 0, 0};
  return InertiaState::kEvened;
}

}  // namespace convoy::mujoco
