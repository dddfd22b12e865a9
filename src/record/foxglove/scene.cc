#include "record/foxglove/scene.h"

#include <algorithm>
#include <cmath>

#include "record/foxglove/geometry.h"
#include "shapes/tessellate.h"

namespace convoy {
namespace {

// Fields of foxglove.SceneEntity.
enum : std::uint32_t { kCubes = 8, kSpheres = 9, kCylinders = 10, kTriangles = 12 };

void put_solid(Proto& p, std::uint32_t field, const Pose& X, const Vec3& size, const Color& color) {
  p.message(field, [&](Proto& m) {
    put_pose(m, 1, X);
    put_vector(m, 2, size);
    if (field == kCylinders) m.real(3, 1), m.real(4, 1), put_color(m, 5, color);
    else put_color(m, 3, color);
  });
}

void put_triangles(Proto& p, const Pose& X, const Mesh& mesh, const Color& color) {
  p.message(kTriangles, [&](Proto& m) {
    put_pose(m, 1, X);
    for (std::size_t i = 0; i < mesh.corner_count(); ++i) put_vector(m, 2, mesh.corner(i));  // a Point3 has its fields
    put_color(m, 3, color);
    m.data(5, mesh.triangles);
  });
}

struct Extent {
  Vec3 low, high;
};
Extent extent_of(const Mesh& mesh) {
  if (mesh.corner_count() == 0) return {};
  Extent out{mesh.corner(0), mesh.corner(0)};
  for (std::size_t i = 1; i < mesh.corner_count(); ++i) {
    const Vec3 c = mesh.corner(i);
    out.low = {std::min(out.low.x, c.x), std::min(out.low.y, c.y), std::min(out.low.z, c.z)};
    out.high = {std::max(out.high.x, c.x), std::max(out.high.y, c.y), std::max(out.high.z, c.z)};
  }
  return out;
}

void put_bounding_box(Proto& p, const Pose& X, const Mesh& mesh, const Color& color) {
  const Extent e = extent_of(mesh);
  put_solid(p, kCubes, X * Pose{0.5 * (e.low + e.high), {}}, e.high - e.low, color);
}

std::size_t triangles_in(const Terrain& t) { return 2 * (std::size_t{t.columns} - 1) * (std::size_t{t.rows} - 1); }

// Every so manyth point along each side, ends included.
Terrain thinned(const Terrain& t, std::size_t at_most) {
  Terrain out = t;
  while (triangles_in(out) > at_most && (out.columns > 2 || out.rows > 2))
    out.columns = std::max(2u, out.columns * 3 / 4), out.rows = std::max(2u, out.rows * 3 / 4);
  const auto point = [](std::uint32_t i, std::uint32_t of, std::uint32_t from) {
    return static_cast<std::size_t>(std::lround(static_cast<double>(i) * (from - 1) / (of - 1)));
  };
  out.heights.clear();
  for (std::uint32_t row = 0; row < out.rows; ++row)
    for (std::uint32_t column = 0; column < out.columns; ++column) {
      const std::size_t at = point(row, out.rows, t.rows) * t.columns + point(column, out.columns, t.columns);
      Writer(out.heights).raw(t.heights.data() + at * sizeof(float), sizeof(float));
    }
  return out;
}

}  // namespace

void SceneUpdate::remove(std::string_view id) {
  Proto(bytes_).message(1, [&](Proto& p) { put_time(p, 1, stamp_), p.text(3, id); });
}

void SceneUpdate::remove_all() {
  Proto(bytes_).message(1, [&](Proto& p) { put_time(p, 1, stamp_), p.integer(2, 1); });
}

void SceneUpdate::add(std::string_view id, std::string_view frame, const Shapes& all,
                      std::span<const PlacedShape> shapes) {
  Proto(bytes_).message(2, [&](Proto& p) {
    put_time(p, 1, stamp_);
    p.text(2, frame);
    p.text(3, id);
    p.integer(5, 1);  // locked to its frame
    for (const PlacedShape& placed : shapes) put(p, all, placed);
  });
}

void SceneUpdate::put(Proto& p, const Shapes& all, const PlacedShape& placed) {
  const Shape& shape = *placed.shape;
  const Vec3& s = shape.size;
  const Pose& X = placed.X_FS;
  switch (shape.kind) {
    case Shape::Kind::kSphere: return put_solid(p, kSpheres, X, {2 * s.x, 2 * s.x, 2 * s.x}, shape.color);
    case Shape::Kind::kEllipsoid: return put_solid(p, kSpheres, X, 2 * s, shape.color);
    case Shape::Kind::kBox: return put_solid(p, kCubes, X, 2 * s, shape.color);
    case Shape::Kind::kCylinder: return put_solid(p, kCylinders, X, {2 * s.x, 2 * s.x, 2 * s.y}, shape.color);
    case Shape::Kind::kCapsule:
      put_solid(p, kCylinders, X, {2 * s.x, 2 * s.x, 2 * s.y}, shape.color);
      for (const double end : {-s.y, s.y})
        put_solid(p, kSpheres, X * Pose{{0, 0, end}, {}}, {2 * s.x, 2 * s.x, 2 * s.x}, shape.color);
      return;
    case Shape::Kind::kPlane:
      return put_triangles(p, X, triangles_of(shape, all, {.endless = limits_.endless}), shape.color);
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: return put_surface(p, all, placed);
  }
}

void SceneUpdate::put_surface(Proto& p, const Shapes& all, const PlacedShape& placed) {
  const Shape& shape = *placed.shape;
  const std::size_t room = std::min(limits_.of_one, limits_.together);
  if (shape.kind == Shape::Kind::kMesh) {
    const Mesh& mesh = all.meshes[shape.data];
    if (mesh.triangle_count() > room) return put_bounding_box(p, placed.X_FS, mesh, shape.color);
    limits_.together -= mesh.triangle_count();
    return put_triangles(p, placed.X_FS, mesh, shape.color);
  }
  Shapes small;
  small.terrains.push_back(thinned(all.terrains[shape.data], room));
  Shape hills = shape;
  hills.data = 0;
  limits_.together -= std::min(limits_.together, triangles_in(small.terrains[0]));
  put_triangles(p, placed.X_FS, triangles_of(hills, small), shape.color);
}

}  // namespace convoy
