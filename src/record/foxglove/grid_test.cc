#include "record/foxglove/grid.h"

#include "record/foxglove/testing.h"

namespace grid_test {

using namespace convoy;
using testing::WireMessage;

namespace {

// 3 x 2 cells: free, occupied, unknown below; all free above.
MapData small() {
  MapData map;
  map.width = 3, map.height = 2, map.resolution = 0.5, map.origin = {1, -2, 0};
  map.cells = {0, 1, 2, 0, 0, 0};
  return map;
}

}  // namespace

TEST_CASE("a map is a grid with a byte a cell: 0 free, 100 occupied, -1 unknown, from its origin on") {
  Bytes out{9, 9};

  encode_grid(instant(2'500'000'000), small(), out);

  WireMessage grid(out);
  CHECK(grid.message(1).one(1).number == 2);
  CHECK(grid.message(1).one(2).number == 500'000'000);
  CHECK(grid.one(2).text() == "world");
  CHECK(grid.message(3).message(1).one(1).real() == 1);
  CHECK(grid.message(3).message(1).one(2).real() == -2);
  CHECK(grid.one(4).number == 3);
  CHECK(grid.message(5).one(1).real() == 0.5);
  CHECK(grid.one(6).number == 3);
  CHECK(grid.one(7).number == 1);
  CHECK(grid.message(8).one(1).text() == "occupancy");
  CHECK(grid.one(9).bytes == Bytes{0, 100, 255, 0, 0, 0});
}

TEST_CASE("a map with more cells than a message may have is coarser, and what is occupied stays so") {
  Bytes out;

  encode_grid(instant(0), small(), out, 2);

  WireMessage grid(out);
  CHECK(grid.one(4).number == 2);
  CHECK(grid.message(5).one(1).real() == 1);
  CHECK(grid.one(9).bytes == Bytes{100, 255});
}

}  // namespace grid_test
