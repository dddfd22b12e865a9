// The conductor taking a run again: from a journal instead of calls, and from a checkpoint instead of the setup.
#include <algorithm>

#include "lockstep/conductor.h"

namespace convoy {

// True if the feed had its say about the boundary at hand just now.
bool Conductor::ask_feed() {
  const std::pair here{run_, tick_};
  if (!feed_ || asked_at_ == here) return false;
  asked_at_ = here;
  const JournalFeed::Boundary boundary = feed_->at(run_, tick_);
  for (const JournalEntry& entry : boundary.entries) {
    if (const auto* edit = std::get_if<Edit>(&entry.what)) {
      Edit placed = *edit;
      if (auto* spawn = std::get_if<Spawn>(&placed)) spawn->owner = kNobody;  // numbers of that run's hosts
      pending_.push_back({std::move(placed), [this, entry](const Result<EditOutcome>& outcome) {
                            if (!outcome) feed_->refused(entry, outcome.error());
                          }});
    } else if (const auto* input = std::get_if<Input>(&entry.what)) {
      inputs_.push_back(*input);
    } else if (const auto* element = std::get_if<ElementChanged>(&entry.what)) {
      fed_.push_back(*element);
    }
  }
  mark_lost({boundary.lost});
  if (boundary.last) finish();
  return true;
}

void Conductor::mark_lost(const Lost& lost) { lost_.insert(lost_.end(), lost.agents.begin(), lost.agents.end()); }

void Conductor::resume_at(Resumption from) {
  EXPECTS(phase_ == Phase::kGather && from.inside.size() == from.world.snapshot().size());
  world_ = std::move(from.world);
  run_ = from.run;
  tick_ = from.tick;
  digest_ = from.digest;
  inside_ = std::move(from.inside);
  inside_next_ = inside_;
  mail_ = std::move(from.messages);
  ownerless_ = {from.ownerless.begin(), from.ownerless.end()};
  for (Slot slot = 0; slot < world_.entities().size(); ++slot)
    world_.set_owner(slot, kNobody);  // that run's hosts are not this one's
  for (auto& [number, inner] : from.inner)
    if (world_.slot_of(number) != kNoSlot && !ownerless_.count(number)) resumed_[number] = std::move(inner);
}

}  // namespace convoy
