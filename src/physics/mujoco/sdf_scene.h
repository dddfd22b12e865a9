// The links and joints of an SDF's models, in flat lists, and the tree that they make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "physics/mujoco/sdf_frames.h"

namespace convoy::mujoco {

struct SdfLink {
  const Element* element = nullptr;
  FrameId frame{};
  std::string name;       // in the whole document
  std::size_t model = 0;  // the outermost one
  bool is_static = false;
  std::vector<std::size_t> below;  // joints that hang on it
  std::optional<std::size_t> by;   // the joint by which it hangs on another, or on the world
  bool stands = false;             // it is fixed to the world, by way of others or itself
  bool held = false;               // only because neither it nor what is fixed to it weighs anything
};

struct SdfJoint {
  const Element* element = nullptr;
  FrameId frame{}, scope{};
  std::string name, prefix;           // in the whole document; and what stands before the names of its model
  bool axis_in_model = false;         // as it was before SDF 1.5
  std::optional<std::size_t> parent;  // none: the world
  std::size_t child = 0;
  std::string type() const { return element->get("type"); }
};

struct SdfModel {
  std::string name;
  bool self_collide = false;
};

struct SdfScene {
  SdfFrames frames;
  std::vector<SdfModel> models;  // the outermost ones
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  std::vector<std::size_t> loops;  // joints whose child hangs on another joint already
};

// Of the models (and frames and joints) among the children of `parent`, which outlives the scene. `prefixed`: names
// begin with the outermost model's.
Result<SdfScene> read_scene(const Element& parent, bool prefixed, Losses& losses);

// Does the joint hold its link fast?
bool is_rigid(const SdfJoint& joint);

}  // namespace convoy::mujoco
