// Delete: an entity goes; what is attached to it stays where it is.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Delete& edit) const { return check_known(world, edit.entity); }

WorldNumber Apply::operator()(const Delete& edit) const {
  for (WorldNumber child : world.children_of(edit.entity)) world.detach(world.slot_of(child));
  const Slot slot = world.slot_of(edit.entity);
  world.by_name_.erase(world.entities_[slot].name, world.names());
  world.directory_.forget(edit.entity);
  world.holders_.erase(edit.entity);
  world.entities_.erase(slot);
  world.radii_.erase(slot);
  world.snapshot_.erase(slot);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Delete& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const Delete& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const Delete&) const { return {}; }
bool RestartsRun::operator()(const Delete&) const { return false; }
bool ChangesImage::operator()(const Delete&) const { return true; }
const std::string* SpawnedName::operator()(const Delete&) const { return nullptr; }

}  // namespace convoy::edits
