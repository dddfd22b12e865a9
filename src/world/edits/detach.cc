// Detach: an attached entity is on its own again, where it is.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Detach& edit) const {
  if (auto ok = check_known(world, edit.child); !ok) return ok;
  if (entity(world, edit.child).parent == kNoEntity)
    return fail(ErrorCode::kState, "'" + entity(world, edit.child).name + "' is not attached");
  return {};
}

WorldNumber Apply::operator()(const Detach& edit) const {
  world.detach(world.slot_of(edit.child));
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Detach& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const Detach& edit) const { return {edit.child}; }
std::vector<WorldNumber> ResetsInside::operator()(const Detach&) const { return {}; }
bool RestartsRun::operator()(const Detach&) const { return false; }
bool ChangesImage::operator()(const Detach&) const { return true; }
const std::string* SpawnedName::operator()(const Detach&) const { return nullptr; }

}  // namespace convoy::edits
