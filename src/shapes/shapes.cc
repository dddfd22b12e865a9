#include "shapes/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/math.h"
#include "core/pose.h"
#include "shapes/drive_shapes.h"
#include "world/world_model.h"

namespace convoy {

namespace {

template <class T>
T value_at(const Bytes& bytes, std::size_t i) {
  static_assert(std::endian::native == std::endian::little);
  T out;
  std::memcpy(&out, bytes.data() + i * sizeof out, sizeof out);
  return out;
}

// Turns L about a point of its own.
void turn_about(Pose& X, const Vec3& anchor, const Quat& q) {
  const Vec3 fixed = X.p + rotate(X.q, anchor);
  X.q = X.q * q;
  X.p = fixed - rotate(X.q, anchor);
}

void move(Pose& X, const LinkJoint& joint, std::span<const double> joints) {
  const std::size_t needed = joint.type == LinkJoint::Type::kBall ? 4 : 1;
  if (joint.at + needed > joints.size()) return;
  const double* at = joints.data() + joint.at;
  switch (joint.type) {
    case LinkJoint::Type::kHinge: return turn_about(X, joint.anchor, from_axis_angle(joint.axis, at[0] - joint.zero));
    case LinkJoint::Type::kSlide: X.p = X.p + (at[0] - joint.zero) * rotate(X.q, joint.axis); return;
    case LinkJoint::Type::kBall: return turn_about(X, joint.anchor, unit({at[0], at[1], at[2], at[3]}));
    case LinkJoint::Type::kSteered: {
      double s = 0, c = 1;
      math::sincos(at[0] - joint.zero, s, c);
      return turn_about(X, joint.anchor, from_axis_angle(joint.axis, math::atan2(s, c - joint.lead * s)));
    }
  }
}

}  // namespace

Vec3 Mesh::corner(std::size_t i) const {
  return {value_at<float>(corners, 3 * i), value_at<float>(corners, 3 * i + 1), value_at<float>(corners, 3 * i + 2)};
}

std::array<std::uint32_t, 3> Mesh::triangle(std::size_t i) const {
  return {value_at<std::uint32_t>(triangles, 3 * i), value_at<std::uint32_t>(triangles, 3 * i + 1),
          value_at<std::uint32_t>(triangles, 3 * i + 2)};
}

double Terrain::height(std::size_t column, std::size_t row) const {
  return top * value_at<float>(heights, row * columns + column);
}

void add_corner(Mesh& mesh, double x, double y, double z) {
  const float p[] = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
  Writer(mesh.corners).raw(p, sizeof p);
}

void add_triangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t t[] = {a, b, c};
  Writer(mesh.triangles).raw(t, sizeof t);
}

namespace {

// Of each link: does nothing move it in F?
std::vector<bool> still_links(const Shapes& shapes) {
  std::vector<bool> out;
  for (const Link& link : shapes.links) {
    const bool stands = link.base == Link::Base::kPlace || (link.base == Link::Base::kLink && out[link.parent]);
    out.push_back(stands && link.joints.empty());
  }
  return out;
}

// Every robot's file may have the ground in it, and all mean the world's.
void leave_out_ground(Shapes& shapes) {
  const std::vector<bool> still = still_links(shapes);
  std::vector<Pose> X_FL;
  place_links(shapes, {}, X_FL);
  std::erase_if(shapes.shapes, [&](const Shape& shape) {
    if (shape.kind != Shape::Kind::kPlane || !still[shape.link]) return false;
    const Pose X_FS = X_FL[shape.link] * shape.X_LS;
    return is_level(X_FS);
  });
}

}  // namespace

Shapes still_part(Shapes shapes) {
  const std::vector<bool> still = still_links(shapes);
  std::erase_if(shapes.shapes, [&](const Shape& shape) { return !still[shape.link]; });
  return shapes;
}

Shapes moving_part(Shapes shapes) {
  const std::vector<bool> still = still_links(shapes);
  std::erase_if(shapes.shapes, [&](const Shape& shape) { return still[shape.link]; });
  return shapes;
}

Result<Shapes> shapes_of(const Model& model, const ModelFiles& files) {
  const auto named = [](const ModelFile& file) { return file.name == kShapesFile; };
  const auto file = std::find_if(model.files.begin(), model.files.end(), named);
  if (file == model.files.end()) return shapes_of_drive(model);
  const auto bytes = files.find(file->hash);
  Shapes out;
  if (bytes == files.end()) return fail(ErrorCode::kNotFound, "the file of its shapes is missing", model.name);
  if (!load(ByteView(*bytes->second), out)) return fail(ErrorCode::kInvalid, "its shapes are damaged", model.name);
  if (const std::string problem = problem_of(out, model.joints.size()); !problem.empty())
    return fail(ErrorCode::kInvalid, "its shapes are damaged: " + problem, model.name);
  if (model.name == kWorldObjects) return moving_part(std::move(out));
  if (model.name != kWorldModel) leave_out_ground(out);
  return out;
}

Pose file_frame(const Shapes& shapes, const Pose& X_WR, const Pose& origin) {
  return shapes.fixed_base ? X_WR : level(origin);
}

void place_links(const Shapes& shapes, const Posture& posture, std::vector<Pose>& X_WL) {
  X_WL.resize(shapes.links.size());
  for (std::size_t i = 0; i < X_WL.size(); ++i) {
    const Link& link = shapes.links[i];
    Pose& X = X_WL[i];
    switch (link.base) {
      case Link::Base::kLink: X = X_WL[link.parent] * link.X_PL; break;
      case Link::Base::kRobot: X = posture.X_WR * link.X_PL; break;
      case Link::Base::kPlace: X = posture.X_WF * link.X_PL; break;
      case Link::Base::kFree:
        X = posture.X_WF * link.X_PL;
        if (link.at + std::size_t{7} <= posture.joints.size()) {
          const double* n = posture.joints.data() + link.at;
          X = {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
        }
        break;
    }
    X.q = unit(X.q);
    for (const LinkJoint& joint : link.joints) move(X, joint, posture.joints);
    if (!link.joints.empty()) X.q = unit(X.q);
  }
}

}  // namespace convoy
