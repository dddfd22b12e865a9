// Freeze: an entity's agent is gone, and it stays where it is.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Freeze& edit) const { return check_known(world, edit.entity); }

WorldNumber Apply::operator()(const Freeze& edit) const {
  const Slot slot = world.slot_of(edit.entity);
  Entity& frozen = world.entities_[slot];
  frozen.frozen = true;
  world.directory_.forget(edit.entity);
  frozen.owner = kNobody;
  if (frozen.parent == kNoEntity) world.snapshot_.state(slot).twist = Twist{};  // else its parent carries it on
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Freeze& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const Freeze& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const Freeze& edit) const { return {edit.entity}; }
bool RestartsRun::operator()(const Freeze&) const { return false; }
bool ChangesImage::operator()(const Freeze&) const { return true; }
const std::string* SpawnedName::operator()(const Freeze&) const { return nullptr; }

}  // namespace convoy::edits
