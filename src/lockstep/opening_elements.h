// Elements of outside programs, as ticks open: what has changed takes effect, is journalled, hashed and sent to guests.
#pragma once

#include <vector>

#include "lockstep/audience.h"
#include "lockstep/watchers.h"
#include "session/element_source.h"

namespace convoy {

// What became of elements, since the run began.
struct ElementCounts {
  std::uint64_t appeared = 0, changed = 0, gone = 0;
  void count(const ElementChanged& change);
};

class OpeningElements {
 public:
  // Outlives this; nullptr: only the journal has some.
  void take_from(ElementSource* source) { source_ = source; }
  // From a journal, for the tick that opens next.
  void feed(ElementChanged change) { replayed_elements_.push_back(std::move(change)); }
  void forget_fed() { replayed_elements_.clear(); }

  // What changed until now takes effect in the tick that opens; the hash of it, 0 for nothing. However much was pushed,
  // it is no more than the source holds and held at the last opening (ElementExchangeOptions).
  std::uint64_t take(std::uint32_t run, Tick tick, RunWatchers& watchers);
  // Guests get what was taken just now; a new one gets all there are.
  void send(std::uint32_t run, Tick tick, Audience& audience, const SendFrame& send);

  const ElementCounts& counts() const { return counts_; }

 private:
  ElementSource* source_ = nullptr;
  std::vector<ElementChanged> replayed_elements_, taken_;
  ElementCounts counts_;
};

}  // namespace convoy
