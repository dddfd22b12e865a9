// The collisions and visuals of an SDF's links as geoms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "physics/mujoco/mesh_files.h"
#include "physics/mujoco/sdf_scene.h"

namespace convoy::mujoco {

class SdfShapes {
 public:
  SdfShapes(const SdfFrames& frames, MeshFiles meshes, Losses& losses)
      : frames_(frames), meshes_(std::move(meshes)), losses_(losses) {}

  // Of a link whose frame is X_BL in the body. Collisions weigh something if the link's inertia follows from them.
  std::vector<Element> of(const SdfLink& link, const Pose& X_BL, bool weighs, SdfValues& values);
  // The <mesh> elements that the geoms name.
  std::vector<Element> take_assets() { return std::move(assets_); }

 private:
  struct Shape {
    const Element* from = nullptr;  // the <collision> or <visual>
    bool visual = false, beside_visuals = false;
    double density = 0;
  };
  bool geom(const SdfLink& link, const Pose& X_BL, const Shape& shape, Element& out, SdfValues& values);
  bool size(const SdfLink& link, const Shape& shape, const Element& geometry, Pose& X_BG, Element& out,
            SdfValues& values);
  bool plane(const SdfLink& link, const Shape& shape, const Element& e, Pose& X_BG, Element& out, SdfValues& values);
  bool mesh(const Shape& shape, const Element& e, Element& out, SdfValues& values);
  void surface(const Element& collision, Element& out, SdfValues& values);
  void colour(const Element& visual, Element& out, SdfValues& values);

  const SdfFrames& frames_;
  MeshFiles meshes_;
  Losses& losses_;
  std::vector<Element> assets_;
  std::map<std::string, std::string> names_;  // of meshes, by file and scale
};

// pos and quat of an element of MJCF.
void put_pose(Element& e, const Pose& X);
std::string text_of(const Vec3& v);
// A new element from the same place.
Element made_from(const Element& source, const char* tag);

}  // namespace convoy::mujoco
