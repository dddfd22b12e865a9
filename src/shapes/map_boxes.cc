#include "shapes/map_boxes.h"

#include <algorithm>

namespace convoy {

namespace {

constexpr double kFrame = 1.0;  // m; thickness of the walls around the grid

}  // namespace

// The inside of a wall is never touched, nor seen.
std::vector<char> shell_of(const StaticMap& map) {
  const std::int64_t w = map.data().width, h = map.data().height;
  std::vector<char> near_free(static_cast<std::size_t>(w * h)), across(near_free.size());
  const auto at = [&](std::int64_t col, std::int64_t row) { return static_cast<std::size_t>(row * w + col); };
  for (std::int64_t row = 0; row < h; ++row)  // first along rows, then along columns: a square around each cell
    for (std::int64_t col = 0; col < w; ++col)
      if (!map.solid_cell(col, row))
        for (std::int64_t c = std::max<std::int64_t>(0, col - kMapShell); c <= std::min(w - 1, col + kMapShell); ++c)
          across[at(c, row)] = 1;
  for (std::int64_t row = 0; row < h; ++row)
    for (std::int64_t col = 0; col < w; ++col)
      if (across[at(col, row)])
        for (std::int64_t r = std::max<std::int64_t>(0, row - kMapShell); r <= std::min(h - 1, row + kMapShell); ++r)
          near_free[at(col, r)] = 1;
  for (std::int64_t row = 0; row < h; ++row)
    for (std::int64_t col = 0; col < w; ++col)
      if (!map.solid_cell(col, row)) near_free[at(col, row)] = 0;
  return near_free;
}

std::vector<MapBox> merged(std::vector<char> left, std::size_t w, double cell, std::size_t at_most) {
  std::vector<MapBox> boxes;
  const std::size_t h = w > 0 ? left.size() / w : 0;
  for (std::size_t row = 0; row < h; ++row) {
    for (std::size_t col = 0; col < w; ++col) {
      if (!left[row * w + col]) continue;
      std::size_t end = col;
      while (end < w && left[row * w + end]) ++end;
      std::size_t top = row + 1;  // the same run in the rows above
      const auto whole = [&](std::size_t r) {
        return std::all_of(left.begin() + static_cast<std::ptrdiff_t>(r * w + col),
                           left.begin() + static_cast<std::ptrdiff_t>(r * w + end), [](char c) { return c != 0; });
      };
      while (top < h && whole(top)) ++top;
      for (std::size_t r = row; r < top; ++r)
        std::fill_n(left.begin() + static_cast<std::ptrdiff_t>(r * w + col), end - col, char{0});
      boxes.push_back({static_cast<double>(col) * cell, static_cast<double>(row) * cell,
                       static_cast<double>(end) * cell, static_cast<double>(top) * cell});
      if (boxes.size() > at_most) return boxes;
    }
  }
  return boxes;
}

Result<std::vector<MapBox>> map_boxes(const StaticMap& map) {
  if (map.empty()) return std::vector<MapBox>{};
  const std::size_t w = map.data().width, h = map.data().height;
  const double cell = map.data().resolution;
  std::vector<MapBox> boxes = merged(shell_of(map), w, cell, kMaxMapBoxes);
  if (boxes.size() > kMaxMapBoxes)
    return fail(ErrorCode::kUnsupported,
                "the map's solid cells make more than 20000 boxes, too many for MuJoCo robots; "
                "use a coarser or a cleaner map");
  const double x = static_cast<double>(w) * cell, y = static_cast<double>(h) * cell;
  boxes.push_back({-kFrame, -kFrame, x + kFrame, 0});
  boxes.push_back({-kFrame, y, x + kFrame, y + kFrame});
  boxes.push_back({-kFrame, 0, 0, y});
  boxes.push_back({x, 0, x + kFrame, y});
  return boxes;
}

}  // namespace convoy
