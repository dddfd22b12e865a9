#include "messages/map.h"

#include <doctest/doctest.h>

#include "core/math.h"
#include "messages/testing.h"

namespace messages_map_test {

using namespace convoy;
using namespace convoy::ros;
using testing::kStamp;

TEST_CASE("a map's cells are those of ROS, in its order, from its lower left corner on") {
  MapData map;
  map.width = 3, map.height = 2, map.resolution = 0.25, map.origin = {-1, 2, math::kPi / 2};
  map.cells = {0, 1, 2, 1, 0, 0};
  std::vector<std::uint8_t> cdr;
  const auto grid = occupancy_grid_of(map, kStamp);
  REQUIRE(TypeSupport::of<nav_msgs::msg::OccupancyGrid>().to_cdr(&grid, cdr));

  const auto m = testing::read<nav_msgs::msg::OccupancyGrid>(cdr);

  CHECK(m.header.frame_id == "map");
  CHECK(m.header.stamp.nanosec == 7);
  CHECK(m.info.map_load_time == m.header.stamp);
  CHECK(m.info.width == 3);
  CHECK(m.info.height == 2);
  CHECK(m.info.resolution == 0.25f);
  CHECK(m.info.origin.position.x == -1);
  CHECK(m.info.origin.position.y == 2);
  CHECK(m.info.origin.orientation.z == from_yaw(math::kPi / 2).z);
  CHECK(m.data == std::vector<std::int8_t>{0, 100, -1, 100, 0, 0});
}

TEST_CASE("a world without a map gives a grid of no cells") {
  const auto grid = occupancy_grid_of(MapData(), kStamp, "hall");

  CHECK(grid.data.empty());
  CHECK(grid.info.width == 0);
  CHECK(grid.header.frame_id == "hall");
}

}  // namespace messages_map_test
