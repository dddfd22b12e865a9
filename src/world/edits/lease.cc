// Lease: one holder alone commands some robots, or no longer does.
#include <algorithm>

#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

using Kind = Lease::Kind;

Status Check::operator()(const Lease& edit) const {
  if (edit.kind > Kind::kBreak) return fail(ErrorCode::kInvalid, "unknown kind of lease");
  if (edit.entities.empty()) return fail(ErrorCode::kInvalid, "a lease is of one robot or more");
  if (!valid_holder(edit.holder)) return fail(ErrorCode::kInvalid, kHolderRule);
  for (WorldNumber number : edit.entities) {
    if (auto ok = check_known(world, number); !ok) return ok;
    const std::string& holder = holder_of(world, number);
    const std::string& robot = entity(world, number).name;
    if (edit.kind == Kind::kTake && !holder.empty() && holder != edit.holder)
      return fail(ErrorCode::kLeased, "'" + holder + "' has leased '" + robot + "'");
    if (edit.kind == Kind::kGiveBack && holder != edit.holder)
      return fail(ErrorCode::kState, "'" + edit.holder + "' has no lease of '" + robot + "'");
  }
  return {};
}

WorldNumber Apply::operator()(const Lease& edit) const {
  for (WorldNumber number : edit.entities) {
    if (edit.kind == Kind::kTake) world.holders_[number] = edit.holder;
    else world.holders_.erase(number);
  }
  return kNoEntity;
}

// Robot by robot, and in any order: programs at several clients ask for theirs at one boundary. Of two that want the same
// robot one is refused.
std::uint64_t StructureHash::operator()(const Lease& edit) const {
  std::uint64_t sum = before;
  for (WorldNumber number : edit.entities) sum = in_any_order(sum, Lease{{number}, edit.holder, edit.kind});
  return sum;
}

std::vector<WorldNumber> EntitiesOf::operator()(const Lease&) const { return {}; }
std::vector<WorldNumber> ResetsInside::operator()(const Lease&) const { return {}; }
bool RestartsRun::operator()(const Lease&) const { return false; }
bool ChangesImage::operator()(const Lease&) const { return true; }
const std::string* SpawnedName::operator()(const Lease&) const { return nullptr; }

}  // namespace convoy::edits
