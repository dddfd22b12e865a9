#include "world/static_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/hash.h"
#include "core/math.h"

namespace convoy {
namespace {

constexpr double kFar = 1e30;             // clearance on an empty map, m
constexpr double kPaintTolerance = 1e-9;  // m
constexpr double kCountedOutside = 64;    // cells around the grid that solid_cells_under() still counts
constexpr double kMaxOrigin = 1e9;        // m
constexpr double kMinResolution = 1e-6, kMaxResolution = 1e6;  // m per cell

// Rounding a double to float errs by 2^-24 = 6e-8 at most, so this keeps the float below the double.
constexpr double kRoundDown = 1 - 1.2e-7;

// First pass of the distance transform: the number of cells between each cell's border and the nearest solid border in
// its column. Rows -1 and height are solid. A cell at a solid one has 0, and so has the solid one itself.
void transform_columns(const MapData& data, std::vector<float>& out) {
  const std::size_t width = data.width, height = data.height;
  std::vector<float> run(width, 0.0f);  // cells since the last solid one
  for (std::size_t row = 0; row < height; ++row) {
    const std::uint8_t* cell = data.cells.data() + row * width;
    float* o = out.data() + row * width;
    for (std::size_t col = 0; col < width; ++col) {
      o[col] = cell[col] != 0 ? 0.0f : run[col];
      run[col] = cell[col] != 0 ? 0.0f : run[col] + 1.0f;
    }
  }
  std::fill(run.begin(), run.end(), 0.0f);
  for (std::size_t row = height; row-- > 0;) {
    const std::uint8_t* cell = data.cells.data() + row * width;
    float* o = out.data() + row * width;
    for (std::size_t col = 0; col < width; ++col) {
      o[col] = cell[col] != 0 ? 0.0f : std::min(o[col], run[col]);
      run[col] = cell[col] != 0 ? 0.0f : run[col] + 1.0f;
    }
  }
}

// Second pass, for one row: the lower envelope of parabolas (Felzenszwalb & Huttenlocher 2012; integer form of Meijster
// et al. 2000). The distance of two cells' borders is the distance of their centres once the solid set is grown by one
// cell in all eight directions, so the row takes the least of three columns first.
class RowTransform {
 public:
  explicit RowTransform(std::size_t width) : squared_(width), site_(width), from_(width) {}

  void run(float* row, double resolution) {
    const auto width = static_cast<std::int64_t>(squared_.size());
    for (std::int64_t c = 0; c < width; ++c) {
      const float left = c > 0 ? row[c - 1] : 0.0f, right = c + 1 < width ? row[c + 1] : 0.0f;
      const auto g = static_cast<std::int64_t>(std::min(row[c], std::min(left, right)));
      squared_[at(c)] = g * g;
    }
    std::int64_t top = 0;
    site_[0] = 0;
    from_[0] = 0;
    for (std::int64_t u = 1; u < width; ++u) {
      while (top >= 0 && value(from_[at(top)], site_[at(top)]) > value(from_[at(top)], u)) --top;
      if (top < 0) {
        top = 0;
        site_[0] = u;
      } else {
        const std::int64_t first = 1 + meet(site_[at(top)], u);
        if (first < width) {
          ++top;
          site_[at(top)] = u;
          from_[at(top)] = first;
        }
      }
    }
    for (std::int64_t u = width - 1; u >= 0; --u) {
      const auto d = static_cast<double>(value(u, site_[at(top)]));
      row[u] = static_cast<float>(std::sqrt(d) * resolution * kRoundDown);
      if (u == from_[at(top)] && top > 0) --top;
    }
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  // Height at x of the parabola over column c.
  std::int64_t value(std::int64_t x, std::int64_t c) const { return (x - c) * (x - c) + squared_[at(c)]; }
  // Last column where the parabola over i is not above the one over u > i; never negative where it is asked for.
  std::int64_t meet(std::int64_t i, std::int64_t u) const {
    return (u * u - i * i + squared_[at(u)] - squared_[at(i)]) / (2 * (u - i));
  }

  std::vector<std::int64_t> squared_, site_, from_;
};

struct Bounds {
  double min_x, min_y, max_x, max_y;
};
Bounds bounds_of(const Vec2* corners, std::size_t count) {
  Bounds b{corners[0].x, corners[0].y, corners[0].x, corners[0].y};
  for (std::size_t i = 1; i < count; ++i) {
    b.min_x = std::min(b.min_x, corners[i].x), b.max_x = std::max(b.max_x, corners[i].x);
    b.min_y = std::min(b.min_y, corners[i].y), b.max_y = std::max(b.max_y, corners[i].y);
  }
  return b;
}

// Is there an edge of the polygon beyond which the whole cell lies? (The cell's own axes are the caller's business.)
bool separated(const Vec2* corners, std::size_t count, double left, double bottom, double size, double tolerance) {
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
    const double nx = b.y - a.y, ny = a.x - b.x;                                        // outward, not normalised
    const double x = nx > 0 ? left : left + size, y = ny > 0 ? bottom : bottom + size;  // the cell's nearest corner
    const double gap = nx * (x - a.x) + ny * (y - a.y);
    if (tolerance == 0 ? gap >= 0 : gap >= -tolerance * std::sqrt(nx * nx + ny * ny)) return true;
  }
  return false;
}

struct CellRange {
  std::int64_t first, last;  // inclusive
};
// The cells whose interior [low, high] reaches into.
CellRange cells_of(double low, double high, double inverse_resolution) {
  return {static_cast<std::int64_t>(std::floor(low * inverse_resolution)),
          static_cast<std::int64_t>(std::ceil(high * inverse_resolution)) - 1};
}

}  // namespace

Result<StaticMap> StaticMap::make(MapData data) {
  StaticMap map;
  if (data.width == 0 && data.height == 0 && data.cells.empty()) return map;
  if (data.width == 0 || data.height == 0 || data.width > kMaxMapSide || data.height > kMaxMapSide)
    return fail(ErrorCode::kInvalid, "a map's sides are 1 to " + std::to_string(kMaxMapSide) + " cells");
  const std::uint64_t count = std::uint64_t{data.width} * data.height;
  if (count > kMaxMapCells)
    return fail(ErrorCode::kInvalid, "a map has at most " + std::to_string(kMaxMapCells) + " cells");
  if (data.cells.size() != count)
    return fail(ErrorCode::kInvalid, "a map of " + std::to_string(count) + " cells comes with " +
                                         std::to_string(data.cells.size()) + " values");
  if (!(data.resolution >= kMinResolution && data.resolution <= kMaxResolution))
    return fail(ErrorCode::kInvalid, "a map's resolution is more than 0 and finite");
  if (!(data.wall_height >= 0 && data.wall_height <= kMaxWallHeight))
    return fail(ErrorCode::kInvalid, "a map's walls are at most 1000 m high");
  if (!(std::abs(data.origin.x) <= kMaxOrigin && std::abs(data.origin.y) <= kMaxOrigin &&
        std::abs(data.origin.yaw) <= kMaxOrigin))
    return fail(ErrorCode::kInvalid, "a map's origin is finite and not farther than 1e9");
  if (std::any_of(data.cells.begin(), data.cells.end(), [](std::uint8_t cell) { return cell > 2; }))
    return fail(ErrorCode::kInvalid, "a map's cells are 0 (free), 1 (occupied) or 2 (unknown)");

  map.data_ = std::move(data);
  map.hash_ = hash64(save(map.data_));
  math::sincos(map.data_.origin.yaw, map.sin_yaw_, map.cos_yaw_);
  map.inverse_resolution_ = 1 / map.data_.resolution;
  map.max_x_ = map.data_.width * map.data_.resolution;
  map.max_y_ = map.data_.height * map.data_.resolution;
  map.distance_.resize(count);
  transform_columns(map.data_, map.distance_);
  RowTransform rows(map.data_.width);
  for (std::size_t row = 0; row < map.data_.height; ++row)
    rows.run(map.distance_.data() + row * map.data_.width, map.data_.resolution);
  return map;
}

Vec2 StaticMap::to_map(double x, double y) const {
  const double dx = x - data_.origin.x, dy = y - data_.origin.y;
  return {cos_yaw_ * dx + sin_yaw_ * dy, cos_yaw_ * dy - sin_yaw_ * dx};
}

Vec2 StaticMap::to_world(double mx, double my) const {
  return {data_.origin.x + cos_yaw_ * mx - sin_yaw_ * my, data_.origin.y + sin_yaw_ * mx + cos_yaw_ * my};
}

double StaticMap::clearance(double mx, double my) const {
  if (empty()) return kFar;
  const double u = mx * inverse_resolution_, v = my * inverse_resolution_;
  if (!(u >= 0 && v >= 0 && u < data_.width && v < data_.height)) return 0;
  return static_cast<double>(distance_[static_cast<std::size_t>(v) * data_.width + static_cast<std::size_t>(u)]);
}

bool StaticMap::touches(const Vec2* corners, std::size_t count) const {
  if (empty() || count == 0) return false;
  const Bounds b = bounds_of(corners, count);
  if (!(b.min_x >= 0 && b.min_y >= 0 && b.max_x <= max_x_ && b.max_y <= max_y_)) return true;  // a corner is outside
  const double half_x = (b.max_x - b.min_x) / 2, half_y = (b.max_y - b.min_y) / 2;
  const double free = clearance(b.min_x + half_x, b.min_y + half_y);
  if (free * free > half_x * half_x + half_y * half_y) return false;

  CellRange cols = cells_of(b.min_x, b.max_x, inverse_resolution_);
  CellRange rows = cells_of(b.min_y, b.max_y, inverse_resolution_);
  cols.last = std::min<std::int64_t>(cols.last, data_.width - 1);
  rows.last = std::min<std::int64_t>(rows.last, data_.height - 1);
  for (std::int64_t row = rows.first; row <= rows.last; ++row) {
    const std::uint8_t* cell = data_.cells.data() + static_cast<std::size_t>(row) * data_.width;
    for (std::int64_t col = cols.first; col <= cols.last; ++col) {
      if (cell[col] == 0) continue;
      const double left = static_cast<double>(col) * data_.resolution;
      const double bottom = static_cast<double>(row) * data_.resolution;
      if (!separated(corners, count, left, bottom, data_.resolution, 0)) return true;
    }
  }
  return false;
}

std::size_t StaticMap::solid_cells_under(const Vec2* corners, std::size_t count) const {
  if (empty() || count == 0) return 0;
  const Bounds b = bounds_of(corners, count);
  const double ring = kCountedOutside * data_.resolution;
  const auto near = [ring](double x, double end) { return std::min(std::max(x, -ring), end + ring); };
  const CellRange cols = cells_of(near(b.min_x, max_x_), near(b.max_x, max_x_), inverse_resolution_);
  const CellRange rows = cells_of(near(b.min_y, max_y_), near(b.max_y, max_y_), inverse_resolution_);
  std::size_t found = 0;
  for (std::int64_t row = rows.first; row <= rows.last; ++row)
    for (std::int64_t col = cols.first; col <= cols.last; ++col)
      if (solid_cell(col, row) && !separated(corners, count, static_cast<double>(col) * data_.resolution,
                                             static_cast<double>(row) * data_.resolution, data_.resolution, 0))
        ++found;
  return found;
}

namespace {

// One axis of a walk through the grid along a ray. Line i is crossed at (i * resolution - start) / direction: taken from
// i afresh, so that it does not matter by which way the walk came there.
struct Axis {
  Axis(double start, double direction, double resolution, double inverse_resolution)
      : start(start),
        direction(direction),
        resolution(resolution),
        inverse_resolution(inverse_resolution),
        inverse(direction != 0 ? 1 / direction : 0),
        step(direction > 0 ? 1 : -1),
        ahead(direction > 0 ? 1 : 0),
        cell(static_cast<std::int64_t>(start * inverse_resolution)) {}  // start >= 0

  // Where the ray leaves the given cell along this axis.
  double leaves(std::int64_t c) const {
    if (direction == 0) return kFar;
    return (static_cast<double>(c + ahead) * resolution - start) * inverse;
  }
  // Goes to the cell that a walk has reached when it has made all its crossings up to t.
  void jump(double t) {
    if (direction == 0) return;
    auto c = static_cast<std::int64_t>((start + direction * t) * inverse_resolution);  // nearly: the rest follows
    if ((c - cell) * step < 0) c = cell;
    while (leaves(c) <= t) c += step;
    while (c != cell && leaves(c - step) > t) c -= step;
    cell = c;
  }

  double start, direction, resolution, inverse_resolution, inverse;
  std::int64_t step, ahead, cell;
};

}  // namespace

double StaticMap::ray(double x, double y, double dir_x, double dir_y, double max_range) const {
  if (empty()) return max_range;
  const Vec2 from = to_map(x, y);
  if (!(from.x >= 0 && from.y >= 0 && from.x < max_x_ && from.y < max_y_)) return 0;
  Axis u(from.x, cos_yaw_ * dir_x + sin_yaw_ * dir_y, data_.resolution, inverse_resolution_);
  Axis v(from.y, cos_yaw_ * dir_y - sin_yaw_ * dir_x, data_.resolution, inverse_resolution_);
  const double worth_a_jump = 3 * data_.resolution;
  const std::int64_t width = data_.width, height = data_.height;
  double t = 0;
  while (t <= max_range) {
    if (u.cell < 0 || v.cell < 0 || u.cell >= width || v.cell >= height) return t;
    const std::size_t index = static_cast<std::size_t>(v.cell * width + u.cell);
    const double free = static_cast<double>(distance_[index]);
    if (free > worth_a_jump) {
      t += free;  // less than the distance by 1e-7 of it: no solid cell is even touched until there
      u.jump(t);
      v.jump(t);
      continue;
    }
    if (free == 0 && data_.cells[index] != 0) return t;
    const double tu = u.leaves(u.cell), tv = v.leaves(v.cell);
    if (tu >= kFar && tv >= kFar) return max_range;  // no direction at all
    if (tu <= tv) u.cell += u.step, t = tu;
    else v.cell += v.step, t = tv;
  }
  return max_range;
}

void paint(MapData& map, const BoxShape& box) {
  EXPECTS(map.cells.size() == std::uint64_t{map.width} * map.height);
  double s, c, ms, mc;
  math::sincos(box.yaw - map.origin.yaw, s, c);
  math::sincos(map.origin.yaw, ms, mc);
  const double dx = box.x - map.origin.x, dy = box.y - map.origin.y;
  const double x = mc * dx + ms * dy, y = mc * dy - ms * dx;
  Vec2 corners[4];
  const double half_l = box.length / 2, half_w = box.width / 2;
  const Vec2 local[4] = {{-half_l, -half_w}, {half_l, -half_w}, {half_l, half_w}, {-half_l, half_w}};
  for (int i = 0; i < 4; ++i) corners[i] = {x + c * local[i].x - s * local[i].y, y + s * local[i].x + c * local[i].y};
  const Bounds b = bounds_of(corners, 4);
  const double max_x = map.width * map.resolution, max_y = map.height * map.resolution;
  if (!(b.max_x > 0 && b.max_y > 0 && b.min_x < max_x && b.min_y < max_y)) return;

  const double inverse = 1 / map.resolution;
  const CellRange cols =
      cells_of(std::max(0.0, b.min_x + kPaintTolerance), std::min(max_x, b.max_x - kPaintTolerance), inverse);
  const CellRange rows =
      cells_of(std::max(0.0, b.min_y + kPaintTolerance), std::min(max_y, b.max_y - kPaintTolerance), inverse);
  for (std::int64_t row = rows.first; row <= std::min<std::int64_t>(rows.last, map.height - 1); ++row)
    for (std::int64_t col = cols.first; col <= std::min<std::int64_t>(cols.last, map.width - 1); ++col)
      if (!separated(corners, 4, static_cast<double>(col) * map.resolution, static_cast<double>(row) * map.resolution,
                     map.resolution, kPaintTolerance))
        map.cells[static_cast<std::size_t>(row) * map.width + static_cast<std::size_t>(col)] = 1;
}

void paint(MapData& map, const CylinderShape& cylinder) {
  EXPECTS(map.cells.size() == std::uint64_t{map.width} * map.height);
  double ms, mc;
  math::sincos(map.origin.yaw, ms, mc);
  const double dx = cylinder.x - map.origin.x, dy = cylinder.y - map.origin.y;
  const double x = mc * dx + ms * dy, y = mc * dy - ms * dx, r = cylinder.radius - kPaintTolerance;
  const double max_x = map.width * map.resolution, max_y = map.height * map.resolution;
  if (!(r > 0 && x + r > 0 && y + r > 0 && x - r < max_x && y - r < max_y)) return;

  const double inverse = 1 / map.resolution;
  const CellRange cols = cells_of(std::max(0.0, x - r), std::min(max_x, x + r), inverse);
  const CellRange rows = cells_of(std::max(0.0, y - r), std::min(max_y, y + r), inverse);
  for (std::int64_t row = rows.first; row <= std::min<std::int64_t>(rows.last, map.height - 1); ++row)
    for (std::int64_t col = cols.first; col <= std::min<std::int64_t>(cols.last, map.width - 1); ++col) {
      const double left = static_cast<double>(col) * map.resolution, bottom = static_cast<double>(row) * map.resolution;
      const double gx = std::max({left - x, x - left - map.resolution, 0.0});
      const double gy = std::max({bottom - y, y - bottom - map.resolution, 0.0});
      if (gx * gx + gy * gy < r * r)
        map.cells[static_cast<std::size_t>(row) * map.width + static_cast<std::size_t>(col)] = 1;
    }
}

}  // namespace convoy
