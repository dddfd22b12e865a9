#include "record/foxglove/grid.h"

#include <algorithm>

#include "record/foxglove/geometry.h"
#include "world/state.h"

namespace convoy {
namespace {

enum : std::uint8_t { kFree = 0, kOccupied = 1, kUnknown = 2 };  // of MapData
constexpr std::int64_t kInt8 = 2;                                // PackedElementField.NumericType

std::uint8_t shown(std::uint8_t cell) {
  return cell == kFree ? std::uint8_t{0} : cell == kOccupied ? std::uint8_t{100} : std::uint8_t{255};
}

// Each of its cells stands for `by` by `by`.
MapData coarser(const MapData& map, std::uint32_t by) {
  MapData out;
  out.width = (map.width + by - 1) / by, out.height = (map.height + by - 1) / by;
  out.resolution = map.resolution * by, out.origin = map.origin;
  out.cells.assign(std::size_t{out.width} * out.height, kFree);
  for (std::uint32_t row = 0; row < map.height; ++row)
    for (std::uint32_t column = 0; column < map.width; ++column) {
      std::uint8_t& to = out.cells[std::size_t{row / by} * out.width + column / by];
      const std::uint8_t from = map.cells[std::size_t{row} * map.width + column];
      if (from == kOccupied || (from == kUnknown && to == kFree)) to = from;
    }
  return out;
}

}  // namespace

void encode_grid(Instant stamp, const MapData& map, Bytes& out, std::size_t at_most) {
  std::uint32_t by = 1;
  while (map.cells.size() / by / by > at_most) ++by;
  if (by > 1) return encode_grid(stamp, coarser(map, by), out, map.cells.size());
  Bytes cells(map.cells.size());
  std::transform(map.cells.begin(), map.cells.end(), cells.begin(), shown);
  out.clear();
  Proto p(out);
  put_time(p, 1, stamp);
  p.text(2, "world");
  put_pose(p, 3, {{map.origin.x, map.origin.y, 0}, from_yaw(map.origin.yaw)});
  p.fixed32(4, map.width);
  p.message(5, [&](Proto& size) { size.real(1, map.resolution), size.real(2, map.resolution); });
  p.fixed32(6, map.width);
  p.fixed32(7, 1);
  p.message(8, [&](Proto& field) { field.text(1, "occupancy"), field.integer(3, kInt8); });
  p.data(9, cells);
}

}  // namespace convoy
