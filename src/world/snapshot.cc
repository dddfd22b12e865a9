#include "world/snapshot.h"

#include <algorithm>

namespace convoy {

Slot Snapshot::slot_of(WorldNumber number) const {
  const auto it = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return it != numbers_.end() && *it == number ? static_cast<Slot>(it - numbers_.begin()) : kNoSlot;
}

Slot Snapshot::append(WorldNumber number, const State& state, std::size_t tail_size) {
  EXPECTS(numbers_.empty() || number > numbers_.back());
  numbers_.push_back(number);
  states_.push_back(state);
  tails_.resize(tails_.size() + tail_size, 0.0);
  tail_begin_.push_back(static_cast<std::uint32_t>(tails_.size()));
  return static_cast<Slot>(numbers_.size() - 1);
}

void Snapshot::erase(Slot slot) {
  EXPECTS(slot.index() < size());
  const std::size_t at = slot.index();
  const std::uint32_t begin = tail_begin_[at], count = tail_begin_[at + 1] - begin;
  tails_.erase(tails_.begin() + begin, tails_.begin() + begin + count);
  tail_begin_.erase(tail_begin_.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t i = at; i < tail_begin_.size(); ++i) tail_begin_[i] -= count;
  numbers_.erase(slot);
  states_.erase(slot);
}

void Snapshot::reserve(std::size_t entities) {
  numbers_.reserve(entities), states_.reserve(entities), tail_begin_.reserve(entities + 1);
}

void Snapshot::shrink() {
  numbers_.shrink_to_fit(), states_.shrink_to_fit(), tail_begin_.shrink_to_fit(), tails_.shrink_to_fit();
}

void Snapshot::clear() {
  numbers_.clear();
  states_.clear();
  tails_.clear();
  tail_begin_.assign(1, 0);
}

}  // namespace convoy
