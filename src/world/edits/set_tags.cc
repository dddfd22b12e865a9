// SetTags: an entity has other tags than it had.
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const SetTags& edit) const {
  if (auto ok = check_known(world, edit.entity); !ok) return ok;
  return check_tags(entity(world, edit.entity).name, edit.tags);
}

WorldNumber Apply::operator()(const SetTags& edit) const {
  Entity& entity = world.entities_[world.slot_of(edit.entity)];
  EntitySpec spec = entity.spec();
  spec.tags = edit.tags;
  entity.kind = world.kind_of(spec);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const SetTags& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const SetTags& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const SetTags&) const { return {}; }
bool RestartsRun::operator()(const SetTags&) const { return false; }
bool ChangesImage::operator()(const SetTags&) const { return true; }
const std::string* SpawnedName::operator()(const SetTags&) const { return nullptr; }

}  // namespace convoy::edits
