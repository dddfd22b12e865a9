#include "lockstep/opening_elements.h"

#include <algorithm>
#include <iterator>

namespace convoy {

void ElementCounts::count(const ElementChanged& change) {
  switch (change.kind) {
    case ElementChanged::Kind::kAppeared: ++appeared; break;
    case ElementChanged::Kind::kChanged: ++changed; break;
    case ElementChanged::Kind::kGone: ++gone; break;
  }
}

std::uint64_t OpeningElements::take(std::uint32_t run, Tick tick, RunWatchers& watchers) {
  taken_ = std::exchange(replayed_elements_, {});
  if (source_) {
    std::vector<ElementChanged> more = source_->take(run);
    taken_.insert(taken_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  for (const ElementChanged& change : taken_) {
    counts_.count(change);
    watchers.entered({run, tick, change});
  }
  return elements_hash(taken_);
}

void OpeningElements::resume(std::span<const ElementChanged> journal) {
  for (const ElementChanged& change : journal) effects_.take(change);
}

void OpeningElements::act(const World& world, const CarryOut& carry_out, bool newcomers,
                          std::vector<Message>& messages) {
  std::vector<Message> news;
  for (const ElementChanged& change : taken_) {
    news.push_back(effects_.take(change));
    const auto pose_of = [&](Slot slot) { return world.snapshot().state(slot).pose; };
    for (Edit& edit : effects_.body(change, world, pose_of)) carry_out(std::move(edit));
  }
  if (newcomers)
    for (Message& one : effects_.all()) news.push_back(std::move(one));  // again for the others, to whom it is no news
  messages.insert(messages.begin(), std::make_move_iterator(news.begin()), std::make_move_iterator(news.end()));
}

void OpeningElements::send(std::uint32_t run, Tick tick, Audience& audience, const SendFrame& send) {
  const std::vector<ElementChanged> taken = std::exchange(taken_, {});
  if (audience.guests().empty()) return;
  const std::set<Owner> fresh = audience.take_new_guests();
  std::vector<Bytes> all;  // the source has just been asked, so that is what holds at this boundary
  if (!fresh.empty() && source_) all = encode_taken(run, tick, source_->all());
  const std::vector<Bytes> news = encode_taken(run, tick, taken);
  for (Owner guest : audience.guests())
    for (const Bytes& frame : fresh.count(guest) > 0 ? all : news) send(guest, FrameType::kTaken, frame);
}

}  // namespace convoy
