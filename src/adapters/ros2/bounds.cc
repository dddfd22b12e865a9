#include "adapters/ros2/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/overloads.h"
#include "messages/geometry.h"
#include "world/state.h"

namespace convoy::ros2 {

namespace {

using simulation_interfaces::msg::Bounds;

constexpr double kParallel = 1e-12;  // a product of edges that is shorter is none: a face says the same

Vec3 clamp(const Vec3& p, const Box& box) {
  return {std::clamp(p.x, box.low.x, box.high.x), std::clamp(p.y, box.low.y, box.high.y),
          std::clamp(p.z, box.low.z, box.high.z)};
}

double reach(const std::array<Vec3, 3>& edges, const Vec3& axis) {
  return std::abs(dot(edges[0], axis)) + std::abs(dot(edges[1], axis)) + std::abs(dot(edges[2], axis));
}

// Half its edges, from the middle.
std::array<Vec3, 3> half_edges(const Box& box, const Quat& q) {
  const Vec3 half = 0.5 * (box.high - box.low);
  return {rotate(q, {half.x, 0, 0}), rotate(q, {0, half.y, 0}), rotate(q, {0, 0, half.z})};
}
Vec3 middle(const Box& box) { return 0.5 * (box.low + box.high); }

// Boxes are apart where an axis has a gap between them: one of their faces', or a product of two edges.
bool touch(const Box& body, const Pose& X_WB, const Box& region) {
  const std::array<Vec3, 3> units{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::array<Vec3, 3> a = half_edges(region, {}), b = half_edges(body, X_WB.q);
  const Vec3 between = X_WB * middle(body) - middle(region);
  const auto apart = [&](const Vec3& axis) {
    return dot(axis, axis) > kParallel && std::abs(dot(between, axis)) > reach(a, axis) + reach(b, axis);
  };
  for (const Vec3& x : units) {
    if (apart(x) || apart(rotate(X_WB.q, x))) return false;
    for (const Vec3& y : units)
      if (apart(cross(x, rotate(X_WB.q, y)))) return false;
  }
  return true;
}

bool touch(const Box& body, const Pose& X_WB, const Ball& region) {
  const Vec3 centre = X_WB.inverse() * region.centre;
  const Vec3 nearest = centre - clamp(centre, body);
  return dot(nearest, nearest) <= region.radius * region.radius;
}

}  // namespace

std::optional<Box> body_of(const Model& model) {
  if (!has_body(model)) return std::nullopt;
  Box out{{HUGE_VAL, HUGE_VAL, 0}, {-HUGE_VAL, -HUGE_VAL, model.height}};
  for (const Vec2& corner : model.footprint) {
    out.low.x = std::min(out.low.x, corner.x), out.low.y = std::min(out.low.y, corner.y);
    out.high.x = std::max(out.high.x, corner.x), out.high.y = std::max(out.high.y, corner.y);
  }
  return out;
}

Bounds message_of(const std::optional<Box>& box) {
  Bounds out;
  if (!box) return out;
  out.type = Bounds::TYPE_BOX;
  out.points.resize(2);
  ros::put(box->high, out.points[0]), ros::put(box->low, out.points[1]);
  return out;
}

Result<Region> region_of(const Bounds& bounds) {
  std::vector<Vec3> points;
  for (const auto& p : bounds.points) {
    points.push_back({p.x, p.y, p.z});
    if (!is_finite(points.back())) return fail(ErrorCode::kInvalid, "the bounds have a point that is not finite");
  }
  switch (bounds.type) {
    case Bounds::TYPE_EMPTY: return Region{};
    case Bounds::TYPE_CONVEX_HULL: return fail(ErrorCode::kUnsupported, "bounds are boxes and spheres here, not hulls");
    case Bounds::TYPE_BOX: {
      if (points.size() != 2) return fail(ErrorCode::kInvalid, "a box has two points: its upper and its lower corner");
      const auto& [a, b] = std::tie(points[0], points[1]);
      return Region{Box{{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                        {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}}};
    }
    case Bounds::TYPE_SPHERE:
      if (points.size() != 2 || points[1].x < 0)
        return fail(ErrorCode::kInvalid, "a sphere has two points: its centre, and one whose x is the radius");
      return Region{Ball{points[0], points[1].x}};
    default: break;
  }
  return fail(ErrorCode::kInvalid, "bounds of that type are not known");
}

bool touches(const std::optional<Box>& body, const Pose& X_WB, const Region& region) {
  const Box box = body.value_or(Box{});
  return std::visit(
      Overloads{[](const std::monostate&) { return true; }, [&](const Box& other) { return touch(box, X_WB, other); },
                [&](const Ball& other) { return touch(box, X_WB, other); }},
      region);
}

}  // namespace convoy::ros2
