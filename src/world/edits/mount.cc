// Mount: where on its parent an attached entity is.
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const Mount& edit) const {
  if (auto ok = check_known(world, edit.child); !ok) return ok;
  if (entity(world, edit.child).parent == kNoEntity)
    return fail(ErrorCode::kState, "'" + entity(world, edit.child).name + "' is not attached");
  return check_pose(edit.X_PC);
}

WorldNumber Apply::operator()(const Mount& edit) const {
  world.entities_[world.slot_of(edit.child)].X_PC = edit.X_PC;
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Mount& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const Mount& edit) const { return {edit.child}; }
std::vector<WorldNumber> ResetsInside::operator()(const Mount&) const { return {}; }
bool RestartsRun::operator()(const Mount&) const { return false; }
bool ChangesImage::operator()(const Mount&) const { return true; }
const std::string* SpawnedName::operator()(const Mount&) const { return nullptr; }

}  // namespace convoy::edits
