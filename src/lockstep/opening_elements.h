// Elements of outside programs, as ticks open: what has changed takes effect, is journalled, hashed and sent to guests.
#pragma once

#include <vector>

#include "lockstep/audience.h"
#include "lockstep/watchers.h"
#include "run/element_effects.h"
#include "session/element_source.h"

namespace convoy {

// What became of elements, since the run began.
struct ElementCounts {
  std::uint64_t appeared = 0, changed = 0, gone = 0;
  void count(const ElementChanged& change);
};

class OpeningElements {
 public:
  explicit OpeningElements(ElementEffects& effects) : effects_(effects) {}  // outlive it

  // Outlives this; nullptr: only the journal has some.
  void take_from(ElementSource* source) { source_ = source; }
  // From a journal, for the tick that opens next.
  void feed(ElementChanged change) { replayed_elements_.push_back(std::move(change)); }
  // The run begins anew, without elements.
  void restart() { replayed_elements_.clear(), effects_.clear(); }
  // What was there when a run is taken up in its middle, by its journal; no host knows of it yet.
  void resume(std::span<const ElementChanged> journal);

  // What changed until now takes effect in the tick that opens; the hash of it, 0 for nothing. However much was pushed,
  // it is no more than the source holds and held at the last opening (ElementExchangeOptions).
  std::uint64_t take(std::uint32_t run, Tick tick, RunWatchers& watchers);
  // What was taken just now moves its bodies by edits, and stands in front of the messages that hosts are handed; with
  // `newcomers` all that there are.
  using CarryOut = std::function<void(Edit)>;
  void act(const World& world, const CarryOut& carry_out, bool newcomers, std::vector<Message>& messages);
  // Guests get what was taken just now; a new one gets all there are.
  void send(std::uint32_t run, Tick tick, Audience& audience, const SendFrame& send);

  const ElementCounts& counts() const { return counts_; }

 private:
  ElementSource* source_ = nullptr;
  std::vector<ElementChanged> replayed_elements_, taken_;
  ElementCounts counts_;
  ElementEffects& effects_;
};

}  // namespace convoy
