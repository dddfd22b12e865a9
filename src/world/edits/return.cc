// Return: a frozen entity has an agent again, and goes on from where it stands.
#include <algorithm>

#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Return& edit) const {
  if (auto ok = check_known(world, edit.entity); !ok) return ok;
  const Entity& frozen = entity(world, edit.entity);
  if (!frozen.frozen) return fail(ErrorCode::kState, "'" + frozen.name + "' is not frozen");
  return {};
}

WorldNumber Apply::operator()(const Return& edit) const {
  const Slot slot = world.slot_of(edit.entity);
  Entity& entity = world.entities_[slot];
  entity.frozen = false;
  entity.owner = edit.owner;
  world.snapshot_.state(slot).stamp = now;                    // its agent's time begins here
  const std::span<double> tail = world.snapshot_.tail(slot);  // at rest, as Freeze has left its base
  std::fill(tail.begin() + static_cast<std::ptrdiff_t>(joints_size(world.model_of(slot)) / 2), tail.end(), 0.0);
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Return& edit) const { return in_order(before, Return{edit.entity}); }

std::vector<WorldNumber> EntitiesOf::operator()(const Return& edit) const { return {edit.entity}; }
std::vector<WorldNumber> ResetsInside::operator()(const Return& edit) const { return {edit.entity}; }
bool RestartsRun::operator()(const Return&) const { return false; }
bool ChangesImage::operator()(const Return&) const { return true; }
const std::string* SpawnedName::operator()(const Return&) const { return nullptr; }

}  // namespace convoy::edits
