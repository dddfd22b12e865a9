// For tests and the probe: worlds of all kinds of shapes, and beams that find their corners, edges and common faces.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "core/math.h"
#include "core/pose.h"
#include "core/random.h"
#include "sensing/embree/caster.h"
#include "shapes/tessellate.h"

namespace convoy::ray_rig {

inline Vec3 drawn(Random& random, double half) {
  return {random.uniform(-half, half), random.uniform(-half, half), random.uniform(-half, half)};
}
inline Quat turn(Random& random) {
  return unit({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
}

// One link, one shape of each kind around it, a coarse and a fine mesh among them.
inline Shapes zoo() {
  Shapes out;
  out.links = {{"base", Link::Base::kRobot, kNoPart, 0, {}, {}}, {"arm", Link::Base::kLink, 0, 0, {{0, 0, 1}, {}}, {}}};
  Shape ball;
  ball.kind = Shape::Kind::kSphere, ball.size = {0.5, 0, 0};
  out.meshes = {triangles_of(ball, {}, {.around = 32}), triangles_of(ball, {}, {.around = 4})};
  Terrain hill;
  hill.columns = 9, hill.rows = 7, hill.half_x = 1, hill.half_y = 0.8, hill.top = 0.5;
  for (std::uint32_t i = 0; i < 63; ++i) {
    const auto h = static_cast<float>(i * 37 % 11) / 11;
    Writer(hill.heights).raw(&h, 4);
  }
  out.terrains = {hill};
  const auto add = [&](Shape::Kind kind, const Vec3& size, const Vec3& p, std::uint32_t data = kNoPart) {
    Shape shape;
    shape.kind = kind, shape.size = size, shape.data = data, shape.X_LS.p = p;
    shape.X_LS.q = unit({1, 0.3 * p.x, 0.2 * p.y, 0.1});
    shape.link = static_cast<std::uint32_t>(out.shapes.size() % 2);
    out.shapes.push_back(shape);
  };
  add(Shape::Kind::kBox, {0.3, 0.4, 0.5}, {1, 0, 0});
  add(Shape::Kind::kSphere, {0.3, 0, 0}, {-1, 0, 0});
  add(Shape::Kind::kCapsule, {0.2, 0.4, 0}, {0, 1, 0});
  add(Shape::Kind::kEllipsoid, {0.2, 0.4, 0.6}, {0, -1, 0});
  add(Shape::Kind::kCylinder, {0.3, 0.3, 0}, {0, 0, 1});
  add(Shape::Kind::kMesh, {}, {0, 0, -1}, 0);
  add(Shape::Kind::kMesh, {}, {1, 1, -1}, 1);
  add(Shape::Kind::kTerrain, {}, {-1, 1, -1}, 0);
  add(Shape::Kind::kPlane, {0.7, 0.2, 0}, {1, -1, 1});
  add(Shape::Kind::kBox, {9, 9, 9}, {});
  out.shapes.back().visible = false;
  return out;
}

struct Body {
  WorldNumber number;
  const Shapes* shapes;
  std::vector<Pose> X_WL;
};

class Rig {
 public:
  Rig(RayIsa isa, const std::vector<Body>& scene, const std::vector<Body>& moving) {
    caster = std::move(*embree_caster(isa));
    field = caster->field(caster->field(nullptr, ready(scene)), ready(moving));
  }
  std::vector<Hit> cast(const std::vector<Beam>& beams, WorldNumber but = kNoEntity) const {
    std::vector<Hit> out(beams.size());
    field->cast(beams, but, out);
    return out;
  }

  std::unique_ptr<RayCaster> caster;
  std::shared_ptr<const RayField> field;

 private:
  std::vector<RayBody> ready(const std::vector<Body>& bodies) {
    std::vector<RayBody> out;
    for (const Body& body : bodies) {
      models_.push_back(caster->prepare(*body.shapes));
      out.push_back({body.number, models_.back().get(), body.X_WL});
    }
    return out;
  }
  std::vector<std::shared_ptr<const RayModel>> models_;
};

inline std::vector<RayIsa> here() {
  std::vector<RayIsa> out;
  for (const RayIsa isa : {RayIsa::kSse42, RayIsa::kAvx2, RayIsa::kAvx512})
    if (isa <= best_isa()) out.push_back(isa);
  return out;
}

// Zoos in one place of the world, of which some are turned by quarters, and so have faces in common.
inline std::vector<Body> zoos(const Shapes& shapes, const Vec3& where, int count, std::uint64_t seed) {
  Random random{seed};
  std::vector<Body> out;
  for (int i = 0; i < count; ++i) {
    const Pose X{where + drawn(random, 6), i % 3 == 0 ? Quat{} : turn(random)};
    out.push_back({WorldNumber(static_cast<std::uint32_t>(i + 1)), &shapes, {}});
    place_links(shapes, {X, {}, {}}, out.back().X_WL);
  }
  return out;
}

inline std::vector<Beam> beams_at(const std::vector<Body>& bodies, const Vec3& where, int count, std::uint64_t seed) {
  Random random{seed};
  std::vector<Beam> out;
  for (int i = 0; i < count; ++i) {
    Vec3 aim = where + drawn(random, 7);
    if (i % 4 == 0) {  // at a corner of a mesh, where several triangles meet
      const Body& body = bodies[random.below(bodies.size())];
      const Shape& shape = body.shapes->shapes[5 + random.below(2)];
      const Mesh& mesh = body.shapes->meshes[shape.data];
      const auto t = mesh.triangle(random.below(mesh.triangle_count()));
      const double along = i % 8 == 0 ? 0 : random.uniform();
      const Vec3 p = mesh.corner(t[0]) + along * (mesh.corner(t[1]) - mesh.corner(t[0]));
      aim = (body.X_WL[shape.link] * shape.X_LS * Pose{p, {}}).p;
    }
    const Vec3 origin = where + drawn(random, 8), way = aim - origin;
    out.push_back({origin, (1 / norm(way)) * way, i % 5 == 0 ? 0.5 : 0, i % 7 == 0 ? 4.0 : 100});
  }
  return out;
}

}  // namespace convoy::ray_rig
