#include "run/books.h"

namespace convoy {

namespace {

// Connection numbers in a journal are those of that run's hosts. (A Move is never journalled.)
struct ForgetOwner {
  void operator()(Spawn& edit) const { edit.owner = kNobody; }
  void operator()(Return& edit) const { edit.owner = kNobody; }
  void operator()(Delete&) const {}
  void operator()(SetState&) const {}
  void operator()(Attach&) const {}
  void operator()(Detach&) const {}
  void operator()(SetEnvironment&) const {}
  void operator()(AddModel&) const {}
  void operator()(Reset&) const {}
  void operator()(Freeze&) const {}
  void operator()(Move&) const {}
  void operator()(Mount&) const {}
  void operator()(AddFile&) const {}
  void operator()(PutBody&) const {}
  void operator()(SetPart&) const {}
  void operator()(Lease&) const {}
  void operator()(SetTags&) const {}
};

// The host that was chosen for it may have left meanwhile.
struct GiveOwner {
  const Books& books;
  Status operator()(Spawn& edit) const {
    if (books.roll.present(edit.owner) && !is_for_one(edit.spec.host)) return {};
    return somebody(edit.spec.host, edit.owner);
  }
  // Back to the host that has come again, and to no other; a replay has hosts of its own.
  Status operator()(Return& edit) const {
    if (books.roll.present(edit.owner)) return {};
    if (edit.owner != kNobody) return fail(ErrorCode::kUnavailable, "its host has left again");
    return somebody(books.world.entity(books.world.slot_of(edit.entity)).kind->host, edit.owner);
  }
  Status somebody(const std::string& host, Owner& owner) const {
    const bool alone = is_for_one(host);
    // The journal names no owner: who asked for a host gets it again where it takes part.
    auto found = least_loaded(books.world, books.roll.present_names(), host);
    if (!found && !alone) found = least_loaded(books.world, books.roll.present_names(), "");
    if (!found) return tl::unexpected(found.error());
    owner = *found;
    return {};
  }
  Status operator()(Delete&) const { return {}; }
  Status operator()(SetState&) const { return {}; }
  Status operator()(Attach&) const { return {}; }
  Status operator()(Detach&) const { return {}; }
  Status operator()(SetEnvironment&) const { return {}; }
  Status operator()(AddModel&) const { return {}; }
  Status operator()(Reset&) const { return {}; }
  Status operator()(Freeze&) const { return {}; }
  Status operator()(Move&) const { return {}; }
  Status operator()(Mount&) const { return {}; }
  Status operator()(AddFile&) const { return {}; }
  Status operator()(PutBody&) const { return {}; }
  Status operator()(SetPart&) const { return {}; }
  Status operator()(Lease&) const { return {}; }
  Status operator()(SetTags&) const { return {}; }
};

}  // namespace

Edit without_owner(Edit edit) {
  std::visit(ForgetOwner{}, edit);
  return edit;
}

JournalEntry journalled(const Books& books, Tick tick, const WaitingEdit& edit) {
  if (edit.asker.agent == kNoEntity) return {books.run, tick, without_owner(edit.edit)};
  return {books.run, tick, AskedEdit{edit.asker.agent, edit.asker.index, without_owner(edit.edit)}};
}

Status give_owner(const Books& books, Edit& edit) { return std::visit(GiveOwner{books}, edit); }

// Some may have been deleted since, or given to others by a reset; of others the freezing itself may wait yet.
std::vector<WorldNumber> returning(const Books& books, const std::string& name) {
  std::vector<WorldNumber> robots = books.roll.left_behind(name);
  std::erase_if(robots, [&](WorldNumber number) {
    const Slot slot = books.world.slot_of(number);
    if (slot == kNoSlot) return true;
    const Entity& entity = books.world.entity(slot);
    return !entity.frozen && (entity.owner == kNobody || books.roll.present(entity.owner));
  });
  return robots;
}

void return_robots(Books& books, Owner owner) {
  for (WorldNumber number : returning(books, books.roll.at(owner).name))
    books.edits.add(Return{number, owner}, nullptr);
}

}  // namespace convoy
