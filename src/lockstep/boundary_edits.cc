#include "lockstep/boundary_edits.h"

#include "world/edits/edits.h"

namespace convoy {

// A member that waits comes in with the world as it is at this boundary, edits included.
void BoundaryEdits::admit() {
  if (!audience_.anybody_waits()) return;
  send_news();
  if (!audience_.admit(barrier_.place().tick, image_chunk_)) return;
  barrier_.expect_anew();
  const World& world = books_.world;
  for (auto& [number, inner] : playback_.take_resumed())
    news_.add(Move{number, world.entity(world.slot_of(number)).owner, std::move(inner)});
}

void BoundaryEdits::apply_waiting() {
  admit();
  while (!books_.edits.empty()) carry_out(books_.edits.take());
}

void BoundaryEdits::carry_out(WaitingEdit next) {
  if (auto ok = books_.world.check(next.edit); !ok) return next.answer(tl::unexpected(ok.error()));
  if (auto ok = give_owner(books_, next.edit); !ok) return next.answer(tl::unexpected(ok.error()));
  const Tick tick = barrier_.place().tick;
  watchers_.entered({barrier_.place().run, tick, without_owner(next.edit)});
  news_.add(next.edit);
  if (restarts_run(next.edit)) {
    restart_();
    return next.answer(EditOutcome{tick, kNoEntity});
  }
  const std::size_t before = books_.world.entities().size();
  const WorldNumber made = barrier_.edit(next.edit);
  if (books_.world.entities().size() < before) ++books_.counts.deleted;
  if (made != kNoEntity) ++books_.counts.spawned;
  next.answer(EditOutcome{tick, made});
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
