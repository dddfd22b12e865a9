// The elements of outside programs that agents may see or be sent, and which of them one agent does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "world/element.h"
#include "world/world.h"

namespace convoy {

// One that an agent sees. The element stays where the view has it until that changes.
struct SeenElement {
  const InsideElement* element = nullptr;
  std::optional<Pose> pose;  // in the world; nothing: it has no place
  std::uint64_t hash = 0;    // of all that is seen of it
};

class ElementView {
 public:
  // An ElementNews; false: it is malformed, and nothing changes.
  bool take(ByteView news);
  void clear() { all_.clear(); }
  // There are some, or were at the boundary before.
  bool concerns_agents() { return std::exchange(shown_, !all_.empty()) || shown_; }
  // By (owner's name, id). Distances are horizontal.
  std::vector<SeenElement> seen_by(Slot agent, const World& world, double view_radius) const;

 private:
  struct Kept {
    InsideElement element;
    std::uint64_t hash = 0;
  };
  std::map<std::pair<std::string, ElementId>, Kept> all_;
  bool shown_ = false;
};

}  // namespace convoy
