// Reset: named entities as they were created, or the whole world as it began.
#include "world/edits/edits.h"
#include "world/edits/structure.h"

namespace convoy::edits {

Status Check::operator()(const Reset& edit) const {
  for (WorldNumber number : edit.entities)
    if (auto ok = check_known(world, number); !ok) return ok;
  return {};
}

WorldNumber Apply::operator()(const Reset& edit) const {
  if (edit.entities.empty()) {
    world.start_over();
    return kNoEntity;
  }
  for (WorldNumber number : edit.entities) {
    const Slot slot = world.slot_of(number);
    const Entity& entity = world.entity(slot);
    if (entity.parent != kNoEntity) world.detach(slot);
    world.directory_.forget(number);
    State& state = world.snapshot_.state(slot);
    const std::uint64_t count = state.discontinuity;
    state = initial_state(entity.pose, now);
    state.discontinuity = count + 1;
    world.put_at_start(slot);
    world.put_child_poses(slot, now);
  }
  return kNoEntity;
}

std::uint64_t StructureHash::operator()(const Reset& edit) const {
  return edit.entities.empty() ? in_order(before, edit) : in_any_order(before, edit);
}

std::vector<WorldNumber> EntitiesOf::operator()(const Reset& edit) const { return edit.entities; }
std::vector<WorldNumber> ResetsInside::operator()(const Reset& edit) const { return edit.entities; }
bool RestartsRun::operator()(const Reset& edit) const { return edit.entities.empty(); }
bool ChangesImage::operator()(const Reset&) const { return false; }
const std::string* SpawnedName::operator()(const Reset&) const { return nullptr; }

}  // namespace convoy::edits
