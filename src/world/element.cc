#include "world/element.h"

#include <algorithm>

namespace convoy {

bool is_addressed_to(const ElementReach& reach, const std::string& name) {
  return std::any_of(reach.to.begin(), reach.to.end(),
                     [&](const std::string& one) { return one == name || one == kEverybody; });
}

}  // namespace convoy
