// The links and joints of an SDF as bodies, joints, equalities and actuators.
#pragma once

#include <vector>

#include "physics/mujoco/sdf_shapes.h"
#include "physics/mujoco/servos.h"

namespace convoy::mujoco {

class SdfBodies {
 public:
  SdfBodies(const SdfScene& scene, SdfShapes& shapes, Losses& losses, ImportReport& report)
      : scene_(scene), shapes_(shapes), losses_(losses), report_(report) {}

  // All that stands or moves in the world, in the order of the file.
  Status add_to(Element& worldbody);
  // What holds a joint's link that hangs on another joint already.
  void add_loops(Element& equality);
  // Links of one model do not touch, as in Gazebo, unless it says <self_collide>.
  void add_excludes(Element& contact);
  // Behind add_to().
  const std::vector<Servo>& servos() const { return servos_; }
  const std::vector<Mimic>& mimics() const { return mimics_; }

 private:
  Element body(std::size_t link, const Pose& X_WP);
  void inertial(const SdfLink& link, Element& body);
  void joints(const SdfJoint& joint, const Pose& X_WB, Element& body);
  void joint(const SdfJoint& joint, const Pose& X_WB, const char* axis, const std::string& name, bool slides,
             Element& body);
  bool limits(const Element& limit, bool bounded, Element& out, double& effort);
  void dynamics(const Element& axis, Element& out);

  const SdfScene& scene_;
  SdfShapes& shapes_;
  Losses& losses_;
  ImportReport& report_;
  SdfValues values_;
  std::vector<Servo> servos_;
  std::vector<Mimic> mimics_;
  std::vector<bool> solid_;      // of links: it can be touched
  std::vector<Element> planes_;  // of the last body and those below it
};

}  // namespace convoy::mujoco
