// A frame of states for pages: where everything is at one instant, small and quick to read (docs/web.md).
//
// Single precision and 16 bits are enough for eyes; nothing of a run is worked out from it.
#pragma once

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

// Bytes of a frame's head, and of each entity in it; joint positions follow, 4 bytes each.
inline constexpr std::size_t kFrameHead = 40, kFrameEntity = 32;

// Of several worlds one behind the other.
Bytes frame_of(std::span<const World* const> worlds, const FrameFacts& facts);
inline Bytes frame_of(const World& world, const FrameFacts& facts) {
  const World* one = &world;
  return frame_of({&one, 1}, facts);
}
// Of a frame that is made already.
void put_number(Bytes& frame, std::uint32_t number);

}  // namespace convoy::web
