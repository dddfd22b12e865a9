#include "scenario/ground.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenario/ros_map.h"

namespace convoy::scenario {

namespace {

namespace fs = std::filesystem;

// Whole cells that cover a length; a length that is a multiple but for rounding takes no further one.
double cells_for(double length, double resolution) { return std::ceil(length / resolution - 1e-6); }

Result<std::string> find_map(const std::string& name, const MapSearch& search, const std::string& where) {
  std::vector<std::string> tried;
  const auto try_in = [&](const fs::path& dir) {
    tried.push_back((dir / name).string());  // an absolute name stays as it is
    std::error_code ignored;
    // warehouse.yaml may name a map warehouse.yaml: it does not mean itself.
    return fs::exists(tried.back(), ignored) && !fs::equivalent(tried.back(), search.scenario, ignored);
  };
  if (try_in(search.base_dir)) return tried.back();
  if (!fs::path(name).is_absolute())
    for (const std::string& dir : search.map_path)
      if (try_in(dir)) return tried.back();
  return fail(ErrorCode::kNotFound, fmt::format("no map '{}'; looked for {}", name, fmt::join(tried, ", ")), where);
}

}  // namespace

Result<MapData> plain_ground(const Ground& ground) {
  const double inner[2] = {cells_for(ground.size[0], ground.resolution), cells_for(ground.size[1], ground.resolution)};
  const double wall = cells_for(ground.wall_thickness, ground.resolution);
  const double side[2] = {inner[0] + 2 * wall, inner[1] + 2 * wall};
  const double limit = kMaxMapSide;
  if (side[0] > limit || side[1] > limit || side[0] * side[1] > static_cast<double>(kMaxMapCells))
    return fail(ErrorCode::kInvalid, fmt::format("{} x {} cells; allowed: {} a side, {} in all", side[0], side[1],
                                                 kMaxMapSide, kMaxMapCells));
  MapData map;
  map.width = static_cast<std::uint32_t>(side[0]);
  map.height = static_cast<std::uint32_t>(side[1]);
  map.resolution = ground.resolution;
  map.origin = {-side[0] * ground.resolution / 2, -side[1] * ground.resolution / 2, 0};
  map.cells.assign(std::size_t{map.width} * map.height, 1);
  const auto border = static_cast<std::size_t>(wall);
  for (std::size_t row = border; row < map.height - border; ++row)
    std::fill_n(map.cells.begin() + static_cast<std::ptrdiff_t>(row * map.width + border), map.width - 2 * border, 0);
  return map;
}

std::vector<BoxShape> walls_of(const Ground& ground) {
  if (ground.wall_thickness == 0) return {};
  const double x = cells_for(ground.size[0], ground.resolution) * ground.resolution;
  const double y = cells_for(ground.size[1], ground.resolution) * ground.resolution;
  const double t = cells_for(ground.wall_thickness, ground.resolution) * ground.resolution;
  const double h = ground.wall_height;
  return {{0, -(y + t) / 2, 0, x + 2 * t, t, h},
          {0, (y + t) / 2, 0, x + 2 * t, t, h},
          {-(x + t) / 2, 0, 0, t, y, h},
          {(x + t) / 2, 0, 0, t, y, h}};
}

Status make_ground(Draft& draft, const MapSearch& search, std::vector<std::string>& warnings) {
  const WorldDraft& world = draft.world;
  Setup& setup = draft.setup;
  std::vector<BoxShape> walls;
  if (!world.map.empty()) {
    const Result<std::string> path = find_map(world.map, search, world.map_where);
    if (!path) return tl::unexpected(path.error());
    Result<MapData> map = load_map(*path, warnings);
    if (!map) return tl::unexpected(map.error());
    setup.map = std::move(*map);
    setup.map.wall_height = world.map_height;
  } else if (world.ground) {
    Result<MapData> map = plain_ground(*world.ground);
    if (!map) return fail(ErrorCode::kInvalid, map.error().text, world.ground_where);
    setup.map = std::move(*map);
    walls = walls_of(*world.ground);
  } else if (!world.shapes_where.empty()) {
    return fail(ErrorCode::kInvalid, "shapes need a map or a ground to stand on", world.shapes_where);
  }
  for (const BoxShape& box : setup.boxes) paint(setup.map, box);
  for (const CylinderShape& cylinder : setup.cylinders) paint(setup.map, cylinder);
  setup.boxes.insert(setup.boxes.begin(), walls.begin(), walls.end());
  return {};
}

}  // namespace convoy::scenario
