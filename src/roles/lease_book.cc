#include "roles/lease_book.h"

namespace convoy {

bool LeaseBook::taken(Owner by, WorldNumber robot, const std::string& holder) const {
  const auto of = taken_.find(by);
  if (of == taken_.end()) return false;
  const auto at = of->second.find(robot);
  return at != of->second.end() && at->second == holder;
}

std::vector<Lease> LeaseBook::left(Owner by, const World& world) {
  std::vector<Lease> out;
  const auto taken = taken_.find(by);
  if (taken == taken_.end()) return out;
  for (const auto& [robot, holder] : taken->second)
    if (holder_of(world, robot) == holder) out.push_back({{robot}, holder, Lease::Kind::kGiveBack});
  taken_.erase(taken);
  return out;
}

}  // namespace convoy
