#include "shapes/drive_shapes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

namespace convoy {

namespace {

constexpr Color kTire{38, 38, 42, 255};
constexpr double kSide = 0.70710678118654752440;  // of a quarter turn's quaternion

Color color_of(Drive drive) {
  switch (drive) {
    case Drive::kNone: return {176, 137, 94, 255};
    case Drive::kDifferential: return {92, 99, 112, 255};
    case Drive::kAckermann: return {46, 110, 168, 255};
    case Drive::kTricycle: return {226, 160, 40, 255};
  }
  return {};
}

std::uint32_t add_link(Shapes& out, const char* name, const Vec3& p, std::vector<LinkJoint> joints = {}) {
  Link link;
  link.name = name, link.base = Link::Base::kRobot, link.X_PL.p = p, link.joints = std::move(joints);
  out.links.push_back(std::move(link));
  return static_cast<std::uint32_t>(out.links.size() - 1);
}

// A footprint whose four edges lie along x and y is that of a box, which rays meet sooner than they do triangles.
std::optional<Vec2> half_of_rectangle(const std::vector<Vec2>& corners) {
  if (corners.size() != 4) return {};
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec2 &a = corners[i], &b = corners[(i + 1) % 4];
    if ((a.x != b.x) == (a.y != b.y)) return {};
  }
  return Vec2{std::fabs(corners[2].x - corners[0].x) / 2, std::fabs(corners[2].y - corners[0].y) / 2};
}

// The footprint from `low` to the model's height.
Mesh prism(const Model& model, double low) {
  Mesh out;
  out.name = "body";
  const auto n = static_cast<std::uint32_t>(model.footprint.size());
  for (const double z : {low, model.height})
    for (const Vec2& corner : model.footprint) add_corner(out, corner.x, corner.y, z);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    add_triangle(out, i, next, n + next), add_triangle(out, i, n + next, n + i);
    if (i < 2) continue;
    add_triangle(out, 0, i, i - 1), add_triangle(out, n, n + i - 1, n + i);  // a convex polygon is a fan
  }
  return out;
}

// Turns about y with that number of the tail.
LinkJoint rolls(std::uint32_t at) { return {LinkJoint::Type::kHinge, at, {}, {0, 1, 0}, 0, 0}; }
LinkJoint steers(double lead) { return {LinkJoint::Type::kSteered, 0, {}, {0, 0, 1}, 0, lead}; }

void add_wheel(Shapes& out, const Model& model, const char* name, const Vec3& p, std::vector<LinkJoint> joints) {
  std::erase_if(joints, [&](const LinkJoint& joint) { return joint.at >= model.joints.size(); });
  Shape tire;
  tire.link = add_link(out, name, p, std::move(joints));
  tire.kind = Shape::Kind::kCylinder, tire.size = {model.wheel_radius, model.wheel_radius / 4, 0};
  tire.X_LS.q = {kSide, kSide, 0, 0};  // its axis along y
  tire.color = kTire;
  out.shapes.push_back(tire);
}

void add_wheels(Shapes& out, const Model& m) {
  const double x = m.wheelbase, y = m.half_separation, z = m.wheel_radius;
  switch (m.drive) {
    case Drive::kNone: return;
    case Drive::kDifferential:
      add_wheel(out, m, "wheel_left_link", {0, y, z}, {rolls(0)});
      return add_wheel(out, m, "wheel_right_link", {0, -y, z}, {rolls(1)});
    case Drive::kAckermann:
      add_wheel(out, m, "wheel_left_link", {0, y, z}, {rolls(1)});
      add_wheel(out, m, "wheel_right_link", {0, -y, z}, {rolls(2)});
      // No number tells how far the steered wheels have rolled: they are shown to roll as the rear ones do.
      add_wheel(out, m, "front_left_link", {x, y, z}, {steers(y / x), rolls(1)});
      return add_wheel(out, m, "front_right_link", {x, -y, z}, {steers(-y / x), rolls(2)});
    case Drive::kTricycle: return add_wheel(out, m, "drive_wheel_link", {x, 0, z}, {steers(0), rolls(1)});
  }
}

}  // namespace

Shapes shapes_of_drive(const Model& model) {
  Shapes out;
  out.category = model.drive == Drive::kNone ? "object" : "robot";
  if (!has_body(model) || model.footprint.size() < 3) return out;
  const double clearance = model.drive == Drive::kNone ? 0 : std::min(model.wheel_radius / 2, model.height / 2);
  Shape body;
  body.link = add_link(out, "base_link", {});
  body.color = color_of(model.drive);
  if (const auto half = half_of_rectangle(model.footprint)) {
    const Vec2 &a = model.footprint[0], &b = model.footprint[2];
    body.kind = Shape::Kind::kBox, body.size = {half->x, half->y, (model.height - clearance) / 2};
    body.X_LS.p = {(a.x + b.x) / 2, (a.y + b.y) / 2, (clearance + model.height) / 2};
  } else {
    body.kind = Shape::Kind::kMesh, body.data = 0;
    out.meshes.push_back(prism(model, clearance));
  }
  out.shapes.push_back(body);
  add_wheels(out, model);
  return out;
}

}  // namespace convoy
