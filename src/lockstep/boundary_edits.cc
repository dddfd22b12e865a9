#include "lockstep/boundary_edits.h"

#include "run/asked_edits.h"
#include "world/edits/edits.h"

namespace convoy {

// A member that waits comes in with the world as it is at this boundary, edits included.
void BoundaryEdits::admit() {
  if (!audience_.anybody_waits()) return;
  send_news();
  if (!audience_.admit(barrier_.place().tick, image_chunk_)) return;
  barrier_.expect_anew();
  hosts_came_ = true;
  const World& world = books_.world;
  for (auto& [number, inner] : playback_.take_resumed())
    news_.add(Move{number, world.entity(world.slot_of(number)).owner, std::move(inner)});
}

void BoundaryEdits::apply_waiting() {
  admit();
  carry_out_asked();
  while (!books_.edits.empty()) carry_out(books_.edits.take());
}

// The messages are in order: by agent, then by index. What a lost tick has sent is not among them.
void BoundaryEdits::carry_out_asked() {
  const std::pair here{barrier_.place().run, barrier_.place().tick};
  if (std::exchange(asked_at_, here) == here) return;
  RequestLimit limit;
  const EditsOfRun run{books_, [this](Slot slot) { return books_.world.snapshot().state(slot); },
                       [this](WaitingEdit edit) { carry_out(std::move(edit)); }};
  for (Message& message : barrier_.messages())
    if (is_edit_request(message)) message = answer(message, here.second, limit, run);
}

void BoundaryEdits::carry_out(WaitingEdit next) {
  if (auto ok = books_.world.check(next.edit); !ok) return next.answer(tl::unexpected(ok.error()));
  const Status owned = give_owner(books_, next.edit);
  const bool asked = next.asker.agent != kNoEntity;
  if (!owned && !asked) return next.answer(tl::unexpected(owned.error()));
  const Tick tick = barrier_.place().tick;
  watchers_.entered(journalled(books_, tick, next));
  news_.add(next.edit);
  if (restarts_run(next.edit)) {
    restart_();
    return next.answer(EditOutcome{tick, kNoEntity});
  }
  const std::size_t before = books_.world.entities().size();
  const WorldNumber made = barrier_.edit(next.edit);
  if (books_.world.entities().size() < before) ++books_.counts.deleted;
  if (made != kNoEntity) ++books_.counts.spawned;
  // All hosts have left since it was asked for. A replay, which has some, makes it, too: it learns that nobody ran it.
  if (!owned) books_.edits.add_first(Freeze{made});
  next.answer(EditOutcome{tick, made});
}

void BoundaryEdits::carry_out_derived(Edit edit, std::uint32_t index) {
  if (!books_.world.check(edit)) return;
  watchers_.entered({barrier_.place().run, barrier_.place().tick, AskedEdit{kNoEntity, index, edit}});
  barrier_.edit(edit);
  news_.add(std::move(edit));
}

void BoundaryEdits::place_unowned(std::vector<std::string>& unknown) {
  const auto wanting = [&](const Entity& e) { return !e.frozen && !playback_.ownerless(e.number); };
  for (Move& move : share_out(books_.world, books_.roll.names(), wanting, unknown)) news_.add(std::move(move));
}

Edits BoundaryEdits::take_news() {
  if (!news_.fit_into_open()) send_news();
  return news_.take(barrier_.place().run, barrier_.place().tick);
}

}  // namespace convoy
