// A scene as a binary glTF 2.0 file (.glb), as Blender, three and Khronos' own viewer read it.
//
// glTF's axes are x to the right, y up; one node at the root turns ours into them. Under it is a node for each entity,
// named as it is, under that its links as they hang on one another, and under each link its visible shapes. Numbers are
// single precision. Colours become linear, as glTF has them; flat textures are kept on meshes and planes, and are their
// mean colour elsewhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "shapes/shapes.h"

namespace convoy {

struct SceneItem {
  std::string name;
  const Shapes* shapes = nullptr;
  std::vector<Pose> X_WL;  // as place_links() makes them
};

// The same file for the same items. kUnsupported: it would be larger than glTF allows, 4 GiB.
Result<Bytes> to_glb(std::span<const SceneItem> items);

}  // namespace convoy
