#include "shapes/slice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/math.h"
#include "core/pose.h"
#include "shapes/map_boxes.h"
#include "shapes/tessellate.h"
#include "world/state.h"

namespace convoy {

namespace {

constexpr double kTolerance = 1e-9;  // m; as paint() of boxes has it

// Part of an outline, in cells of the map; what is inside lies to its left.
struct Edge {
  Vec2 from, to;
};

class Canvas {
 public:
  explicit Canvas(MapData& map) : map_(map), tolerance_(kTolerance / map.resolution) {
    math::sincos(map.origin.yaw, sine_, cosine_);
  }

  Vec2 to_cells(const Vec3& p) const {
    const double x = p.x - map_.origin.x, y = p.y - map_.origin.y;
    return {(cosine_ * x + sine_ * y) / map_.resolution, (cosine_ * y - sine_ * x) / map_.resolution};
  }

  // Cells that an edge runs through, a nanometre inside: what only touches a cell does not reach it.
  void draw(Edge edge) {
    const double dx = edge.to.x - edge.from.x, dy = edge.to.y - edge.from.y, length = std::sqrt(dx * dx + dy * dy);
    if (length == 0) return;
    const Vec2 in{-2 * tolerance_ * dy / length, 2 * tolerance_ * dx / length};
    edge.from.x += in.x, edge.from.y += in.y, edge.to.x += in.x, edge.to.y += in.y;
    const Vec2 &a = edge.from.y <= edge.to.y ? edge.from : edge.to, &b = edge.from.y <= edge.to.y ? edge.to : edge.from;
    const auto across = [&](double y) {
      return b.y - a.y < tolerance_ ? a.x : a.x + (b.x - a.x) * std::clamp((y - a.y) / (b.y - a.y), 0.0, 1.0);
    };
    for (std::int64_t row = first(a.y); row <= last(b.y, a.y, map_.height); ++row) {
      const auto low = static_cast<double>(row);
      double x0 = across(low), x1 = across(low + 1);
      if (b.y - a.y < tolerance_) x0 = a.x, x1 = b.x;
      mark(row, std::min(x0, x1), std::max(x0, x1));
    }
  }

  // Cells whose middle is inside of closed outlines, which may overlap.
  void fill(const std::vector<Edge>& edges) {
    struct Crossing {
      double x;
      int turns;
    };
    std::vector<std::vector<Crossing>> rows(map_.height);
    for (const Edge& e : edges) {
      const double low = std::min(e.from.y, e.to.y), high = std::max(e.from.y, e.to.y);
      for (auto row = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(low - 0.5)));
           row < map_.height && static_cast<double>(row) + 0.5 < high; ++row) {
        const double y = static_cast<double>(row) + 0.5;
        if (y < low) continue;
        const double x = e.from.x + (e.to.x - e.from.x) * (y - e.from.y) / (e.to.y - e.from.y);
        rows[static_cast<std::size_t>(row)].push_back({x, e.to.y > e.from.y ? 1 : -1});
      }
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::sort(rows[row].begin(), rows[row].end(), [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
      int turns = 0;
      for (std::size_t i = 0; i + 1 < rows[row].size(); ++i) {
        turns += rows[row][i].turns;
        if (turns != 0) fill_row(static_cast<std::int64_t>(row), rows[row][i].x, rows[row][i + 1].x);
      }
    }
  }

 private:
  std::int64_t first(double y) const {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(std::max(-1.0, y + tolerance_))));
  }
  // The last row that an edge from `low` to `y` is in, though it may end where that row begins.
  std::int64_t last(double y, double low, std::uint32_t height) const {
    const double end = y - low < tolerance_ ? y + tolerance_ : y - tolerance_;
    return std::min<std::int64_t>(height - 1, static_cast<std::int64_t>(std::floor(std::min(end, 1e9))));
  }
  void mark(std::int64_t row, double x0, double x1) {
    for (std::int64_t col = first(x0); col <= last(x1, x0, map_.width); ++col) set(row, col);
  }
  void fill_row(std::int64_t row, double x0, double x1) {
    const double low = std::max(0.0, std::ceil(x0 - 0.5)), high = std::min<double>(map_.width - 1, x1 - 0.5);
    for (double col = low; col <= high; ++col) set(row, static_cast<std::int64_t>(col));
  }
  void set(std::int64_t row, std::int64_t col) {
    map_.cells[static_cast<std::size_t>(row) * map_.width + static_cast<std::size_t>(col)] = 1;
  }

  MapData& map_;
  double tolerance_, sine_ = 0, cosine_ = 1;
};

using Triangle = std::array<Vec3, 3>;

// Where the level plane at z passes through a triangle's edge.
Vec3 crossing(const Vec3& a, const Vec3& b, double z) { return a + ((z - a.z) / (b.z - a.z)) * (b - a); }

// Where it passes through a triangle of a closed surface, with the inside to the left.
void cut(const Triangle& t, double z, const Canvas& canvas, std::vector<Edge>& out) {
  std::vector<Vec3> down, up;  // where the outline of the triangle passes the plane, by its way
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 &a = t[i], &b = t[(i + 1) % 3];
    if ((a.z > z) == (b.z > z)) continue;
    (a.z > z ? down : up).push_back(crossing(a, b, z));
  }
  if (down.size() == 1 && up.size() == 1) out.push_back({canvas.to_cells(down[0]), canvas.to_cells(up[0])});
}

// The part of a triangle of terrain that is above the plane, as seen from above.
void cut_terrain(const Triangle& t, double z, const Canvas& canvas, std::vector<Edge>& out) {
  std::vector<Vec2> corners;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 &a = t[i], &b = t[(i + 1) % 3];
    if (a.z > z) corners.push_back(canvas.to_cells(a));
    if ((a.z > z) != (b.z > z)) corners.push_back(canvas.to_cells(crossing(a, b, z)));
  }
  for (std::size_t i = 0; i < corners.size(); ++i) out.push_back({corners[i], corners[(i + 1) % corners.size()]});
}

void paint_one(MapData& map, const Shape& shape, const Shapes& all, const Pose& X_WS, double height) {
  if (shape.kind == Shape::Kind::kPlane) return;
  const bool upright = X_WS.q.x == 0 && X_WS.q.y == 0;
  const double half = shape.kind == Shape::Kind::kBox ? shape.size.z : shape.size.y;
  const bool cuts = std::fabs(height - X_WS.p.z) <= half;
  if (upright && shape.kind == Shape::Kind::kBox) {
    if (cuts)
      paint(map, BoxShape{X_WS.p.x, X_WS.p.y, yaw_of(X_WS.q), 2 * shape.size.x, 2 * shape.size.y, 2 * shape.size.z});
    return;
  }
  if (upright && shape.kind == Shape::Kind::kCylinder) {
    if (cuts) paint(map, CylinderShape{X_WS.p.x, X_WS.p.y, shape.size.x, 2 * shape.size.y});
    return;
  }
  const Mesh mesh = triangles_of(shape, all, {.around = 64});
  Canvas canvas(map);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    Triangle t;
    for (std::size_t k = 0; k < 3; ++k) t[k] = (X_WS * Pose{mesh.corner(mesh.triangle(i)[k]), {}}).p;
    if (shape.kind == Shape::Kind::kTerrain) cut_terrain(t, height, canvas, edges);
    else cut(t, height, canvas, edges);
  }
  for (const Edge& edge : edges) canvas.draw(edge);
  canvas.fill(edges);
}

// The same ground in cells of that size.
Result<MapData> blank(const MapData& from, double resolution) {
  MapData out;
  out.origin = from.origin, out.resolution = resolution;
  const double side[] = {std::ceil(from.width * from.resolution / resolution - 1e-6),
                         std::ceil(from.height * from.resolution / resolution - 1e-6)};
  if (side[0] > kMaxMapSide || side[1] > kMaxMapSide || side[0] * side[1] > static_cast<double>(kMaxMapCells))
    return fail(ErrorCode::kInvalid, "so small cells would be too many: at most 20000 a side, and 64000000 in all");
  out.width = static_cast<std::uint32_t>(side[0]), out.height = static_cast<std::uint32_t>(side[1]);
  out.cells.assign(std::size_t{out.width} * out.height, 0);
  return out;
}

}  // namespace

void paint_slice(MapData& map, const Shapes& shapes, std::span<const Pose> X_WL, double height) {
  for (const Shape& shape : shapes.shapes)
    if (shape.visible || shape.solid) paint_one(map, shape, shapes, X_WL[shape.link] * shape.X_LS, height);
}

Result<MapData> map_of_scene(const Scenery& scenery, const ModelFiles& files, double height, double resolution) {
  if (!scenery.map || scenery.map->cells.empty())
    return fail(ErrorCode::kInvalid, "the world has no map, no ground and no file: there is nothing to draw a map of");
  Scenery whole = scenery;
  whole.inside_of_walls = true;
  const auto scene = shapes_of_scene(whole, files);
  if (!scene) return tl::unexpected(scene.error());
  auto out = blank(*scenery.map, resolution > 0 ? resolution : scenery.map->resolution);
  if (!out) return out;
  std::vector<Pose> X_WL;
  place_links(*scene, {}, X_WL);
  paint_slice(*out, *scene, X_WL, height);
  if (out->resolution == scenery.map->resolution)
    for (std::size_t i = 0; i < out->cells.size(); ++i)
      if (scenery.map->cells[i] == 2) out->cells[i] = 2;
  return out;
}

}  // namespace convoy
