#include "run/books.h"

namespace convoy {

namespace {

// The host that was chosen for it may have left meanwhile.
struct GiveOwner {
  const Books& books;
  Status operator()(Spawn& edit) const {
    const bool alone = is_for_one(edit.spec.host);
    if (books.roll.present(edit.owner) && !alone) return {};
    // The journal names no owner: who asked for a host gets it again where it takes part.
    auto owner = least_loaded(books.world, books.roll.present_names(), edit.spec.host);
    if (!owner && !alone) owner = least_loaded(books.world, books.roll.present_names(), "");
    if (!owner) return tl::unexpected(owner.error());
    edit.owner = *owner;
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
};

}  // namespace

Status give_owner(const Books& books, Edit& edit) { return std::visit(GiveOwner{books}, edit); }

}  // namespace convoy
