#include "agent/fleet_edits.h"

#include <algorithm>

namespace convoy {

std::vector<WorldNumber> RereadBy::operator()(const Spawn&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Attach&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const SetEnvironment&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const AddModel&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Reset&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Freeze&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Move&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Mount&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const AddFile&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Return&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const SetPart&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const Lease&) const { return {}; }
std::vector<WorldNumber> RereadBy::operator()(const SetTags&) const { return {}; }

std::vector<WorldNumber> RereadBy::operator()(const Delete& edit) const { return world.children_of(edit.entity); }
std::vector<WorldNumber> RereadBy::operator()(const Detach& edit) const { return {edit.child}; }
std::vector<WorldNumber> RereadBy::operator()(const SetState& edit) const {
  return world.with_descendants(edit.entity);
}
// The robot itself is put as a whole, by FollowEdit.
std::vector<WorldNumber> RereadBy::operator()(const PutBody& edit) const {
  std::vector<WorldNumber> carried = world.with_descendants(edit.entity);
  std::erase(carried, edit.entity);
  return carried;
}

bool FollowEdit::operator()(const SetState&) const { return true; }
bool FollowEdit::operator()(const Attach&) const { return true; }
bool FollowEdit::operator()(const Detach&) const { return true; }
bool FollowEdit::operator()(const SetEnvironment&) const { return true; }
bool FollowEdit::operator()(const AddModel&) const { return true; }
bool FollowEdit::operator()(const Mount&) const { return true; }
bool FollowEdit::operator()(const AddFile&) const { return true; }
bool FollowEdit::operator()(const SetTags&) const { return true; }

bool FollowEdit::operator()(const Spawn&) const {
  const Slot slot = fleet.world_.slot_of(made);
  if (fleet.world_.entity(slot).owner == fleet.me_) fleet.make(slot);
  return true;
}

bool FollowEdit::operator()(const Delete& edit) const {
  fleet.drop(edit.entity);
  return true;
}

bool FollowEdit::operator()(const Freeze& edit) const {
  fleet.drop(edit.entity);
  return true;
}

bool FollowEdit::operator()(const PutBody& edit) const {
  const World& world = fleet.world_;
  if (Agent* agent = fleet.mine(edit.entity)) agent->put(edit, world.snapshot().state(world.slot_of(edit.entity)), now);
  return true;
}

bool FollowEdit::operator()(const SetPart& edit) const {
  if (Agent* agent = fleet.mine(edit.entity)) agent->set_part(edit, now);
  return true;
}

bool FollowEdit::operator()(const Lease& edit) const {
  for (WorldNumber number : edit.entities)
    if (Agent* agent = fleet.mine(number)) agent->hold(holder_of(fleet.world_, number));
  return true;
}

bool FollowEdit::operator()(const Return& edit) const {
  if (edit.owner == fleet.me_) fleet.make(fleet.world_.slot_of(edit.entity), Fleet::Begins::kWhereItIs);
  return true;
}

bool FollowEdit::operator()(const Move& edit) const {
  if (edit.owner != fleet.me_) {
    fleet.drop(edit.entity);
    return true;
  }
  if (!fleet.agent(edit.entity)) fleet.make(fleet.world_.slot_of(edit.entity));
  return edit.inner.empty() || fleet.mine(edit.entity)->load(edit.inner);
}

bool FollowEdit::operator()(const Reset& edit) const {
  if (edit.entities.empty()) {
    fleet.agents_.clear();
    fleet.orders().restart();
    fleet.others();
    fleet.take_up();
  }
  for (WorldNumber number : edit.entities) {
    if (!fleet.agent(number)) continue;
    fleet.drop(number);
    fleet.make(fleet.world_.slot_of(number));
  }
  return true;
}

}  // namespace convoy
