// A user's MJCF or SDF file as a world: what is fixed in it, what moves in it, and its boxes on a map.
#pragma once

#include <map>
#include <optional>

#include "physics/mujoco/import.h"
#include "world/loose_bodies.h"
#include "world/upright_shapes.h"

namespace convoy::mujoco {

struct ImportedWorld {
  // The whole file, under two names: robots take what is fixed of it for their walls, one agent solves what moves. It is
  // not taken apart, for what refers across.
  ImportedModel fixed;                   // of the name kWorldModel
  std::optional<ImportedModel> objects;  // of the name kWorldObjects, if there are free bodies, doors, or their like
  std::vector<BoxShape> boxes;           // around what is fixed where robots drive, for maps and pictures
};

// `shapes` are put into it as geoms of its worldbody, convoy:box:0 and so on; its boxes are without them. The options'
// name and wheels do not count.
Result<ImportedWorld> import_world(const std::string& path, const ImportOptions& options,
                                   const UprightShapes& shapes = {});

// A document's model that is not one body to collide with or to drive; the document names the assets as they are called
// here. `path` is for errors.
Result<ImportedModel> model_of_objects(const Element& root, const std::string& name, const std::string& path,
                                       const std::map<std::string, Bytes>& assets);

}  // namespace convoy::mujoco
