// The states of all entities at one boundary, dense, in world-number order.
//
// A slot is an index into it: dense, but only valid until the next edit. Each entity has kStateWords words of State and
// then its tail: joint positions and joint velocities (rad, rad/s; in the model's joint order) and perhaps a wrench, all
// doubles (world/model.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/check.h"
#include "world/state.h"
#include "world/static_map.h"

namespace convoy {

class Snapshot {
 public:
  std::size_t size() const { return numbers_.size(); }
  WorldNumber number(Slot slot) const { return numbers_[slot]; }
  std::span<const WorldNumber> numbers() const { return numbers_; }
  Slot slot_of(WorldNumber number) const;  // kNoSlot if there is none; O(log n)

  const State& state(Slot slot) const { return states_[slot]; }
  State& state(Slot slot) { return states_[slot]; }
  std::span<const State> states() const { return states_; }
  std::span<const double> tail(Slot slot) const {
    const std::size_t i = slot.index();
    return {tails_.data() + tail_begin_[i], tail_begin_[i + 1] - tail_begin_[i]};
  }
  std::span<double> tail(Slot slot) {
    const std::size_t i = slot.index();
    return {tails_.data() + tail_begin_[i], tail_begin_[i + 1] - tail_begin_[i]};
  }

  // The number must be larger than every one before.
  Slot append(WorldNumber number, const State& state, std::size_t tail_size);
  void erase(Slot slot);
  void reserve(std::size_t entities);
  void shrink();  // gives back what growing has reserved
  void clear();

  friend bool operator==(const Snapshot&, const Snapshot&) = default;

 private:
  BySlot<WorldNumber> numbers_;
  BySlot<State> states_;
  std::vector<std::uint32_t> tail_begin_{0};  // size() + 1
  std::vector<double> tails_;
};

}  // namespace convoy
