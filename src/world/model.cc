#include "world/model.h"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

std::vector<Vec2> rectangle(double back, double right, double front, double left) {
  return {{back, right}, {front, right}, {front, left}, {back, left}};
}

// Dimensions of ROBOTIS' turtlebot3_description and turtlebot3_navigation2 (footprint, limits).
Model turtlebot3_burger() {
  Model m;
  m.name = "turtlebot3_burger";
  m.drive = Drive::kDifferential;
  m.footprint = rectangle(-0.105, -0.105, 0.041, 0.105);
  m.height = 0.192;
  m.mass = 1.0;
  m.wheel_radius = 0.033;
  m.half_separation = 0.080;
  m.max_speed = 0.22;
  m.max_turn_rate = 2.84;
  m.max_acceleration = 2.5;
  m.max_turn_acceleration = 3.2;
  m.joints = joint_names(m.drive);
  return m;
}

Model turtlebot3_waffle() {
  Model m = turtlebot3_burger();
  m.name = "turtlebot3_waffle";
  m.footprint = rectangle(-0.205, -0.155, 0.077, 0.155);
  m.height = 0.141;
  m.mass = 1.8;
  m.half_separation = 0.1435;
  m.max_speed = 0.26;
  m.max_turn_rate = 1.82;
  return m;
}

// A car-like cart of half a metre; the frame is on the rear axle.
Model cart() {
  Model m;
  m.name = "cart";
  m.drive = Drive::kAckermann;
  m.footprint = rectangle(-0.15, -0.25, 0.65, 0.25);
  m.height = 0.45;
  m.mass = 35;
  m.wheel_radius = 0.1;
  m.half_separation = 0.2;
  m.wheelbase = 0.5;
  m.max_steering = 0.55;
  m.max_steering_rate = 1.5;
  m.max_speed = 1.5;
  m.max_turn_rate = 1.5;
  m.max_acceleration = 1.2;
  m.max_turn_acceleration = 3.0;
  m.joints = joint_names(m.drive);
  return m;
}

// A pallet truck: one steered and driven front wheel, forks behind; the frame is between the rear rollers.
Model truck() {
  Model m;
  m.name = "truck";
  m.drive = Drive::kTricycle;
  m.footprint = rectangle(-0.35, -0.4, 1.4, 0.4);
  m.height = 1.2;
  m.mass = 450;
  m.wheel_radius = 0.127;
  m.half_separation = 0.2;
  m.wheelbase = 1.1;
  m.max_steering = 1.2;
  m.max_steering_rate = 1.2;
  m.max_speed = 1.5;
  m.max_turn_rate = 1.0;
  m.max_acceleration = 0.8;
  m.max_turn_acceleration = 1.5;
  m.joints = joint_names(m.drive);
  return m;
}

Model box() {
  Model m;
  m.name = "box";
  m.drive = Drive::kNone;
  m.footprint = rectangle(-0.15, -0.15, 0.15, 0.15);
  m.height = 0.3;
  m.mass = 3;
  m.max_speed = m.max_turn_rate = m.max_acceleration = m.max_turn_acceleration = 0;
  return m;
}

// What nodes that belong to no robot run as.
Model program() {
  Model m = box();
  m.name = kProgramModel;
  m.footprint.clear();
  return m;
}

}  // namespace

const Model::Keyframe* find_keyframe(const Model& model, const std::string& name) {
  for (const Model::Keyframe& keyframe : model.keyframes)
    if (!name.empty() && keyframe.name == name) return &keyframe;
  return nullptr;
}

Pose start_pose(const Model& model, const std::string& keyframe, const Pose& made_at) {
  const Model::Keyframe* found = find_keyframe(model, keyframe);
  return !found || found->X_SR == Pose{} ? made_at : made_at * found->X_SR;
}

bool is_part_of_pose(const std::string& joint) {
  const std::size_t colon = joint.rfind(':');
  if (colon == joint.npos || colon == 0 || joint[colon - 1] == ':') return false;
  const std::string part = joint.substr(colon + 1);
  return part == "x" || part == "y" || part == "z" || part == "qw" || part == "qx" || part == "qy" || part == "qz";
}

bool is_body_pose(const Model& model, std::size_t joint) {
  if (joint + 7 > model.joints.size()) return false;
  const std::string &x = model.joints[joint], &qw = model.joints[joint + 3];
  return is_part_of_pose(x) && is_part_of_pose(qw) && x.ends_with(":x") && qw.ends_with(":qw");
}

double circumscribed_radius(const Model& model) {
  double largest = 0;
  for (const Vec2& c : model.footprint) largest = std::max(largest, c.x * c.x + c.y * c.y);
  return std::sqrt(largest);
}

double inscribed_radius(const Model& model) {
  const std::vector<Vec2>& f = model.footprint;
  if (f.size() < 3) return 0;
  double least = circumscribed_radius(model);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Vec2 a = f[i], b = f[i + 1 < f.size() ? i + 1 : 0];
    const double ex = b.x - a.x, ey = b.y - a.y, length = std::sqrt(ex * ex + ey * ey);
    if (length > 0) least = std::min(least, (ey * a.x - ex * a.y) / length);
  }
  return std::max(0.0, least);
}

double bounding_radius(const Model& model) {
  const double r = circumscribed_radius(model);
  return std::max(model.reach, std::sqrt(r * r + model.height * model.height));
}

std::vector<std::string> joint_names(Drive drive) {
  switch (drive) {
    case Drive::kNone: return {};
    case Drive::kDifferential: return {"wheel_left_joint", "wheel_right_joint"};
    case Drive::kAckermann: return {"steering_joint", "wheel_left_joint", "wheel_right_joint"};
    case Drive::kTricycle: return {"steering_joint", "drive_wheel_joint"};
  }
  return {};
}

std::vector<Model> built_in_models() {
  return {turtlebot3_burger(), turtlebot3_waffle(), cart(), truck(), box(), program()};
}

}  // namespace convoy
