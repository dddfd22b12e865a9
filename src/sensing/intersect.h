// Where a line meets the surface of a shape, in the shape's own frame S: the arithmetic that decides what a ray meets.
//
// Doubles and + - * / sqrt only, so that every machine comes to the same bits. A range is that of the nearest point of
// the surface from `near` on, whichever side it is met from; infinite if there is none.
#pragma once

#include <array>

#include "convoy/geometry.h"
#include "shapes/shapes.h"

namespace convoy {

struct Line {
  Vec3 origin, direction;  // in S; direction of length 1
  double near = 0;
};

// The line of a ray in a shape's frame, whose pose is kept as the rows of its rotation.
class ShapeFrame {
 public:
  ShapeFrame() = default;
  explicit ShapeFrame(const Pose& X_WS);
  Line line(const Vec3& origin, const Vec3& direction, double near) const {
    return {turned(origin - p_), turned(direction), near};
  }
  Vec3 to_frame(const Vec3& point) const { return turned(point - p_); }
  Vec3 to_world(const Vec3& vector) const { return vector.x * axes_[0] + vector.y * axes_[1] + vector.z * axes_[2]; }

  const Vec3& origin() const { return p_; }
  const std::array<Vec3, 3>& axes() const { return axes_; }

 private:
  Vec3 turned(const Vec3& v) const { return {dot(axes_[0], v), dot(axes_[1], v), dot(axes_[2], v)}; }
  Vec3 p_;  // where it is, and its axes, in W
  std::array<Vec3, 3> axes_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
};

double range_of_plane(const Line& line, double half_x, double half_y);  // 0: without end
double range_of_sphere(const Line& line, double radius);
double range_of_capsule(const Line& line, double radius, double half);
double range_of_ellipsoid(const Line& line, const Vec3& radii);
double range_of_cylinder(const Line& line, double radius, double half);
double range_of_box(const Line& line, const Vec3& half);
// Of a primitive, not of a mesh or terrain.
double range_of(const Line& line, Shape::Kind kind, const Vec3& size);

// Lines of several rays in W, number by number, so that a processor works on several at a time.
struct LinePacket {
  static constexpr std::size_t kSize = 8;
  alignas(64) double origin[3][kSize], direction[3][kSize], near[kSize];
};
// Of a box for each of them, in a frame: the same bits as range_of_box() gives one by one.
void ranges_of_box(const LinePacket& lines, const ShapeFrame& frame, const Vec3& half, double* ranges);

// Turned about the direction of a line, so that lines through an edge that two triangles share meet at least one of
// them: no ray slips between (Woop, Benthin, Wald: "Watertight Ray/Triangle Intersection", JCGT 2013).
class TriangleLine {
 public:
  explicit TriangleLine(const Line& line);
  double range_of(const std::array<Vec3, 3>& triangle) const;

 private:
  Vec3 origin_;
  double near_;
  int x_, y_, z_;  // the largest part of the direction is z
  double shear_x_, shear_y_, shear_z_;
};

// Of length 1, outwards, at a point of the surface; a plane's is +z.
Vec3 normal_of(const Vec3& point, Shape::Kind kind, const Vec3& size);

}  // namespace convoy
