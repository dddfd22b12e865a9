// A frame of states for pages: where everything is at one instant, small and quick to read (docs/web.md).
//
// Single precision and 16 bits are enough for eyes; nothing of a run is worked out from it. A whole frame has all
// entities; a part of one has some of them, for a page that has the others already.
#pragma once

#include <vector>

#include "world/world.h"

namespace convoy::web {

struct FrameFacts {
  std::uint32_t number = 0;  // counts up
  std::uint32_t run = 0;
  std::uint32_t structure = 0;  // of the list of entities that it goes with
  Instant time{};
  Tick tick = 0;
  bool paused = false;
};

// Bytes of a frame's head, and of each entity in it; joint positions follow, 4 bytes each. In a part each entity has its
// slot besides.
inline constexpr std::size_t kFrameHead = 40, kFrameEntity = 32, kFrameJoint = 4, kFrameSlot = 4;
inline constexpr std::uint32_t kBeside = 1u << 30;  // added to numbers of entities of a second world

// Whose states a whole frame has, in its order: the same for all frames of a structure.
struct Roster {
  std::vector<std::uint32_t> numbers;      // of entities, ascending
  std::vector<std::uint32_t> joint_at{0};  // of each its first joint number, and how many there are of all
  std::size_t size() const { return numbers.size(); }
  std::uint32_t joints(std::size_t slot) const { return joint_at[slot + 1] - joint_at[slot]; }
};

// Of several worlds one behind the other.
Bytes frame_of(std::span<const World* const> worlds, const FrameFacts& facts);
inline Bytes frame_of(const World& world, const FrameFacts& facts) {
  const World* one = &world;
  return frame_of({&one, 1}, facts);
}
Roster roster_of(std::span<const World* const> worlds);
// Those entities of a whole frame, in ascending slots.
Bytes part_of(ByteView whole, const Roster& roster, std::span<const std::uint32_t> slots);
// Of a frame that is made already.
void put_number(Bytes& frame, std::uint32_t number);
std::uint32_t number_of(ByteView frame);

}  // namespace convoy::web
