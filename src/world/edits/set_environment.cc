// SetEnvironment: other weather, another time of day.
#include "world/edits/edits.h"
#include "world/edits/structure.h"
#include "world/spec_check.h"

namespace convoy::edits {

Status Check::operator()(const SetEnvironment& edit) const { return convoy::check(edit.environment); }

WorldNumber Apply::operator()(const SetEnvironment& edit) const {
  world.environment_ = edit.environment;
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const SetEnvironment& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const SetEnvironment&) const { return {}; }
std::vector<WorldNumber> ResetsInside::operator()(const SetEnvironment&) const { return {}; }
bool RestartsRun::operator()(const SetEnvironment&) const { return false; }
bool ChangesImage::operator()(const SetEnvironment&) const { return true; }
const std::string* SpawnedName::operator()(const SetEnvironment&) const { return nullptr; }

}  // namespace convoy::edits
