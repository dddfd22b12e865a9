// The wheels of a robot from URDF or SDF, which it names in its tags for a simulator or a controller, or, of URDF, shows
// by its shapes.
#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "physics/mujoco/document.h"
#include "world/model_files.h"

namespace convoy::mujoco {

struct Wheels {
  std::vector<std::string> left, right;    // joints
  std::vector<std::string> turned;         // joints that a controller turns, whose sides are not said
  double radius = 0, half_separation = 0;  // m; 0: not said
  std::string source;                      // what said so, for the report; empty: nothing did
};

// The joints on each side, and the sizes, that the plugin of a differential drive names: added.
void read_drive_plugin(const Element& plugin, Wheels& out);
// Puts the joints into a document, as docs/mujoco.md has it; gives its <custom>.
Element& add_sides(Element& mjcf, const Wheels& wheels);

// By the plugins of <gazebo>, or else by the velocity interfaces of <ros2_control> and <transmission>.
Wheels wheels_in_tags(const Element& robot);

// Completes them by the model at its start: sides by where the joints are. Where no tag said anything, wheels are what
// looks like it: endless hinges across the robot's x axis, on its base, round, and on the ground on both sides.
void find_wheels(const mjModel* m, const mjData* d, Wheels& wheels);

// Puts them into the document, as docs/mujoco.md has it, with `speed`, the joints' limit (rad/s; 0: none). What slides on
// the ground beside them, a sphere fixed to the base, gets no friction. The report says what was recognised.
void name_wheels(const mjModel* m, const mjData* d, const Wheels& wheels, double speed, Element& mjcf,
                 ImportReport& report);

// Friction of links by <gazebo reference="LINK"><mu1>: it rules in their contacts, whatever they touch. Wheels that have
// none there, as another plugin moves that robot, keep what they have.
void set_friction(const mjModel* m, const Element& robot, const Wheels& wheels, Element& mjcf, ImportReport& report);

}  // namespace convoy::mujoco
