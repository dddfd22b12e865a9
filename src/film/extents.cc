#include "film/extents.h"

#include <algorithm>
#include <cmath>

namespace convoy::film {

namespace {

Box around(const Vec3& half) { return {-half, half}; }

// In the shape's frame; empty: it has no end.
Box box_of(const Shape& shape, const Shapes& all) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::kPlane: return s.x > 0 && s.y > 0 ? around({s.x, s.y, 0}) : Box{};
    case Shape::Kind::kSphere: return around({s.x, s.x, s.x});
    case Shape::Kind::kCapsule: return around({s.x, s.x, s.x + s.y});
    case Shape::Kind::kCylinder: return around({s.x, s.x, s.y});
    case Shape::Kind::kEllipsoid:
    case Shape::Kind::kBox: return around(s);
    case Shape::Kind::kMesh: {
      Box out;
      const Mesh& mesh = all.meshes[shape.data];
      for (std::size_t i = 0; i < mesh.corner_count(); ++i) out.add(mesh.corner(i));
      return out;
    }
    case Shape::Kind::kTerrain: {
      const Terrain& t = all.terrains[shape.data];
      return {{-t.half_x, -t.half_y, -t.base}, {t.half_x, t.half_y, t.top}};
    }
  }
  return {};
}

// What a box reaches once it is turned and moved.
Box moved(const Pose& X, const Box& box) {
  if (box.empty()) return {};
  const Vec3 middle = X * box.middle(), half = 0.5 * box.size();
  Vec3 reach;
  for (const Vec3& edge : {Vec3{half.x, 0, 0}, Vec3{0, half.y, 0}, Vec3{0, 0, half.z}}) {
    const Vec3 turned = rotate(X.q, edge);
    reach += {std::fabs(turned.x), std::fabs(turned.y), std::fabs(turned.z)};
  }
  return {middle - reach, middle + reach};
}

}  // namespace

void Box::add(const Vec3& p) { add(Box{p, p}); }

void Box::add(const Box& o) {
  low = {std::min(low.x, o.low.x), std::min(low.y, o.low.y), std::min(low.z, o.low.z)};
  high = {std::max(high.x, o.high.x), std::max(high.y, o.high.y), std::max(high.z, o.high.z)};
}

const std::vector<Extents::Part>& Extents::parts_of(const std::shared_ptr<const Shapes>& shapes) {
  auto [at, fresh] = known_.try_emplace(shapes.get());
  if (!fresh) return at->second.parts;
  at->second.shapes = shapes;
  std::map<std::uint32_t, Box> by_link;
  for (const Shape& shape : shapes->shapes)
    if (shape.visible) by_link[shape.link].add(moved(shape.X_LS, box_of(shape, *shapes)));
  for (const auto& [link, box] : by_link)
    if (!box.empty()) at->second.parts.push_back({link, box});
  return at->second.parts;
}

Box Extents::of(const PictureBody& body) {
  Box out;
  for (const Part& part : parts_of(body.shapes)) out.add(moved(body.X_WL[part.link], part.box));
  return out;
}

}  // namespace convoy::film
