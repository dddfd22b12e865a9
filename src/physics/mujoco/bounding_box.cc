#include "physics/mujoco/bounding_box.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

Vec3 part(const Vec3& v, int i) { return {i == 0 ? v.x : 0, i == 1 ? v.y : 0, i == 2 ? v.z : 0}; }

std::array<Vec3, 8> corners(const BoundingBox& box) {
  std::array<Vec3, 8> out;
  for (std::size_t i = 0; i < 8; ++i)
    out[i] = {i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y, i & 4 ? box.high.z : box.low.z};
  return out;
}

struct Geom {
  BoundingBox box;    // in its own frame
  double radius = 0;  // about that frame's origin
  Pose X_LG;
};

// With the margin of its contacts.
Geom geom_at(const mjModel* m, int g) {
  const double margin = std::max(0.0, m->geom_margin[g]);
  const Vec3 center = vec(m->geom_aabb + 6 * g), half = vec(m->geom_aabb + 6 * g + 3) + Vec3{margin, margin, margin};
  Geom out{{}, m->geom_rbound[g] + margin, {vec(m->geom_pos + 3 * g), quat(m->geom_quat + 4 * g)}};
  out.box.add(center - half), out.box.add(center + half);
  return out;
}

// Calls f(geom) for all that is solid of body b.
template <class F>
void each_solid(const mjModel* m, int b, const F& f) {
  for (int g = m->body_geomadr[b]; g >= 0 && g < m->body_geomadr[b] + m->body_geomnum[b]; ++g)
    if (is_solid(m, g)) f(geom_at(m, g));
}

// All that it reaches when it turns about an axis of unit length through `anchor`.
BoundingBox turned(const Geom& geom, const Pose& X_BG, const Vec3& anchor, const Vec3& axis) {
  const auto from_axis = [&](const Vec3& p) { return norm(p - anchor - dot(p - anchor, axis) * axis); };
  double least = HUGE_VAL, most = -HUGE_VAL, radius = 0;
  for (const Vec3& corner : corners(geom.box)) {
    const Vec3 p = (X_BG * Pose{corner, {}}).p;
    least = std::min(least, dot(p - anchor, axis)), most = std::max(most, dot(p - anchor, axis));
    radius = std::max(radius, from_axis(p));
  }
  radius = std::min(radius, from_axis(X_BG.p) + geom.radius);  // a wheel has no corners
  const auto across = [&](double a) { return radius * std::sqrt(std::max(0.0, 1 - a * a)); };
  const Vec3 wide{across(axis.x), across(axis.y), across(axis.z)};
  BoundingBox out;
  for (const double along : {least, most})
    for (const Vec3& p : {anchor + along * axis - wide, anchor + along * axis + wide}) out.add(p);
  return out;
}

}  // namespace

void BoundingBox::add(const Vec3& p) {
  if (empty()) low = high = p;
  low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
  high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
}

void BoundingBox::add(const BoundingBox& other, const Pose& X_BO) {
  if (other.empty()) return;
  for (const Vec3& corner : corners(other)) add((X_BO * Pose{corner, {}}).p);
}

bool is_solid(const mjModel* m, int geom) {
  const int type = m->geom_type[geom];
  const bool shape = type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_ELLIPSOID ||
                     type == mjGEOM_CYLINDER || type == mjGEOM_BOX || type == mjGEOM_MESH;
  return shape && (m->geom_contype[geom] || m->geom_conaffinity[geom]);
}

bool is_ground(const mjModel* m, int geom) {
  const int type = m->geom_type[geom];
  return (type == mjGEOM_PLANE || type == mjGEOM_HFIELD) && (m->geom_contype[geom] || m->geom_conaffinity[geom]);
}

bool stands(const mjModel* m, int body) {
  const int root = m->body_rootid[body], joint = m->body_jntadr[root];
  return m->body_mocapid[root] < 0 && (joint < 0 || m->jnt_type[joint] != mjJNT_FREE);
}

BoundingBox box_of(const mjModel* m, int b, const Pose& X_BL) {
  BoundingBox out;
  each_solid(m, b, [&](const Geom& geom) { out.add(geom.box, X_BL * geom.X_LG); });
  return out;
}

BoundingBox swept_box(const mjModel* m, int b, int root, std::span<const Pose> X_BL, double radius) {
  const Pose& X = X_BL[static_cast<std::size_t>(b)];
  int joints = 0, joint = -1, on = b;
  for (int at = b; at != root && at != 0; at = m->body_parentid[at])
    if (m->body_jntnum[at] > 0) joints += m->body_jntnum[at], joint = m->body_jntadr[at], on = at;
  if (joints == 0) return box_of(m, b, X);
  BoundingBox out;
  const Vec3 origin = X_BL[static_cast<std::size_t>(root)].p, half{radius, radius, radius};
  const bool turns = joints == 1 && m->jnt_type[joint] == mjJNT_HINGE;
  const Pose& X_BJ = X_BL[static_cast<std::size_t>(on)];
  each_solid(m, b, [&](const Geom& geom) {
    if (!turns) return out.add(origin - half), out.add(origin + half);
    out.add(turned(geom, X * geom.X_LG, (X_BJ * Pose{vec(m->jnt_pos + 3 * joint), {}}).p,
                   rotate(X_BJ.q, vec(m->jnt_axis + 3 * joint))),
            {});
  });
  return out;
}

double least_distance(const BoundingBox& a, const Pose& X_WA, const BoundingBox& b, const Pose& X_WB) {
  // Half edges of both in W. Along any direction, what is between their projections is a lower bound; the faces' normals
  // and the edges' products find one wherever they are apart.
  std::array<Vec3, 3> ea, eb, na, nb;
  const Vec3 ha = 0.5 * (a.high - a.low), hb = 0.5 * (b.high - b.low);
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ea[k] = rotate(X_WA.q, part(ha, i)), eb[k] = rotate(X_WB.q, part(hb, i));
    na[k] = rotate(X_WA.q, part({1, 1, 1}, i)), nb[k] = rotate(X_WB.q, part({1, 1, 1}, i));
  }
  const Vec3 d = (X_WB * Pose{0.5 * (b.low + b.high), {}}).p - (X_WA * Pose{0.5 * (a.low + a.high), {}}).p;
  double most = -HUGE_VAL;
  const auto test_axis = [&](const Vec3& n) {
    double between = std::fabs(dot(d, n));
    for (const auto* edges : {&ea, &eb})
      for (const Vec3& e : *edges) between -= std::fabs(dot(e, n));
    most = std::max(most, between);
  };
  for (const auto* normals : {&na, &nb})
    for (const Vec3& n : *normals) test_axis(n);
  for (const Vec3& i : na)
    for (const Vec3& j : nb) {
      const Vec3 n = cross(i, j);
      const double length = norm(n);
      if (length > 1e-6) test_axis((1 / length) * n);
    }
  return most;
}

}  // namespace convoy::mujoco
