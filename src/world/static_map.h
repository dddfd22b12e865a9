// The part of the world that never moves, as robots on the ground meet it: an occupancy grid with a distance field.
//
// Cell (col, row) covers [col, col+1) x [row, row+1) times the resolution in the map's frame M, whose lower left corner
// and rotation in the world are the origin (x, y, yaw), as in a ROS map. Everything outside the grid is solid, and so
// are unknown cells.
#pragma once

#include <cstdint>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/result.h"
#include "core/fields.h"
#include "world/model.h"

namespace convoy {

struct MapOrigin {
  double x = 0, y = 0, yaw = 0;  // m, m, rad
  friend bool operator==(const MapOrigin&, const MapOrigin&) = default;
};
template <class V, MaybeConst<MapOrigin> T>
void fields(V& v, T& o) {
  v("x", o.x), v("y", o.y), v("yaw", o.yaw);
}

// What a map is made of; the bytes that travel and are hashed.
struct MapData {
  std::uint32_t width = 0, height = 0;  // cells
  double resolution = 0.05;             // m per cell
  MapOrigin origin;                     // X_WM
  Bytes cells;                          // row by row from the bottom, one byte a cell: 0 free, 1 occupied, 2 unknown
  double wall_height = 0;               // m, from the ground to the top of solid cells; 0: kWallHeight

  friend bool operator==(const MapData&, const MapData&) = default;
};
template <class V, MaybeConst<MapData> T>
void fields(V& v, T& m) {
  v("width", m.width), v("height", m.height), v("resolution", m.resolution), v("origin", m.origin);
  v("cells", m.cells);
  later(v, "wall_height", m.wall_height);
}
inline constexpr double kWallHeight = 2.5, kMaxWallHeight = 1000;  // m
inline double wall_height(const MapData& map) { return map.wall_height > 0 ? map.wall_height : kWallHeight; }

inline constexpr std::uint32_t kMaxMapSide = 20'000;       // cells
inline constexpr std::uint64_t kMaxMapCells = 64'000'000;  // cells

class StaticMap {
 public:
  // Checks sizes and values, and computes the distance field. The same bits for the same data, everywhere.
  // Data without any cell (width and height 0) makes an empty map.
  static Result<StaticMap> make(MapData data);
  StaticMap() = default;  // an empty map: no cell is solid, nothing is outside

  const MapData& data() const { return data_; }
  bool empty() const { return data_.cells.empty(); }
  std::uint64_t hash() const { return hash_; }  // of the data; 0: empty

  // World -> map coordinates in m, and the angle that a world yaw has there.
  Vec2 to_map(double x, double y) const;
  Vec2 to_world(double mx, double my) const;
  double yaw() const { return data_.origin.yaw; }
  // Cosine and sine of the yaw: the map's x axis in the world.
  Vec2 x_axis() const { return {cos_yaw_, sin_yaw_}; }

  bool solid_cell(std::int64_t col, std::int64_t row) const {
    if (col < 0 || row < 0 || col >= data_.width || row >= data_.height) return !empty();
    return data_.cells[static_cast<std::size_t>(row) * data_.width + static_cast<std::size_t>(col)] != 0;
  }
  // Is the point (map coordinates, m) in a solid cell or outside the grid?
  bool solid_at(double mx, double my) const {
    if (!(mx >= 0 && my >= 0 && mx < max_x_ && my < max_y_)) return !empty();
    return solid_cell(static_cast<std::int64_t>(mx * inverse_resolution_),
                      static_cast<std::int64_t>(my * inverse_resolution_));
  }
  // A lower bound of the distance from the point (map coordinates, m) to solid ground, m; 0 inside it; a huge number on
  // an empty map. It is the exact Euclidean distance between the borders of the point's cell and the nearest solid
  // cell, so it falls short of the point's own distance by at most a cell's diagonal.
  double clearance(double mx, double my) const;

  // Does the convex polygon (map coordinates, counter-clockwise, m) overlap a solid cell's interior?
  bool touches(const Vec2* corners, std::size_t count) const;
  // How many solid cells the polygon touches, including those outside the grid, as far as 64 cells from it.
  std::size_t solid_cells_under(const Vec2* corners, std::size_t count) const;

  // Distance from (x, y) along the unit direction (dir_x, dir_y), all in world coordinates, to the first solid cell, m;
  // max_range if there is none within it. 0 from inside of a solid cell. The distance field makes it fast, but the
  // result has the bits of a plain walk from cell to cell.
  double ray(double x, double y, double dir_x, double dir_y, double max_range) const;

 private:
  MapData data_;
  std::uint64_t hash_ = 0;
  double cos_yaw_ = 1, sin_yaw_ = 0;
  double inverse_resolution_ = 1;
  double max_x_ = 0, max_y_ = 0;  // the grid's upper right corner in map coordinates, m
  std::vector<float> distance_;   // per cell: from anywhere in the cell to the nearest solid cell, m, a lower bound
};

// A box or a disc on the ground, in world coordinates.
struct BoxShape {
  double x = 0, y = 0, yaw = 0;              // pose of the centre
  double length = 1, width = 1, height = 1;  // along x, y, z, m
  friend bool operator==(const BoxShape&, const BoxShape&) = default;
};
struct CylinderShape {
  double x = 0, y = 0;
  double radius = 0.5, height = 1;  // m
  friend bool operator==(const CylinderShape&, const CylinderShape&) = default;
};
// Marks as occupied any cell that the shape overlaps by more than a nanometre.
void paint(MapData& map, const BoxShape& box);
void paint(MapData& map, const CylinderShape& cylinder);
template <class V, MaybeConst<BoxShape> T>
void fields(V& v, T& s) {
  v("x", s.x), v("y", s.y), v("yaw", s.yaw), v("length", s.length), v("width", s.width), v("height", s.height);
}
template <class V, MaybeConst<CylinderShape> T>
void fields(V& v, T& s) {
  v("x", s.x), v("y", s.y), v("radius", s.radius), v("height", s.height);
}

}  // namespace convoy
