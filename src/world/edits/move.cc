// Move: another owner takes an agent over. Which host runs an agent is no part of the world's history.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Move& edit) const { return check_known(world, edit.entity); }

WorldNumber Apply::operator()(const Move& edit) const {
  Entity& moved = world.entities_[world.slot_of(edit.entity)];
  moved.owner = edit.owner;
  moved.frozen = false;
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Move&) const { return before; }

std::vector<WorldNumber> EntitiesOf::operator()(const Move& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const Move&) const { return {}; }
bool RestartsRun::operator()(const Move&) const { return false; }
bool ChangesImage::operator()(const Move&) const { return false; }
const std::string* SpawnedName::operator()(const Move&) const { return nullptr; }

}  // namespace convoy::edits
