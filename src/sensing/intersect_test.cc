// Where lines meet shapes.
#include "sensing/intersect.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/pose.h"
#include "core/random.h"

namespace intersect_test {

using namespace convoy;

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

Vec3 drawn(Random& random, double half) {
  return {random.uniform(-half, half), random.uniform(-half, half), random.uniform(-half, half)};
}
Vec3 direction(Random& random) {
  Vec3 d;
  do d = drawn(random, 1);
  while (dot(d, d) < 0.01 || dot(d, d) > 1);
  return (1 / norm(d)) * d;
}
Line from(const Vec3& origin, const Vec3& direction, double near = 0) { return {origin, direction, near}; }

// 0 on the surface, below inside, above outside; continuous.
double outside(const Vec3& p, Shape::Kind kind, const Vec3& s) {
  const double side = std::sqrt(p.x * p.x + p.y * p.y) - s.x;
  switch (kind) {
    case Shape::Kind::kSphere: return norm(p) - s.x;
    case Shape::Kind::kCapsule: {
      const double beyond = std::max(0.0, std::fabs(p.z) - s.y);
      return norm({p.x, p.y, beyond}) - s.x;
    }
    case Shape::Kind::kEllipsoid: return norm({p.x / s.x, p.y / s.y, p.z / s.z}) - 1;
    case Shape::Kind::kCylinder: return std::max(side, std::fabs(p.z) - s.y);
    case Shape::Kind::kBox: return std::max({std::fabs(p.x) - s.x, std::fabs(p.y) - s.y, std::fabs(p.z) - s.z});
    default: return 0;
  }
}

}  // namespace

TEST_CASE("what a line meets is the first point of the surface, from outside and from inside") {
  Random random{5};
  struct Solid {
    Shape::Kind kind;
    Vec3 size;
  };
  for (const Solid& solid : {Solid{Shape::Kind::kSphere, {0.7, 0, 0}},
                             {Shape::Kind::kCapsule, {0.3, 0.8, 0}},
                             {Shape::Kind::kEllipsoid, {0.2, 0.9, 0.5}},
                             {Shape::Kind::kCylinder, {0.6, 0.4, 0}},
                             {Shape::Kind::kBox, {0.3, 0.6, 0.9}}}) {
    CAPTURE(static_cast<int>(solid.kind));
    int met = 0, inside = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Line line = from(drawn(random, 1.5), direction(random));
      const auto value = [&](double t) { return outside(line.origin + t * line.direction, solid.kind, solid.size); };
      const double range = range_of(line, solid.kind, solid.size), begin = value(0);
      inside += begin < 0;
      met += range != kNowhere;
      if (begin < 0) REQUIRE(range != kNowhere);
      if (range != kNowhere) {
        REQUIRE(range >= 0);
        REQUIRE(std::fabs(value(range)) < 1e-13);
        const Vec3 p = line.origin + range * line.direction, n = normal_of(p, solid.kind, solid.size);
        REQUIRE(norm(n) == approx(1));
        REQUIRE(outside(p + 1e-4 * n, solid.kind, solid.size) > 0);
      }
      for (double t = 0; t < std::min(range, 6.0); t += 0.02) REQUIRE(value(t) * begin > 0);  // nothing before
    }
    CHECK(met > 1000);
    CHECK(inside > 200);
  }
}

TEST_CASE("eight lines at a time meet a box as one by one, to the bit") {
  Random random{8};
  for (int i = 0; i < 20'000; ++i) {
    const Vec3 half{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const bool straight = i % 4 == 0;  // along the axes, and the faces
    const ShapeFrame frame({drawn(random, 2), straight ? Quat{} : unit({1, random.uniform(), random.uniform(), 0.3})});
    LinePacket lines{};
    std::array<Line, LinePacket::kSize> one;
    for (std::size_t k = 0; k < LinePacket::kSize; ++k) {
      Vec3 o = drawn(random, 3), d = direction(random);
      if (straight) d = k % 3 == 0 ? Vec3{1, 0, 0} : k % 3 == 1 ? Vec3{0, -1, 0} : Vec3{0, 0, 1};
      if (straight && k < 4) o = frame.origin() + Vec3{-5 * d.x + half.x * (k % 2), -5 * d.y + half.y, -5 * d.z};
      const double near = k == 7 ? 1 : 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        lines.origin[axis][k] = axis == 0 ? o.x : axis == 1 ? o.y : o.z;
        lines.direction[axis][k] = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
      }
      lines.near[k] = near;
      one[k] = frame.line(o, d, near);
    }
    std::array<double, LinePacket::kSize> ranges;
    ranges_of_box(lines, frame, half, ranges.data());
    for (std::size_t k = 0; k < ranges.size(); ++k) REQUIRE(ranges[k] == range_of_box(one[k], half));
  }
}

TEST_CASE("known ranges") {
  const Vec3 x{1, 0, 0}, down{0, 0, -1};
  CHECK(range_of_sphere(from({-5, 0, 0}, x), 1) == 4);
  CHECK(range_of_sphere(from({-5, 0, 0}, x, 4.5), 1) == 6);  // behind `near`
  CHECK(range_of_sphere(from({-5, 0, 0}, x, 7), 1) == kNowhere);
  CHECK(range_of_sphere(from({-5, 1, 0}, x), 1) == 5);  // it touches
  CHECK(range_of_sphere(from({5, 0, 0}, x), 1) == kNowhere);
  CHECK(range_of_box(from({-5, 0.5, 0}, x), {1, 0.5, 1}) == 4);  // along its side
  CHECK(range_of_box(from({-5, 0.5000001, 0}, x), {1, 0.5, 1}) == kNowhere);
  CHECK(range_of_box(from({0, 0, 0}, x), {1, 2, 3}) == 1);
  CHECK(range_of_cylinder(from({0, 0, 5}, down), 1, 2) == 3);
  CHECK(range_of_cylinder(from({1.1, 0, 5}, down), 1, 2) == kNowhere);
  CHECK(range_of_capsule(from({0, 0, 5}, down), 0.5, 2) == 2.5);
  CHECK(range_of_capsule(from({-5, 0, 2}, x), 0.5, 2) == 4.5);  // where the straight part ends
  CHECK(range_of_ellipsoid(from({0, 0, 5}, down), {1, 2, 3}) == approx(2).epsilon(1e-15));
  CHECK(range_of_plane(from({7, 8, 5}, down), 0, 0) == 5);
  CHECK(range_of_plane(from({7, 8, 5}, down), 7, 8) == 5);
  CHECK(range_of_plane(from({7, 8, 5}, down), 6.9, 8) == kNowhere);
  CHECK(range_of_plane(from({0, 0, 5}, x), 0, 0) == kNowhere);
  CHECK(range_of_plane(from({0, 0, 0}, x), 0, 0) == kNowhere);
}

TEST_CASE("a small ball is met to a micrometre from a kilometre away") {
  Random random{6};
  for (int i = 0; i < 1000; ++i) {
    const Vec3 d = direction(random);
    const Line line = from(-1000 * d, d);
    CHECK(range_of_sphere(line, 0.01) == approx(999.99).epsilon(1e-12));
    CHECK(range_of_capsule(line, 0.01, 1e-9) == approx(999.99).epsilon(1e-9));
  }
}

TEST_CASE("no ray slips between two triangles that share an edge, nor through a corner") {
  Random random{7};
  for (int i = 0; i < 50'000; ++i) {
    // A fan around a point, closed; rays at the point itself and at its edges.
    const Vec3 middle = drawn(random, 3);
    std::array<Vec3, 5> rim;
    for (std::size_t k = 0; k < 5; ++k) {
      const double a = 2 * 3.14159265358979 * static_cast<double>(k) / 5;
      rim[k] = middle + Vec3{std::cos(a), std::sin(a), random.uniform(-0.1, 0.1)};
    }
    const Vec3 origin = middle + Vec3{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 4};
    const std::size_t k = random.below(5);
    const double along = i % 3 == 0 ? 0 : random.uniform(0, 0.99);
    const Vec3 aim = middle + along * (rim[k] - middle), way = aim - origin;
    const TriangleLine line(from(origin, (1 / norm(way)) * way));
    double best = kNowhere;
    for (std::size_t t = 0; t < 5; ++t) best = std::min(best, line.range_of({middle, rim[t], rim[(t + 1) % 5]}));
    REQUIRE(best == approx(norm(way)).epsilon(1e-9));
  }
}

TEST_CASE("a triangle is met from both sides, and not along it or behind") {
  const std::array<Vec3, 3> t{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  CHECK(TriangleLine(from({0.2, 0.2, 3}, {0, 0, -1})).range_of(t) == 3);
  CHECK(TriangleLine(from({0.2, 0.2, -3}, {0, 0, 1})).range_of(t) == 3);
  CHECK(TriangleLine(from({0.2, 0.2, 3}, {0, 0, 1})).range_of(t) == kNowhere);
  CHECK(TriangleLine(from({0.6, 0.6, 3}, {0, 0, -1})).range_of(t) == kNowhere);
  CHECK(TriangleLine(from({-1, 0.2, 0}, {1, 0, 0})).range_of(t) == kNowhere);
  CHECK(TriangleLine(from({0.2, 0.2, 3}, {0, 0, -1}, 3.5)).range_of(t) == kNowhere);
}

}  // namespace intersect_test
