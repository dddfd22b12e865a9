// Attach: an entity is carried by another from now on, at the pose relative to it that it has. Its agent stays on its
// host.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Attach& edit) const {
  if (auto ok = check_known(world, edit.parent); !ok) return ok;
  if (auto ok = check_known(world, edit.child); !ok) return ok;
  const Entity &parent = entity(world, edit.parent), &child = entity(world, edit.child);
  if (child.parent != kNoEntity) return fail(ErrorCode::kState, "'" + child.name + "' is attached already");
  for (WorldNumber up = edit.parent; up != kNoEntity; up = entity(world, up).parent)
    if (up == edit.child)
      return fail(ErrorCode::kInvalid, "attaching '" + child.name + "' to '" + parent.name + "' would make a cycle");
  return {};
}

WorldNumber Apply::operator()(const Attach& edit) const {
  const Slot child = world.slot_of(edit.child), parent = world.slot_of(edit.parent);
  world.entities_[child].parent = edit.parent;
  world.entities_[child].X_PC = world.snapshot_.state(parent).pose.inverse() * world.snapshot_.state(child).pose;
  ++world.snapshot_.state(child).discontinuity;
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Attach& edit) const { return in_order(before, edit); }

std::vector<WorldNumber> EntitiesOf::operator()(const Attach& edit) const { return {edit.parent, edit.child}; }
std::vector<WorldNumber> ResetsInside::operator()(const Attach&) const { return {}; }
bool RestartsRun::operator()(const Attach&) const { return false; }
bool ChangesImage::operator()(const Attach&) const { return true; }
const std::string* SpawnedName::operator()(const Attach&) const { return nullptr; }

}  // namespace convoy::edits
