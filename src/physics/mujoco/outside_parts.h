// What is set of a robot from outside. Forces on its bodies and options of its engine stay: they are part of its state.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "world/edit.h"

namespace convoy::mujoco {

struct Compiled;

// On one body, about its centre of mass, in W.
struct Push {
  std::int32_t body = 0;
  Vec3 force, torque;  // N, N m
  Instant until{};
  friend bool operator==(const Push&, const Push&) = default;
};
template <class V, MaybeConst<Push> T>
void fields(V& v, T& p) {
  v("body", p.body), v("force", p.force), v("torque", p.torque), v("until", p.until);
}

struct OptionValue {
  std::uint8_t option = 0;  // its place in kRunningOptions
  double value = 0;
  friend bool operator==(const OptionValue&, const OptionValue&) = default;
};
template <class V, MaybeConst<OptionValue> T>
void fields(V& v, T& o) {
  v("option", o.option), v("value", o.value);
}

using Pushes = std::vector<Push>;               // by body
using OptionValues = std::vector<OptionValue>;  // by option

// The body of that name, as Model::bodies has it; -1: there is none.
int body_of(const mjModel* m, const std::string& name);
std::string body_name(const mjModel* m, int body);

// Takes the place of one on the same body.
void set_push(Pushes& pushes, const Push& push);
// For a physics step that begins at `now`, of a file whose frame is turned so. What has ended is gone afterwards.
void press(Pushes& pushes, const Quat& q_WF, Instant now, mjData* d);

// A joint or a mocap body of a model whose file's frame stands there; what MuJoCo remembers of another place is
// forgotten. False: it has none of that name.
bool put_part(const Compiled& compiled, const Pose& X_WF, const SetPart& part, mjData* d);

// What an edit that has passed the world's check says.
void set_option(OptionValues& options, const SetPart& part);
void apply(const OptionValues& options, mjOption& out);

// Could they have been made by the above, for that model?
bool is_sound(const Pushes& pushes, const mjModel* m);
bool is_sound(const OptionValues& options);

}  // namespace convoy::mujoco
