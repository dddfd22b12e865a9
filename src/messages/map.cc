#include "messages/map.h"

#include <algorithm>

#include "messages/geometry.h"

namespace convoy::ros {

nav_msgs::msg::OccupancyGrid occupancy_grid_of(const MapData& map, Instant stamp, const std::string& frame) {
  nav_msgs::msg::OccupancyGrid out;
  out.header.stamp = out.info.map_load_time = stamp_of(stamp), out.header.frame_id = frame;
  out.info.resolution = static_cast<float>(map.resolution);
  out.info.width = map.width, out.info.height = map.height;
  out.info.origin = message_of(Pose{{map.origin.x, map.origin.y, 0}, from_yaw(map.origin.yaw)});
  out.data.resize(map.cells.size());
  std::transform(map.cells.begin(), map.cells.end(), out.data.begin(), [](std::uint8_t cell) -> std::int8_t {
    constexpr std::int8_t kShown[] = {0, 100, -1};  // free, occupied, unknown
    return kShown[std::min<std::uint8_t>(cell, 2)];
  });
  return out;
}

}  // namespace convoy::ros
