// foxglove.Grid: the occupancy map, with the values that ROS gives them: 0 free, 100 occupied, -1 unknown.
#pragma once

#include "convoy/time.h"
#include "core/bytes.h"
#include "world/static_map.h"

namespace convoy {

inline constexpr std::size_t kMostGridCells = 16'000'000;  // larger maps are shown with coarser cells

// Replaces `out` by one message, in the frame "world". A coarser cell is occupied if one of its cells is, else unknown if
// one of them is.
void encode_grid(Instant stamp, const MapData& map, Bytes& out, std::size_t at_most = kMostGridCells);

}  // namespace convoy
