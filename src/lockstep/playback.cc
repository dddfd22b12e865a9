#include "lockstep/playback.h"

#include "core/overloads.h"

namespace convoy {

Playback::Asked Playback::enter_boundary() {
  const LockstepPlace& place = barrier_.place();
  const std::pair here{place.run, place.tick};
  if (!feed_ || asked_at_ == here) return Asked::kNothing;
  asked_at_ = here;
  const JournalFeed::Boundary boundary = feed_->at(place.run, place.tick);
  for (const JournalEntry& entry : boundary.entries) enter(entry);
  barrier_.lose(boundary.lost);
  return boundary.last ? Asked::kLast : Asked::kEntered;
}

void Playback::enter(const JournalEntry& entry) {
  std::visit(Overloads{[&](const Edit& edit) {
                         books_.edits.add(without_owner(edit), [this, entry](const Result<EditOutcome>& outcome) {
                           if (!outcome) feed_->refused(entry, outcome.error());
                         });
                       },
                       [&](const Input& input) { barrier_.opening_inputs().add_journalled(input); }, [](const Lost&) {},
                       [&](const ElementChanged& element) { elements_.feed(element); }, [](const Absent&) {},
                       [](const AskedEdit&) {}},  // worked out again
             entry.what);
}

void Playback::resume_at(Resumption from) {
  books_.world = std::move(from.world);
  books_.run = from.run;
  barrier_.resume_at(from.tick, from.digest, std::move(from.inside), std::move(from.messages));
  ownerless_ = {from.ownerless.begin(), from.ownerless.end()};
  World& world = books_.world;
  for (Slot slot : SlotRange(world.entities().size()))
    world.set_owner(slot, kNobody);  // that run's hosts are not this one's
  for (auto& [number, inner] : from.inner)
    if (world.slot_of(number) != kNoSlot && !ownerless(number)) resumed_[number] = std::move(inner);
}

}  // namespace convoy
