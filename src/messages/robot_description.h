// A robot as URDF, the text of its topic robot_description: made of what its model looks like (shapes/shapes.h), whichever
// file that came from. Nobody keeps the file itself: an import turns it into MJCF.
//
// robot_state_publisher makes of it and of the robot's joint_states the frames that link_transforms() has:
//
// | of the model | in URDF |
// |---|---|
// | base, links | links of their names: link_frames() says which, and which are the base |
// | hinge, slide | continuous or, with limits, revolute; prismatic. Its name is that in joint_states |
// | several joints of a link, or one beside its origin | links without a look between, "<link>__<joint>" |
// | a number that moves several links | the first has its name, the others mimic it |
// | the inner and outer wheel of a steered axle | both turn as its middle: right for small angles |
// | ball joint | floating: its publisher takes it for fixed |
// | capsule | a cylinder and two spheres |
// | ellipsoid | the cylinder about it, along its most different axis |
// | mesh | a mesh of the name that the caller gives it, else the box about it |
// | terrain, plane with edges | the box about it; planes without end are left out |
//
// Visible shapes are <visual>, solid ones <collision>. Masses and textures are not in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "messages/frames.h"
#include "shapes/shapes.h"
#include "world/model.h"

namespace convoy::ros {

// Of a joint, which is nowhere in its look: where the robot runs, Panel::all_joints has them.
struct JointLimit {
  std::string joint;
  double low = 0, high = 0;  // rad or m, its own numbers
};

struct DescriptionOptions {
  std::string name;                // of the robot
  std::string base = kBaseFrame;   // RobotFrames::base; prefixes are robot_state_publisher's (frame_prefix)
  std::vector<JointLimit> limits;  // of some joints; a kinematic model's steering has that of the model besides
  // Where readers find a mesh, by its number in the shapes: "package://...", "file://...". Empty, or no function: nowhere.
  std::function<std::string(std::uint32_t mesh)> mesh_uri;
};

std::string robot_description(const Shapes& shapes, const Model& model, const DescriptionOptions& options);

// A mesh as a binary STL file, in m, for mesh_uri.
Bytes stl_of(const Mesh& mesh);

}  // namespace convoy::ros
