// Where a sensor truly is: in the world, or from the origin of one of several maps.
#pragma once

#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"

namespace convoy {

// Where a map's frame O stands.
struct PoseOrigin {
  std::string frame;  // its name
  Pose X_WO;
  friend bool operator==(const PoseOrigin&, const PoseOrigin&) = default;
};
template <class V, MaybeConst<PoseOrigin> T>
void fields(V& v, T& o) {
  v("frame", o.frame), v("X_WO", o.X_WO);
}

// Of several origins the one that is nearest in height counts, as of the floors of a house; of equal ones the first.
struct PoseModel {
  std::vector<PoseOrigin> origins;  // none: the world's, whose frame is "world"
  friend bool operator==(const PoseModel&, const PoseModel&) = default;
};
template <class V, MaybeConst<PoseModel> T>
void fields(V& v, T& m) {
  v("origins", m.origins);
}

struct PoseReading {
  std::string frame;  // O
  Pose X_OS;
  Twist v_WS_S;  // in S
};
template <class V, MaybeConst<PoseReading> T>
void fields(V& v, T& p) {
  v("frame", p.frame), v("X_OS", p.X_OS), v("v_WS_S", p.v_WS_S);
}

// Empty, or what is wrong with it.
std::string problem_of(const PoseModel& model);

PoseReading pose_of(const PoseModel& model, const Pose& X_WS, const Twist& v_WS_W);

}  // namespace convoy
