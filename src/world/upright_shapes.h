// Boxes and cylinders that stand upright on a world's ground.
#pragma once

#include <vector>

#include "world/static_map.h"

namespace convoy {

struct UprightShapes {
  std::vector<BoxShape> boxes;
  std::vector<CylinderShape> cylinders;
};
template <class V, MaybeConst<UprightShapes> T>
void fields(V& v, T& s) {
  v("boxes", s.boxes), v("cylinders", s.cylinders);
}

}  // namespace convoy
