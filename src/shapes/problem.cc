// Whether shapes that came from elsewhere can be used without looking at them again.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/pose.h"
#include "shapes/shapes.h"
#include "world/state.h"

namespace convoy {

namespace {

constexpr double kFarthest = 1e6;  // m

bool is_sound(const Pose& X) {
  return is_finite(X.p) && norm(X.p) <= kFarthest && std::fabs(length(X.q) - 1) < 1e-6;  // NaN is not below
}

std::string problem_of(const Link& link, std::size_t number, std::size_t joints) {
  if (link.base > Link::Base::kFree) return "its base is unknown";
  if (link.base == Link::Base::kLink && link.parent >= number) return "it hangs on a later link";
  if (link.base == Link::Base::kFree && (joints < 7 || link.at > joints - 7)) return "its pose is not in the tail";
  if (!is_sound(link.X_PL)) return "its pose is no pose";
  for (const LinkJoint& joint : link.joints) {
    if (joint.type > LinkJoint::Type::kSteered) return "a joint of it is of an unknown type";
    const std::size_t size = joint.type == LinkJoint::Type::kBall ? 4 : 1;
    if (joints < size || joint.at > joints - size) return "a joint of it is not in the tail";
    if (!is_finite(joint.anchor) || !(std::fabs(norm(joint.axis) - 1) < 1e-6)) return "a joint of it has no axis";
    if (!std::isfinite(joint.zero) || !std::isfinite(joint.lead)) return "a joint of it is no number";
  }
  return {};
}

bool has_size(const Shape& shape) {
  const Vec3& s = shape.size;
  if (!is_finite(s) || std::max({s.x, s.y, s.z}) > kFarthest || std::min({s.x, s.y, s.z}) < 0) return false;
  switch (shape.kind) {
    case Shape::Kind::kPlane: return true;
    case Shape::Kind::kSphere: return s.x > 0;
    case Shape::Kind::kCapsule:
    case Shape::Kind::kCylinder: return s.x > 0 && s.y > 0;
    case Shape::Kind::kEllipsoid:
    case Shape::Kind::kBox: return s.x > 0 && s.y > 0 && s.z > 0;
    case Shape::Kind::kMesh:
    case Shape::Kind::kTerrain: return true;
  }
  return false;
}

std::string problem_of(const Shape& shape, const Shapes& all) {
  if (shape.kind > Shape::Kind::kTerrain) return "its kind is unknown";
  if (shape.link >= all.links.size()) return "its link is unknown";
  if (!is_sound(shape.X_LS)) return "its pose is no pose";
  if (!has_size(shape)) return "its size is no size";
  if (shape.kind == Shape::Kind::kMesh && shape.data >= all.meshes.size()) return "its mesh is unknown";
  if (shape.kind == Shape::Kind::kTerrain && shape.data >= all.terrains.size()) return "its terrain is unknown";
  if (shape.material != kNoPart && shape.material >= all.materials.size()) return "its material is unknown";
  return {};
}

std::string problem_of(const Mesh& mesh) {
  const std::size_t corners = mesh.corner_count(), triangles = mesh.triangle_count();
  if (mesh.corners.size() != 12 * corners || mesh.triangles.size() != 12 * triangles) return "half a corner is left";
  if (!mesh.texture.empty() && mesh.texture.size() != 24 * triangles) return "its texture has other triangles";
  for (std::size_t i = 0; i < corners; ++i)
    if (const Vec3 p = mesh.corner(i); !is_finite(p) || norm(p) > kFarthest) return "a corner is no number";
  for (std::size_t i = 0; i < triangles; ++i)
    for (const std::uint32_t corner : mesh.triangle(i))
      if (corner >= corners) return "a triangle has a corner that it does not have";
  return {};
}

std::string problem_of(const Terrain& t) {
  if (t.columns < 2 || t.rows < 2 || t.columns > kMaxTerrainSide || t.rows > kMaxTerrainSide) return "its sides";
  if (t.heights.size() != std::size_t{4} * t.columns * t.rows) return "it has not as many heights as it says";
  const auto size = [](double x) { return x > 0 && x <= kFarthest; };
  if (!size(t.half_x) || !size(t.half_y) || !(t.top >= 0 && t.top <= kFarthest) ||
      !(t.base >= 0 && t.base <= kFarthest))
    return "its size is no size";
  for (std::size_t row = 0; row < t.rows; ++row)
    for (std::size_t column = 0; column < t.columns; ++column)
      if (const double z = t.height(column, row); !(z >= 0 && z <= t.top)) return "a height is not from 0 to 1";
  return {};
}

std::string problem_of(const Material& m, const Shapes& all) {
  if (m.texture != kNoPart && m.texture >= all.textures.size()) return "its texture is unknown";
  for (const double x :
       {m.repeat_x, m.repeat_y, m.specular, m.shininess, m.reflectance, m.emission, m.metallic, m.roughness})
    if (!std::isfinite(x)) return "it has a number that is none";
  return {};
}

std::string problem_of(const Texture& t) {
  if (t.width < 1 || t.height < 1 || t.width > kMaxTextureSide || t.height > kMaxTextureSide) return "its sides";
  if (t.channels < 1 || t.channels > 4) return "its channels";
  return t.pixels.size() == std::size_t{t.width} * t.height * t.channels ? "" : "it has not as many pixels as it says";
}

// The first problem of one of them, with its number.
template <class T, class Problem>
std::string first(const char* what, const std::vector<T>& all, const Problem& problem) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const std::string found = problem(all[i], i); !found.empty())
      return std::string(what) + " " + std::to_string(i) + ": " + found;
  return {};
}

}  // namespace

std::string problem_of(const Shapes& s, std::size_t joints) {
  if (s.links.size() > kMaxLinks || s.shapes.size() > kMaxShapes || s.meshes.size() > kMaxMeshes)
    return "it has too many parts";
  for (const std::string& found :
       {first("link", s.links, [&](const Link&l, std::size_t i) { return problem_of(l, i, joints); }),
        first("mesh", s.meshes, [](const Mesh&m, std::size_t) { return problem_of(m); }),
        first("terrain", s.terrains, [](const Terrain&t, std::size_t) { return problem_of(t); }),
        first("texture", s.textures, [](const Texture&t, std::size_t) { return problem_of(t); }),
        first("material", s.materials, [&](const Material&m, std::size_t) { return problem_of(m, s); }),
        first("shape", s.shapes, [&](const Shape&g, std::size_t) { return problem_of(g, s); })})
    if (!found.empty()) return found;
  return {};
}

}  // namespace convoy
