#include "render/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/math.h"
#include "core/pose.h"

namespace convoy::render {

namespace {

using Triangle = std::array<std::uint32_t, 3>;

constexpr double kCrease = 0.7;  // the cosine of the angle up to which an edge looks round
constexpr std::size_t kMostAround =
    64;  // triangles at a corner that are looked at, so that a wheel of a million is no trap
constexpr std::size_t kExactTriangles = 1024;  // of a mesh whose triangles may be large, and get their planes

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 direction(const Vec3& v) {
  const double n = norm(v);
  return n > 0 ? (1 / n) * v : Vec3{};
}

void add_face(Geometry& out, const std::array<Vec3, 4>& p, const Vec3& n) {
  for (const std::size_t i : {0, 1, 2, 0, 2, 3}) out.corners.push_back({floats(p[i]), 0, floats(n), floats(n), {}});
}

// Of a body of revolution about z: rings of corners, and triangles between neighbours.
class Rings {
 public:
  explicit Rings(std::uint32_t around) : around_(around) {}
  void add(double radius, double z, float shift, const Vec3& flat, double n_radius, double n_z) {
    const auto first = static_cast<std::uint32_t>(out_.corners.size());
    for (std::uint32_t i = 0; i < around_; ++i) {
      double s = 0, c = 1;
      math::sincos(2 * math::kPi * i / around_, s, c);
      out_.corners.push_back(
          {floats({radius * c, radius * s, z}), shift, floats(flat), floats({n_radius * c, n_radius * s, n_z}), {}});
    }
    for (std::uint32_t i = 0; joined_ && i < around_; ++i) {
      const std::uint32_t a = first - around_ + i, b = first - around_ + (i + 1) % around_;
      // At a pole the corners of a ring are one.
      if (before_ > 0) out_.indices.insert(out_.indices.end(), {a, b, b + around_});
      if (radius > 0) out_.indices.insert(out_.indices.end(), {a, b + around_, a + around_});
    }
    before_ = radius;
    joined_ = true;
  }
  void part() { joined_ = false; }
  Geometry take() { return std::move(out_); }

 private:
  std::uint32_t around_;
  bool joined_ = false;
  double before_ = 0;  // the radius of the last ring
  Geometry out_;
};

Geometry ball(std::uint32_t level, bool apart) {
  const std::uint32_t around = kSides[level], steps = around / 4;
  Rings rings(around);
  for (std::uint32_t half = 0; half < 2; ++half) {
    if (!apart && half == 1) rings.part();
    for (std::uint32_t i = 0; i <= steps; ++i) {
      double s = 0, c = 1;
      math::sincos(math::kPi / 2 * i / steps, s, c);
      if (i == steps) s = 1, c = 0;
      const double r = half == 0 ? s : c, z = half == 0 ? -c : s;
      rings.add(r, z, half == 0 ? -1 : 1, {}, r, z);
    }
  }
  return rings.take();
}

// Triangles of a mesh, and what meets at each place.
class Surface {
 public:
  Surface(std::vector<Vec3> corners, std::vector<Triangle> triangles)
      : corners_(std::move(corners)), triangles_(std::move(triangles)) {
    find_places();
    normals_.reserve(triangles_.size());
    for (const Triangle& t : triangles_)
      normals_.push_back(cross(corners_[t[1]] - corners_[t[0]], corners_[t[2]] - corners_[t[0]]));
    std::vector<std::uint32_t> count(corners_.size() + 1);
    for (const Triangle& t : triangles_)
      for (const std::uint32_t c : t) ++count[place_[c] + 1];
    std::partial_sum(count.begin(), count.end(), count.begin());
    first_ = count, at_.resize(3 * triangles_.size());
    for (std::uint32_t i = 0; i < triangles_.size(); ++i)
      for (const std::uint32_t c : triangles_[i]) at_[count[place_[c]]++] = i;
  }

  std::size_t size() const { return triangles_.size(); }
  std::uint32_t place(std::size_t triangle, std::size_t k) const { return place_[triangles_[triangle][k]]; }
  std::size_t places() const { return corners_.size(); }

  Corner corner(std::size_t triangle, std::size_t k, bool exact) const {
    const Vec3 flat = direction(normals_[triangle]);
    return {floats(corners_[triangles_[triangle][k]]),
            0,
            exact ? floats(flat) : std::array<float, 3>{},
            floats(smooth(triangle, place(triangle, k), flat)),
            {}};
  }

 private:
  // Corners at the same place count as one, as files of loose triangles need it.
  void find_places() {
    std::vector<std::uint32_t> order(corners_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t i) { return std::array{corners_[i].x, corners_[i].y, corners_[i].z}; };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    place_.resize(corners_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      place_[order[i]] = i > 0 && key(order[i]) == key(order[i - 1]) ? place_[order[i - 1]] : order[i];
  }

  // Of the triangles around a place that turn little from this one, the mean by their size.
  Vec3 smooth(std::size_t triangle, std::uint32_t place, const Vec3& flat) const {
    Vec3 sum;
    const std::size_t end = std::min<std::size_t>(first_[place + 1], first_[place] + kMostAround);
    for (std::size_t i = first_[place]; i < end; ++i) {
      const Vec3& n = normals_[at_[i]];
      if (at_[i] == triangle || dot(n, flat) > kCrease * norm(n)) sum += n;
    }
    const Vec3 out = direction(sum);
    return out == Vec3{} ? (flat == Vec3{} ? Vec3{0, 0, 1} : flat) : out;
  }

  std::vector<Vec3> corners_;
  std::vector<Triangle> triangles_;
  std::vector<Vec3> normals_;              // as long as twice its area
  std::vector<std::uint32_t> place_;       // of each corner, the first that is there
  std::vector<std::uint32_t> first_, at_;  // by place: the triangles around it
};

// Corners that are the same are one, if so many triangles are worth it.
template <class Uv>
Geometry geometry_of(const Surface& surface, const Uv& uv) {
  Geometry out;
  const bool exact = surface.size() <= kExactTriangles;
  std::vector<std::vector<std::uint32_t>> known(exact ? 0 : surface.places());
  for (std::size_t i = 0; i < surface.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      Corner corner = surface.corner(i, k, exact);
      corner.uv = uv(i, k);
      if (exact) {
        out.corners.push_back(corner);
        continue;
      }
      auto& here = known[surface.place(i, k)];
      const auto same = std::find_if(here.begin(), here.end(), [&](std::uint32_t at) {
        return out.corners[at].n == corner.n && out.corners[at].uv == corner.uv;
      });
      if (same != here.end()) {
        out.indices.push_back(*same);
        continue;
      }
      const auto at = static_cast<std::uint32_t>(out.corners.size());
      if (here.size() < kMostAround) here.push_back(at);
      out.indices.push_back(at), out.corners.push_back(corner);
    }
  return out;
}

}  // namespace

std::uint32_t level_for(double radius_px) {
  // A side of n lies radius (1 - cos(pi / n)) within the circle, about radius pi^2 / 2 n^2.
  constexpr double kOff = 0.3;  // pixels
  const double sides = math::kPi * std::sqrt(std::max(radius_px, 0.0) / (2 * kOff));
  std::uint32_t level = 0;
  while (level + 1 < kLevels && sides > kSides[level]) ++level;
  return level;
}

Geometry unit_box() {
  Geometry out;
  add_face(out, {{{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}}}, {1, 0, 0});
  add_face(out, {{{-1, 1, -1}, {-1, -1, -1}, {-1, -1, 1}, {-1, 1, 1}}}, {-1, 0, 0});
  add_face(out, {{{1, 1, -1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, 1}}}, {0, 1, 0});
  add_face(out, {{{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}}}, {0, -1, 0});
  add_face(out, {{{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}}, {0, 0, 1});
  add_face(out, {{{1, -1, -1}, {-1, -1, -1}, {-1, 1, -1}, {1, 1, -1}}}, {0, 0, -1});
  return out;
}

Geometry unit_plane() {
  Geometry out;
  add_face(out, {{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}}, {0, 0, 1});
  return out;
}

Geometry unit_ball(std::uint32_t level) { return ball(level, false); }
Geometry unit_capsule(std::uint32_t level) { return ball(level, true); }

Geometry unit_cylinder(std::uint32_t level) {
  Rings rings(kSides[level]);
  rings.add(0, -1, 0, {0, 0, -1}, 0, -1), rings.add(1, -1, 0, {0, 0, -1}, 0, -1);
  rings.part();
  rings.add(1, -1, 0, {}, 1, 0), rings.add(1, 1, 0, {}, 1, 0);
  rings.part();
  rings.add(1, 1, 0, {0, 0, 1}, 0, 1), rings.add(0, 1, 0, {0, 0, 1}, 0, 1);
  return rings.take();
}

Geometry geometry_of(const Mesh& mesh) {
  std::vector<Vec3> corners(mesh.corner_count());
  for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = mesh.corner(i);
  std::vector<Triangle> triangles(mesh.triangle_count());
  for (std::size_t i = 0; i < triangles.size(); ++i) triangles[i] = mesh.triangle(i);
  const bool textured = mesh.texture.size() >= 24 * triangles.size();
  return geometry_of(Surface(std::move(corners), std::move(triangles)), [&](std::size_t i, std::size_t k) {
    std::array<float, 2> uv{};
    if (textured) std::memcpy(uv.data(), mesh.texture.data() + 24 * i + 8 * k, sizeof uv);
    return uv;
  });
}

Geometry geometry_of(const Terrain& t) {
  std::vector<Vec3> corners;
  corners.reserve(std::size_t{t.rows} * t.columns);
  for (std::uint32_t row = 0; row < t.rows; ++row)
    for (std::uint32_t column = 0; column < t.columns; ++column)
      corners.push_back({t.half_x * (2.0 * column / (t.columns - 1) - 1), t.half_y * (2.0 * row / (t.rows - 1) - 1),
                         t.height(column, row)});
  std::vector<Triangle> triangles;
  for (std::uint32_t row = 0; row + 1 < t.rows; ++row)
    for (std::uint32_t column = 0; column + 1 < t.columns; ++column) {
      const std::uint32_t a = row * t.columns + column, b = a + 1, c = a + t.columns, d = c + 1;
      triangles.push_back({a, b, d}), triangles.push_back({a, d, c});
    }
  return geometry_of(Surface(std::move(corners), std::move(triangles)),
                     [](std::size_t, std::size_t) { return std::array<float, 2>{}; });
}

}  // namespace convoy::render
