#include "sensing/intersect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/pose.h"
#include "sensing/box_span.h"

namespace convoy {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

// The nearer one that counts.
double first(double a, double b, double near) {
  if (a >= near) return a;
  return b >= near ? b : kNowhere;
}

// Where a line enters and leaves a circle or ball about the origin, given the way along it to its nearest point and the
// square of how far that is from the middle. A long way is then no loss of digits.
struct Span {
  double in = kNowhere, out = -kNowhere;  // in > out: it misses
};
Span span_of(double middle, double apart_squared, double radius, double speed) {
  const double left = radius * radius - apart_squared;
  if (!(left >= 0)) return {};
  const double half = std::sqrt(left) / speed;
  return {middle - half, middle + half};
}

Vec3 at(const Line& line, double range) { return line.origin + range * line.direction; }

// Between the planes of a cylinder's ends, and within the endless tube.
Span span_of_tube(const Line& line, double radius, double half) {
  const Vec3 &o = line.origin, &d = line.direction;
  Span out{-kNowhere, kNowhere};
  if (d.z != 0) {
    const double a = (-half - o.z) / d.z, b = (half - o.z) / d.z;
    out = {std::min(a, b), std::max(a, b)};
  } else if (std::fabs(o.z) > half) {
    return {};
  }
  const double squared = d.x * d.x + d.y * d.y;
  if (squared > 0) {
    const double middle = -(o.x * d.x + o.y * d.y) / squared;
    const double x = o.x + middle * d.x, y = o.y + middle * d.y;
    const Span tube = span_of(middle, x * x + y * y, radius, std::sqrt(squared));
    out = {std::max(out.in, tube.in), std::min(out.out, tube.out)};
  } else if (o.x * o.x + o.y * o.y > radius * radius) {
    return {};
  }
  return out;
}

}  // namespace

ShapeFrame::ShapeFrame(const Pose& X)
    : p_(X.p), axes_{{rotate(X.q, {1, 0, 0}), rotate(X.q, {0, 1, 0}), rotate(X.q, {0, 0, 1})}} {}

double range_of_plane(const Line& line, double half_x, double half_y) {
  const double range = -line.origin.z / line.direction.z;  // infinite or NaN along the plane
  if (!(range >= line.near) || range == kNowhere) return kNowhere;
  const Vec3 p = at(line, range);
  const bool inside = (half_x <= 0 || std::fabs(p.x) <= half_x) && (half_y <= 0 || std::fabs(p.y) <= half_y);
  return inside ? range : kNowhere;
}

double range_of_sphere(const Line& line, double radius) {
  const double middle = -dot(line.origin, line.direction);
  const Vec3 nearest = at(line, middle);
  const Span s = span_of(middle, dot(nearest, nearest), radius, 1);
  return first(s.in, s.out, line.near);
}

double range_of_ellipsoid(const Line& line, const Vec3& r) {
  const Vec3 o{line.origin.x / r.x, line.origin.y / r.y, line.origin.z / r.z};
  const Vec3 d{line.direction.x / r.x, line.direction.y / r.y, line.direction.z / r.z};
  const double squared = dot(d, d), middle = -dot(o, d) / squared;
  const Vec3 nearest = o + middle * d;
  const Span s = span_of(middle, dot(nearest, nearest), 1, std::sqrt(squared));
  return first(s.in, s.out, line.near);
}

double range_of_cylinder(const Line& line, double radius, double half) {
  const Span s = span_of_tube(line, radius, half);
  return s.in <= s.out ? first(s.in, s.out, line.near) : kNowhere;
}

// A line is in a convex shape once: from where it enters the first of its parts to where it leaves the last one.
double range_of_capsule(const Line& line, double radius, double half) {
  const Vec3& d = line.direction;
  double in = kNowhere, out = -kNowhere;
  const auto unite = [&](const Span& part) {
    if (part.in <= part.out) in = std::min(in, part.in), out = std::max(out, part.out);
  };
  unite(span_of_tube(line, radius, half));
  for (const double end : {-half, half}) {
    const Vec3 from = line.origin - Vec3{0, 0, end};
    const double middle = -dot(from, d);
    const Vec3 nearest = from + middle * d;
    unite(span_of(middle, dot(nearest, nearest), radius, 1));
  }
  return in <= out ? first(in, out, line.near) : kNowhere;
}

double range_of_box(const Line& line, const Vec3& half) {
  BoxSpan s;
  s.cut(line.origin.x, line.direction.x, half.x);
  s.cut(line.origin.y, line.direction.y, half.y);
  s.cut(line.origin.z, line.direction.z, half.z);
  return s.range(line.near);
}

double range_of(const Line& line, Shape::Kind kind, const Vec3& s) {
  switch (kind) {
    case Shape::Kind::kPlane: return range_of_plane(line, s.x, s.y);
    case Shape::Kind::kSphere: return range_of_sphere(line, s.x);
    case Shape::Kind::kCapsule: return range_of_capsule(line, s.x, s.y);
    case Shape::Kind::kEllipsoid: return range_of_ellipsoid(line, s);
    case Shape::Kind::kCylinder: return range_of_cylinder(line, s.x, s.y);
    case Shape::Kind::kBox: return range_of_box(line, s);
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: break;
  }
  EXPECTS(false);
  return kNowhere;
}

TriangleLine::TriangleLine(const Line& line) : origin_(line.origin), near_(line.near) {
  const double d[] = {line.direction.x, line.direction.y, line.direction.z};
  z_ = std::fabs(d[0]) > std::fabs(d[1]) ? 0 : 1;
  if (std::fabs(d[2]) > std::fabs(d[z_])) z_ = 2;
  x_ = (z_ + 1) % 3, y_ = (z_ + 2) % 3;
  if (d[z_] < 0) std::swap(x_, y_);  // keeps the winding
  shear_x_ = d[x_] / d[z_], shear_y_ = d[y_] / d[z_], shear_z_ = 1 / d[z_];
}

double TriangleLine::range_of(const std::array<Vec3, 3>& triangle) const {
  double x[3], y[3], z[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 p = triangle[i] - origin_;
    const double v[] = {p.x, p.y, p.z};
    x[i] = v[x_] - shear_x_ * v[z_], y[i] = v[y_] - shear_y_ * v[z_], z[i] = shear_z_ * v[z_];
  }
  // Each edge's sign is that of the line's side; a shared edge gives both triangles the same number, negated.
  const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return kNowhere;
  const double sum = u + v + w;
  if (sum == 0) return kNowhere;
  const double range = (u * z[0] + v * z[1] + w * z[2]) / sum;
  return range >= near_ ? range : kNowhere;
}

Vec3 normal_of(const Vec3& p, Shape::Kind kind, const Vec3& s) {
  const auto direction = [](const Vec3& v) {
    const double n = norm(v);
    return n > 0 ? (1 / n) * v : Vec3{0, 0, 1};
  };
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  switch (kind) {
    case Shape::Kind::kPlane: return {0, 0, 1};
    case Shape::Kind::kSphere: return direction(p);
    case Shape::Kind::kCapsule: return direction({p.x, p.y, p.z - std::clamp(p.z, -s.y, s.y)});
    case Shape::Kind::kEllipsoid: return direction({p.x / (s.x * s.x), p.y / (s.y * s.y), p.z / (s.z * s.z)});
    case Shape::Kind::kCylinder: {
      const double beyond_side = std::sqrt(p.x * p.x + p.y * p.y) - s.x, beyond_end = std::fabs(p.z) - s.y;
      return beyond_end > beyond_side ? Vec3{0, 0, sign(p.z)} : direction({p.x, p.y, 0});
    }
    case Shape::Kind::kBox: {
      const double x = std::fabs(p.x) - s.x, y = std::fabs(p.y) - s.y, z = std::fabs(p.z) - s.z;
      if (x >= y && x >= z) return {sign(p.x), 0, 0};
      return y >= z ? Vec3{0, sign(p.y), 0} : Vec3{0, 0, sign(p.z)};
    }
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: break;
  }
  EXPECTS(false);
  return {};
}

}  // namespace convoy
