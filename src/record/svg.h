// A picture and a table of where the robots went: trajectories over an occupancy map, as SVG or PNG and as CSV.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace convoy {

struct TrajectoryPoint {
  double time_s = 0, x_m = 0, y_m = 0, yaw_rad = 0;  // in the world frame
};

struct Trajectory {
  std::string name;
  std::vector<TrajectoryPoint> points;  // by time; one that is not finite, or beyond 10,000 km, breaks the line
};

enum class MapCell : std::uint8_t { kFree = 0, kOccupied = 1, kUnknown = 2 };

// Cells row by row from the origin: row 0 is the lowest, as in nav_msgs/OccupancyGrid.
struct MapImage {
  int width = 0, height = 0;                                  // cells
  double resolution_m = 0;                                    // side of a cell
  double origin_x_m = 0, origin_y_m = 0, origin_yaw_rad = 0;  // pose of the outer corner of the first cell
  std::span<const MapCell> cells;                             // width * height
};

// Bounds of a picture: what is beyond is drawn coarser (map, points) or left out with a note (robots).
inline constexpr std::size_t kMaxMapRects = 40'000;
inline constexpr std::size_t kMaxPlottedPoints = 60'000;
inline constexpr std::size_t kMaxDrawnRobots = 2'000;
inline constexpr std::size_t kMaxLegend = 12;

// An SVG document with axes in metres, a scale bar and a dot at each start; at most about 4 MB. `map` may be absent.
std::string draw_trajectories(std::span<const Trajectory> trajectories, const MapImage* map,
                              std::string_view title = {});

// The same as a PNG image, for what shows no SVG; at most 1,300 x 1,100 pixels. Names are ASCII there. Empty if there is
// no memory for it.
Bytes draw_trajectories_png(std::span<const Trajectory> trajectories, const MapImage* map, std::string_view title = {});

// "#rrggbb" of the robot with this index: golden-angle hues in seven shades.
std::string robot_colour(std::size_t index);

// Columns time_s,name,x,y,yaw; robot by robot. Numbers are the shortest that read back as the same double.
std::string trajectories_csv(std::span<const Trajectory> trajectories);

}  // namespace convoy
