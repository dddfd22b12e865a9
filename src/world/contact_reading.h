// A touch of one of a robot's bodies with something, as its physics has it at a boundary.
#pragma once

#include <string>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "core/fields.h"

namespace convoy {

struct ContactReading {
  std::string body;               // of the robot; empty: it is one body
  WorldNumber other = kNoEntity;  // the other agent; kNoEntity: the static world, or the robot itself
  std::string other_body;         // if that is the robot itself: of what its file fixes or moves; empty: none
  Vec3 position, normal;          // in W, m; the normal points to the robot's body
  Vec3 force;                     // on the robot's body, in W, N; 0 of a kinematic robot, which knows none
  double depth = 0;               // m; below 0: a gap, at which the physics sees a contact already
};
template <class V, MaybeConst<ContactReading> T>
void fields(V& v, T& c) {
  v("body", c.body), v("other", c.other), v("other_body", c.other_body), v("position", c.position);
  v("normal", c.normal), v("force", c.force), v("depth", c.depth);
}
inline constexpr std::size_t kMaxContacts = 1000;  // of one reading

}  // namespace convoy
