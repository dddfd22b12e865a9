#include "physics/mujoco/outside_parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "physics/mujoco/compiled.h"
#include "physics/mujoco/numbers.h"
#include "world/engine_options.h"
#include "world/state.h"

namespace convoy::mujoco {

namespace {

// Puts it behind what is less, in place of what is equal.
template <class T, class Less>
void put_sorted(std::vector<T>& all, const T& one, const Less& less) {
  const auto at = std::lower_bound(all.begin(), all.end(), one, less);
  if (at != all.end() && !less(one, *at)) *at = one;
  else all.insert(at, one);
}

template <class T, class Less>
bool is_sorted_once(const std::vector<T>& all, const Less& less) {
  for (std::size_t i = 1; i < all.size(); ++i)
    if (!less(all[i - 1], all[i])) return false;
  return true;
}

constexpr auto kByBody = [](const Push& a, const Push& b) { return a.body < b.body; };
constexpr auto kByOption = [](const OptionValue& a, const OptionValue& b) { return a.option < b.option; };

}  // namespace

std::string body_name(const mjModel* m, int body) {
  const char* name = mj_id2name(m, mjOBJ_BODY, body);
  return name && *name ? name : "body_" + std::to_string(body);
}

int body_of(const mjModel* m, const std::string& name) {
  if (const int named = mj_name2id(m, mjOBJ_BODY, name.c_str()); named > 0) return named;
  for (int body = 1; body < m->nbody; ++body)
    if (body_name(m, body) == name) return body;
  return -1;
}

void set_push(Pushes& pushes, const Push& push) { put_sorted(pushes, push, kByBody); }

void press(Pushes& pushes, const Quat& q_WF, Instant now, mjData* d) {
  const Quat q_FW = q_WF.conjugate();
  for (const Push& push : pushes) {
    const bool ended = now >= push.until;
    put(d->xfrc_applied + 6 * push.body, ended ? Vec3{} : rotate(q_FW, push.force));
    put(d->xfrc_applied + 6 * push.body + 3, ended ? Vec3{} : rotate(q_FW, push.torque));
  }
  std::erase_if(pushes, [now](const Push& push) { return now >= push.until; });
}

bool put_part(const Compiled& compiled, const Pose& X_WF, const SetPart& part, mjData* d) {
  const bool joint = part.kind == SetPart::Kind::kJoint;
  const std::vector<std::string>& names = joint ? compiled.joint_names : compiled.panel.mocaps;
  const auto found = std::find(names.begin(), names.end(), part.name);
  const double* v = part.values.data();
  if (found == names.end() || part.values.size() < (joint ? 1u : 3u)) return false;
  const auto at = found - names.begin();
  if (joint) {
    const JointPlace& place = compiled.joints[static_cast<std::size_t>(at)];
    d->qpos[place.qpos] = v[0];
    d->qvel[place.qvel] = part.values.size() > 1 ? v[1] : 0;
  } else {
    const Pose X_FW = X_WF.inverse();
    put(d->mocap_pos + 3 * at, X_FW.p + rotate(X_FW.q, vec(v)));
    if (part.values.size() == 7) put(d->mocap_quat + 4 * at, unit(X_FW.q * unit(quat(v + 3))));
  }
  std::fill_n(d->qacc_warmstart, compiled.model->nv, 0.0);
  return true;
}

void set_option(OptionValues& options, const SetPart& part) {
  const RunningOption* found = running_option(part.name);
  if (!found || part.values.size() != 1) return;
  put_sorted(options, {static_cast<std::uint8_t>(found - kRunningOptions), part.values[0]}, kByOption);
}

void apply(const OptionValues& options, mjOption& out) {
  struct Place {
    int* whole;
    double* number;
  };
  const Place places[] = {{&out.solver, nullptr},           {&out.iterations, nullptr},
                          {&out.ls_iterations, nullptr},    {&out.noslip_iterations, nullptr},
                          {nullptr, &out.tolerance},        {nullptr, &out.ls_tolerance},
                          {nullptr, &out.noslip_tolerance}, {nullptr, &out.impratio},
                          {nullptr, &out.density},          {nullptr, &out.viscosity}};
  static_assert(std::size(places) == std::size(kRunningOptions));
  static_assert(mjSOL_PGS == 0 && mjSOL_CG == 1 && mjSOL_NEWTON == 2);
  for (const OptionValue& one : options) {
    const Place& place = places[one.option];
    if (place.whole) *place.whole = static_cast<int>(one.value);
    else *place.number = one.value;
  }
}

bool is_sound(const Pushes& pushes, const mjModel* m) {
  return is_sorted_once(pushes, kByBody) && std::all_of(pushes.begin(), pushes.end(), [m](const Push& p) {
           return p.body > 0 && p.body < m->nbody && is_finite(p.force) && is_finite(p.torque);
         });
}

bool is_sound(const OptionValues& options) {
  return is_sorted_once(options, kByOption) && std::all_of(options.begin(), options.end(), [](const OptionValue& o) {
           if (o.option >= std::size(kRunningOptions)) return false;
           const RunningOption& known = kRunningOptions[o.option];
           return o.value >= known.low && o.value <= known.high;
         });
}

}  // namespace convoy::mujoco
