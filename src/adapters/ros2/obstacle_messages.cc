// Obstacles as messages.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "adapters/ros2/obstacle.h"
#include "core/pose.h"
#include "messages/geometry.h"
#include "shapes/tessellate.h"

namespace convoy::ros2 {

namespace {

using moveit_msgs::msg::CollisionObject;
using shape_msgs::msg::SolidPrimitive;
using visualization_msgs::msg::Marker;

// ------------------------------------------------------------------------------------------------ planning scenes

SolidPrimitive primitive_of(const ObstaclePart& part) {
  SolidPrimitive out;
  if (part.kind == Shape::Kind::kBox) {
    out.type = SolidPrimitive::BOX;
    for (const double half : {part.size.x, part.size.y, part.size.z}) out.dimensions.push_back(2 * half);
  } else if (part.kind == Shape::Kind::kSphere) {
    out.type = SolidPrimitive::SPHERE, out.dimensions.push_back(part.size.x);
  } else {
    out.type = SolidPrimitive::CYLINDER;
    out.dimensions.push_back(2 * part.size.y), out.dimensions.push_back(part.size.x);
  }
  return out;
}

shape_msgs::msg::Mesh message_of(const Mesh& mesh) {
  shape_msgs::msg::Mesh out;
  out.vertices.resize(mesh.corner_count()), out.triangles.resize(mesh.triangle_count());
  for (std::size_t i = 0; i < out.vertices.size(); ++i) ros::put(mesh.corner(i), out.vertices[i]);
  for (std::size_t i = 0; i < out.triangles.size(); ++i) out.triangles[i].vertex_indices = mesh.triangle(i);
  return out;
}

CollisionObject object_of(const std::string& id, const Pose& X_FO, const std_msgs::msg::Header& header,
                          std::uint8_t operation) {
  CollisionObject out;
  out.header = header, out.id = id, out.operation = operation, out.pose = ros::message_of(X_FO);
  return out;
}

void fill(const Obstacle& obstacle, CollisionObject& out) {
  for (std::size_t i = 0; i < obstacle.look->parts.size(); ++i) {
    const ObstaclePart& part = obstacle.look->parts[i];
    if (part.mesh) {
      out.meshes.push_back(message_of(*part.mesh)), out.mesh_poses.push_back(ros::message_of(obstacle.X_OP[i]));
    } else {
      out.primitives.push_back(primitive_of(part)), out.primitive_poses.push_back(ros::message_of(obstacle.X_OP[i]));
    }
  }
}

// ------------------------------------------------------------------------------------------------------- markers

void set_form(const ObstaclePart& part, Marker& out) {
  const Vec3& s = part.size;
  switch (part.kind) {
    case Shape::Kind::kBox: out.type = Marker::CUBE, ros::put(2 * s, out.scale); return;
    case Shape::Kind::kSphere: out.type = Marker::SPHERE, ros::put(Vec3{2 * s.x, 2 * s.x, 2 * s.x}, out.scale); return;
    case Shape::Kind::kCylinder:
      out.type = Marker::CYLINDER, ros::put(Vec3{2 * s.x, 2 * s.x, 2 * s.y}, out.scale);
      return;
    default: break;
  }
  out.type = Marker::TRIANGLE_LIST, ros::put(Vec3{1, 1, 1}, out.scale);
  for (std::size_t i = 0; i < part.mesh->triangle_count(); ++i)
    for (const std::uint32_t corner : part.mesh->triangle(i))
      ros::put(part.mesh->corner(corner), out.points.emplace_back());
}

// -------------------------------------------------------------------------------------------------------- points

// Evenly over the triangle, its corners among them.
void sample(const std::array<Vec3, 3>& t, std::vector<float>& out) {
  const Vec3 u = t[1] - t[0], v = t[2] - t[0];
  const double longest = std::max({norm(u), norm(v), norm(v - u)});
  const auto n = static_cast<std::size_t>(std::clamp(std::ceil(longest / kPointSpacing), 1.0, 1000.0));
  for (std::size_t i = 0; i <= n; ++i)
    for (std::size_t j = 0; i + j <= n && out.size() < 3 * kMaxObstaclePoints; ++j) {
      const Vec3 p = t[0] + (static_cast<double>(i) / static_cast<double>(n)) * u +
                     (static_cast<double>(j) / static_cast<double>(n)) * v;
      for (const double c : {p.x, p.y, p.z}) out.push_back(static_cast<float>(c));
    }
}

Mesh mesh_of(const ObstaclePart& part) {
  if (part.mesh) return *part.mesh;
  Shape shape;
  shape.kind = part.kind, shape.size = part.size;
  return triangles_of(shape, Shapes());
}

std_msgs::msg::Header header_of(const std::string& frame, Instant stamp) {
  std_msgs::msg::Header out;
  out.frame_id = frame, out.stamp = ros::stamp_of(stamp);
  return out;
}

}  // namespace

moveit_msgs::msg::PlanningScene planning_scene_of(const ObstacleChanges& changes, const std::string& frame,
                                                  Instant stamp) {
  const auto header = header_of(frame, stamp);
  moveit_msgs::msg::PlanningScene out;
  out.is_diff = out.robot_state.is_diff = true;
  auto& objects = out.world.collision_objects;
  for (const auto& [name, obstacle] : changes.made) {
    objects.push_back(object_of(name, obstacle->X_FO, header, CollisionObject::ADD));
    fill(*obstacle, objects.back());
  }
  for (const auto& [name, obstacle] : changes.moved)
    objects.push_back(object_of(name, obstacle->X_FO, header, CollisionObject::MOVE));
  for (const std::string& name : changes.gone) objects.push_back(object_of(name, {}, header, CollisionObject::REMOVE));
  return out;
}

visualization_msgs::msg::MarkerArray markers_of(const ObstacleChanges& changes, const Obstacles& before,
                                                const std::string& frame, Instant stamp) {
  const auto header = header_of(frame, stamp);
  visualization_msgs::msg::MarkerArray out;
  const auto add = [&](const std::string& name, std::size_t i, std::int32_t action) -> Marker& {
    Marker& marker = out.markers.emplace_back();
    marker.header = header, marker.ns = name, marker.id = static_cast<std::int32_t>(i), marker.action = action;
    return marker;
  };
  for (const auto* some : {&changes.made, &changes.moved})
    for (const auto& [name, obstacle] : *some)
      for (std::size_t i = 0; i < obstacle->look->parts.size(); ++i) {
        const ObstaclePart& part = obstacle->look->parts[i];
        Marker& marker = add(name, i, Marker::ADD);
        marker.pose = ros::message_of(obstacle->X_FO * obstacle->X_OP[i]);
        const auto share = [&](std::size_t c) { return static_cast<float>(part.color[c]) / 255; };
        marker.color.r = share(0), marker.color.g = share(1), marker.color.b = share(2), marker.color.a = share(3);
        set_form(part, marker);
      }
  for (const std::string& name : changes.gone)
    for (std::size_t i = 0; i < before.at(name).X_OP.size(); ++i) add(name, i, Marker::DELETE);
  return out;
}

sensor_msgs::msg::PointCloud2 points_of(const Obstacles& obstacles, const std::string& frame, Instant stamp) {
  std::vector<float> numbers;
  for (const auto& [name, obstacle] : obstacles)
    for (std::size_t i = 0; i < obstacle.look->parts.size(); ++i) {
      const Mesh mesh = mesh_of(obstacle.look->parts[i]);
      const Pose X_FP = obstacle.X_FO * obstacle.X_OP[i];
      for (std::size_t k = 0; k < mesh.triangle_count() && numbers.size() < 3 * kMaxObstaclePoints; ++k) {
        std::array<Vec3, 3> corners;
        for (std::size_t c = 0; c < 3; ++c) corners[c] = (X_FP * Pose{mesh.corner(mesh.triangle(k)[c]), {}}).p;
        sample(corners, numbers);
      }
    }
  sensor_msgs::msg::PointCloud2 out;
  out.header = header_of(frame, stamp);
  for (const char* name : {"x", "y", "z"}) {
    auto& field = out.fields.emplace_back();
    field.name = name, field.datatype = sensor_msgs::msg::PointField::FLOAT32, field.count = 1;
    field.offset = static_cast<std::uint32_t>(4 * (out.fields.size() - 1));
  }
  out.height = 1, out.width = static_cast<std::uint32_t>(numbers.size() / 3);
  out.point_step = 12, out.row_step = 12 * out.width, out.is_dense = true;
  out.data.resize(4 * numbers.size());
  std::memcpy(out.data.data(), numbers.data(), out.data.size());
  return out;
}

}  // namespace convoy::ros2
