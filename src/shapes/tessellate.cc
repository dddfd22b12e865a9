#include "shapes/tessellate.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/math.h"

namespace convoy {

namespace {

// Rings about z, from the bottom up, each of `around` corners; the first and the last may be points.
class Rings {
 public:
  explicit Rings(std::uint32_t around) : around_(around) { EXPECTS(around >= 3); }

  // Its corners are `x` times the cosine, `y` times the sine, at height z.
  void add(double x, double y, double z) {
    const bool point = x == 0 && y == 0;
    const std::uint32_t first = count_, corners = point ? 1 : around_;
    for (std::uint32_t i = 0; i < corners; ++i) {
      double s = 0, c = 1;
      math::sincos(2 * math::kPi * i / around_, s, c);
      add_corner(out_, x * c, y * s, z);
    }
    count_ += corners;
    if (first > 0) join(before_, first);
    before_ = first;
  }
  Mesh take() { return std::move(out_); }

 private:
  void join(std::uint32_t low, std::uint32_t high) {
    const bool from_point = high - low == 1, to_point = count_ - high == 1;
    for (std::uint32_t i = 0; i < around_; ++i) {
      const std::uint32_t next = (i + 1) % around_;
      if (!from_point) add_triangle(out_, low + i, low + next, high + (to_point ? 0 : next));
      if (!to_point) add_triangle(out_, low + (from_point ? 0 : i), high + next, high + i);
    }
  }

  std::uint32_t around_, count_ = 0, before_ = 0;
  Mesh out_;
};

// Half of a sphere of radii x, y and z about height `at`: its rings above it, or below.
void add_cap(Rings& rings, const Vec3& radii, double at, bool above, std::uint32_t steps) {
  for (std::uint32_t i = 0; i <= steps; ++i) {
    double s = 0, c = 1;
    math::sincos(math::kPi / 2 * (above ? i : steps - i) / steps, s, c);
    if (i == (above ? steps : 0)) s = 1, c = 0;
    rings.add(radii.x * c, radii.y * c, at + (above ? s : -s) * radii.z);
  }
}

Mesh ellipsoid(const Vec3& radii, std::uint32_t around) {
  Rings rings(around);
  const std::uint32_t steps = std::max(2u, around / 4);
  for (std::uint32_t i = 0; i <= 2 * steps; ++i) {
    double s = 0, c = 1;
    math::sincos(math::kPi * i / (2 * steps), s, c);
    if (i == 0 || i == 2 * steps) s = 0;
    rings.add(radii.x * s, radii.y * s, -radii.z * c);
  }
  return rings.take();
}

Mesh capsule(double radius, double half, std::uint32_t around) {
  Rings rings(around);
  const std::uint32_t steps = std::max(2u, around / 4);
  add_cap(rings, {radius, radius, radius}, -half, false, steps);
  add_cap(rings, {radius, radius, radius}, half, true, steps);
  return rings.take();
}

Mesh cylinder(double radius, double half, std::uint32_t around) {
  Rings rings(around);
  rings.add(0, 0, -half), rings.add(radius, radius, -half), rings.add(radius, radius, half), rings.add(0, 0, half);
  return rings.take();
}

Mesh box(const Vec3& half) {
  Mesh out;
  for (int i = 0; i < 8; ++i)
    add_corner(out, i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  constexpr std::array<std::array<std::uint32_t, 4>, 6> kFaces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& [a, b, c, d] : kFaces) add_triangle(out, a, b, c), add_triangle(out, a, c, d);
  return out;
}

Mesh plane(double x, double y) {
  Mesh out;
  add_corner(out, -x, -y, 0), add_corner(out, x, -y, 0), add_corner(out, x, y, 0), add_corner(out, -x, y, 0);
  add_triangle(out, 0, 1, 2), add_triangle(out, 0, 2, 3);
  return out;
}

// In the middle of its frame.
Vec3 point_of(const Terrain& t, std::uint32_t column, std::uint32_t row) {
  return {t.half_x * (2.0 * column / (t.columns - 1) - 1), t.half_y * (2.0 * row / (t.rows - 1) - 1),
          t.height(column, row)};
}

// Its upper side.
Mesh hills(const Terrain& t) {
  Mesh out;
  for (std::uint32_t row = 0; row < t.rows; ++row)
    for (std::uint32_t column = 0; column < t.columns; ++column) {
      const Vec3 p = point_of(t, column, row);
      add_corner(out, p.x, p.y, p.z);
    }
  for (std::uint32_t row = 0; row + 1 < t.rows; ++row)
    for (std::uint32_t column = 0; column + 1 < t.columns; ++column) {
      const std::uint32_t a = row * t.columns + column, b = a + 1, c = a + t.columns, d = c + 1;
      add_triangle(out, a, b, d), add_triangle(out, a, d, c);
    }
  return out;
}

}  // namespace

bool is_round(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::kSphere:
    case Shape::Kind::kCapsule:
    case Shape::Kind::kEllipsoid: return true;
    case Shape::Kind::kPlane:
    case Shape::Kind::kCylinder:  // its edges are sharp
    case Shape::Kind::kBox:
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: return false;
  }
  return false;
}

Mesh triangles_of(const Shape& shape, const Shapes& all, const Tessellation& how) {
  const Vec3& s = shape.size;
  const auto edge = [&](double half) { return half > 0 ? half : how.endless; };
  switch (shape.kind) {
    case Shape::Kind::kPlane: return plane(edge(s.x), edge(s.y));
    case Shape::Kind::kSphere: return ellipsoid({s.x, s.x, s.x}, how.around);
    case Shape::Kind::kCapsule: return capsule(s.x, s.y, how.around);
    case Shape::Kind::kEllipsoid: return ellipsoid(s, how.around);
    case Shape::Kind::kCylinder: return cylinder(s.x, s.y, how.around);
    case Shape::Kind::kBox: return box(s);
    case Shape::Kind::kMesh: return all.meshes[shape.data];
    case Shape::Kind::kTerrain: return hills(all.terrains[shape.data]);
  }
  return {};
}

std::vector<std::array<Vec3, 3>> surface_of(const Shape& shape, const Shapes& all) {
  std::vector<std::array<Vec3, 3>> out;
  if (shape.kind == Shape::Kind::kMesh) {
    const Mesh& mesh = all.meshes[shape.data];
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const auto t = mesh.triangle(i);
      out.push_back({mesh.corner(t[0]), mesh.corner(t[1]), mesh.corner(t[2])});
    }
  } else if (shape.kind == Shape::Kind::kTerrain) {
    const Terrain& t = all.terrains[shape.data];
    for (std::uint32_t row = 0; row + 1 < t.rows; ++row)
      for (std::uint32_t column = 0; column + 1 < t.columns; ++column) {
        const Vec3 a = point_of(t, column, row), b = point_of(t, column + 1, row), c = point_of(t, column, row + 1),
                   d = point_of(t, column + 1, row + 1);
        out.push_back({a, b, d}), out.push_back({a, d, c});
      }
  }
  return out;
}

}  // namespace convoy
