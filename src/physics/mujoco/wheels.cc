#include "physics/mujoco/wheels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/math.h"
#include "physics/mujoco/bounding_box.h"
#include "physics/mujoco/urdf_start.h"
#include "physics/mujoco/urdf_text.h"

namespace convoy::mujoco {

namespace {

constexpr double kAcross = 0.95;     // cosine: so nearly along the robot's y axis is an axle
constexpr double kRound = 0.9;       // of the largest radius, in each direction
constexpr double kOnGround = 0.3;    // of a wheel's radius: so much higher than the lowest one it may be
constexpr double kSlides = 5e-3;     // m above the lowest point: what touches the ground beside the wheels
constexpr double kMostFriction = 1;  // Gazebo takes the smaller of two, and the ground has this
constexpr double kFastest = 5;       // m/s: a larger limit is none that the author means

bool is_one_of(const std::string& tag, std::initializer_list<const char*> tags) {
  return std::any_of(tags.begin(), tags.end(), [&](const char* t) { return tag == t; });
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

void read_plugin(const Element& plugin, Wheels& out) {
  const std::string what = lower(plugin.get("filename") + " " + plugin.get("name"));
  const auto is = [&](const char* word) { return what.find(word) != std::string::npos; };
  const bool skid = is("skid");
  if (!skid && !is("diff_drive") && !is("diff-drive") && !is("diffdrive") && !is("differential_drive")) return;
  read_drive_plugin(plugin, out);
  out.source = skid ? "the skid-steer plugin of <gazebo>" : "the diff-drive plugin of <gazebo>";
}

bool takes_velocity(const Element& joint) {
  return std::any_of(joint.children.begin(), joint.children.end(), [](const Element& e) {
    return (e.tag == "command_interface" && e.get("name") == "velocity") ||
           (e.tag == "hardwareInterface" && e.text.find("VelocityJointInterface") != std::string::npos);
  });
}

// The geoms of what turns with a joint.
template <class F>
void each_geom(const mjModel* m, int joint, const F& f) {
  const int top = m->jnt_bodyid[joint];
  for (int g = 0; g < m->ngeom; ++g)
    if (is_solid(m, g) && m->body_weldid[m->geom_bodyid[g]] == top) f(g);
}

bool is_round_mesh(const mjModel* m, const mjData* d, int g, const double* anchor, const double* axis) {
  constexpr std::size_t kSectors = 12;
  std::array<double, kSectors> radii{};
  const int mesh = m->geom_dataid[g];
  const float* v = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  // Two directions across the axis, to measure angles by.
  double a[3] = {axis[2], 0, -axis[0]};
  const double length = std::sqrt(a[0] * a[0] + a[2] * a[2]);
  if (length < 1e-6) return false;  // no axle lies along y then
  for (double& x : a) x /= length;
  double b[3];
  mju_cross(b, axis, a);
  for (int i = 0; i < m->mesh_vertnum[mesh]; ++i, v += 3) {
    const double local[3] = {v[0], v[1], v[2]};
    double p[3];
    mju_mulMatVec3(p, d->geom_xmat + 9 * g, local);
    for (int k = 0; k < 3; ++k) p[k] += d->geom_xpos[3 * g + k] - anchor[k];
    const double x = mju_dot3(p, a), y = mju_dot3(p, b);
    const auto sector =
        static_cast<std::size_t>((math::atan2(y, x) + math::kPi) / (2 * math::kPi) * kSectors) % kSectors;
    radii[sector] = std::max(radii[sector], std::sqrt(x * x + y * y));
  }
  return *std::min_element(radii.begin(), radii.end()) > kRound * *std::max_element(radii.begin(), radii.end());
}

bool is_round(const mjModel* m, const mjData* d, int joint) {
  const double *anchor = d->xanchor + 3 * joint, *axis = d->xaxis + 3 * joint;
  bool round = false;
  each_geom(m, joint, [&](int g) {
    const mjtNum* R = d->geom_xmat + 9 * g;
    const double along = std::fabs(R[2] * axis[0] + R[5] * axis[1] + R[8] * axis[2]);
    const int type = m->geom_type[g];
    round = round || type == mjGEOM_SPHERE ||
            ((type == mjGEOM_CYLINDER || type == mjGEOM_CAPSULE) && along > kAcross) ||
            (type == mjGEOM_MESH && is_round_mesh(m, d, g, anchor, axis));
  });
  return round;
}

double lowest_of_wheel(const mjModel* m, const mjData* d, int joint) {
  double lowest = HUGE_VAL;
  each_geom(m, joint, [&](int g) { lowest = std::min(lowest, lowest_of(m, d, g)); });
  return lowest;
}

// Hangs it on the base by nothing that moves? A wheel on a steering knuckle does not.
bool is_on_base(const mjModel* m, int joint) {
  const int above = m->body_weldid[m->body_parentid[m->jnt_bodyid[joint]]];
  return above == 0 || m->body_parentid[above] == 0;
}

std::vector<int> look_alikes(const mjModel* m, const mjData* d) {
  std::vector<int> out;
  const double ground = lowest_of_all(m, d);
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_type[j] != mjJNT_HINGE || m->jnt_limited[j] || std::fabs(d->xaxis[3 * j + 1]) < kAcross) continue;
    if (!is_on_base(m, j) || !is_round(m, d, j)) continue;
    const double lowest = lowest_of_wheel(m, d, j), radius = d->xanchor[3 * j + 2] - lowest;
    if (lowest - ground < kOnGround * radius) out.push_back(j);
  }
  return out;
}

void split(const mjModel* m, const mjData* d, const std::vector<int>& joints, Wheels& wheels) {
  double middle = 0;
  for (int j : joints) middle += d->xanchor[3 * j + 1] / static_cast<double>(joints.size());
  for (int j : joints)
    (d->xanchor[3 * j + 1] > middle ? wheels.left : wheels.right).push_back(mj_id2name(m, mjOBJ_JOINT, j));
}

void keep_hinges(const mjModel* m, std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) {
    const int j = mj_name2id(m, mjOBJ_JOINT, name.c_str());
    return j < 0 || m->jnt_type[j] != mjJNT_HINGE;
  });
}

void add_text(Element& custom, const char* name, const std::vector<std::string>& words) {
  Element& e = custom.add("text");
  e.set("name", name), e.set("data", fmt::format("{}", fmt::join(words, " ")));
}

void add_number(Element& custom, const char* name, double value) {
  if (!(value > 0)) return;
  Element& e = custom.add("numeric");
  e.set("name", name), e.set("data", fmt::format("{:.17g}", value));
}

// The element of a geom in the document; geoms stand there in their order.
Element* element_of(const mjModel* m, int geom, Element& mjcf) {
  const int body = m->geom_bodyid[geom];
  Element* found = body == 0 ? mjcf.child("worldbody") : nullptr;
  const char* name = mj_id2name(m, mjOBJ_BODY, body);
  if (!found && name)
    each(mjcf, [&](Element& e) {
      if (!found && e.tag == "body" && e.get("name") == name) found = &e;
    });
  if (!found) return nullptr;
  int at = m->body_geomadr[body];
  for (Element& e : found->children)
    if (e.tag == "geom" && at++ == geom) return &e;
  return nullptr;
}

void set_sliding(Element& geom, double friction) {
  geom.set("priority", "1");
  if (friction > 0) geom.set("friction", fmt::format("{:.17g} 0.005 0.0001", friction));
  else geom.set("condim", "1");
}

// Spheres that are fixed to the base and touch the ground beside wheels.
int free_casters(const mjModel* m, const mjData* d, Element& mjcf) {
  const double ground = lowest_of_all(m, d);
  int count = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    const int top = m->body_weldid[m->geom_bodyid[g]];
    if (m->geom_type[g] != mjGEOM_SPHERE || !is_solid(m, g) || top == 0 || m->body_parentid[top] != 0) continue;
    if (lowest_of(m, d, g) - ground > kSlides) continue;
    Element* e = element_of(m, g, mjcf);
    if (!e || e->find("priority")) continue;
    set_sliding(*e, 0);
    ++count;
  }
  return count;
}

}  // namespace

void read_drive_plugin(const Element& plugin, Wheels& out) {
  for (const Element& e : plugin.children) {
    const double value = std::strtod(e.text.c_str(), nullptr);
    if (is_one_of(e.tag, {"left_joint", "leftJoint", "leftFrontJoint", "leftRearJoint"})) out.left.push_back(e.text);
    else if (is_one_of(e.tag, {"right_joint", "rightJoint", "rightFrontJoint", "rightRearJoint"}))
      out.right.push_back(e.text);
    else if (is_one_of(e.tag, {"wheel_separation", "wheelSeparation"})) out.half_separation = value / 2;
    else if (is_one_of(e.tag, {"wheel_diameter", "wheelDiameter"})) out.radius = value / 2;
    else if (is_one_of(e.tag, {"wheel_radius", "wheelRadius"})) out.radius = value;
  }
}

Element& add_sides(Element& mjcf, const Wheels& wheels) {
  Element& custom = mjcf.add("custom");
  add_text(custom, "convoy_left_wheels", wheels.left), add_text(custom, "convoy_right_wheels", wheels.right);
  return custom;
}

Wheels wheels_in_tags(const Element& robot) {
  Wheels out;
  for (const Element& e : robot.children)
    if (e.tag == "gazebo")
      for (const Element& plugin : e.children)
        if (plugin.tag == "plugin" && out.source.empty()) read_plugin(plugin, out);
  if (!out.left.empty() && !out.right.empty()) return out;
  out = {};
  for (const Element& e : robot.children) {
    if (e.tag != "ros2_control" && e.tag != "transmission") continue;
    for (const Element& joint : e.children)
      if (joint.tag == "joint" && takes_velocity(joint)) out.turned.push_back(joint.get("name"));
  }
  if (!out.turned.empty()) out.source = "the velocity interfaces of its controllers";
  return out;
}

void find_wheels(const mjModel* m, const mjData* d, Wheels& wheels) {
  for (auto* names : {&wheels.left, &wheels.right, &wheels.turned}) keep_hinges(m, *names);
  if (!wheels.left.empty() && !wheels.right.empty()) return;
  std::vector<int> joints;
  for (const std::string& name : wheels.turned) joints.push_back(mj_name2id(m, mjOBJ_JOINT, name.c_str()));
  std::erase_if(joints, [&](int j) { return std::fabs(d->xaxis[3 * j + 1]) < kAcross; });
  if (joints.size() < 2) joints = look_alikes(m, d), wheels = {}, wheels.source = "their shapes";
  wheels.left.clear(), wheels.right.clear();
  split(m, d, joints, wheels);
  if (wheels.left.empty() || wheels.right.empty()) wheels = {};
}

void name_wheels(const mjModel* m, const mjData* d, const Wheels& wheels, double speed, Element& mjcf,
                 ImportReport& report) {
  if (wheels.left.empty()) return;
  double radius = wheels.radius;
  for (const std::string& name : wheels.left) {
    const int j = mj_name2id(m, mjOBJ_JOINT, name.c_str());
    const double lowest = lowest_of_wheel(m, d, j);
    if (radius == 0 && std::isfinite(lowest)) radius = std::fmax(0, d->xanchor[3 * j + 2] - lowest);
  }
  Element& custom = add_sides(mjcf, wheels);
  add_number(custom, "convoy_wheel_radius", radius);
  add_number(custom, "convoy_half_separation", wheels.half_separation);
  if (speed * radius <= kFastest) add_number(custom, "convoy_max_speed", speed * radius);
  report.made.push_back(fmt::format("wheels: left {}, right {}; recognised by {}", listed(wheels.left),
                                    listed(wheels.right), wheels.source));
  if (const int casters = free_casters(m, d, mjcf); casters)
    report.made.push_back(
        fmt::format("casters: {} spheres that are fixed to the base touch the ground: they slide freely", casters));
}

void set_friction(const mjModel* m, const Element& robot, const Wheels& wheels, Element& mjcf, ImportReport& report) {
  const auto is_wheel = [&](int body) {
    for (const auto* names : {&wheels.left, &wheels.right})
      for (const std::string& name : *names)
        if (m->jnt_bodyid[mj_name2id(m, mjOBJ_JOINT, name.c_str())] == m->body_weldid[body]) return true;
    return false;
  };
  int count = 0;
  for (const Element& gazebo : robot.children) {
    const std::string link = gazebo.tag == "gazebo" ? gazebo.get("reference") : "";
    const Element* mu = link.empty() ? nullptr : gazebo.child("mu1");
    if (!mu) continue;
    char* end = nullptr;
    const double friction = std::strtod(mu->text.c_str(), &end);
    const int body = mj_name2id(m, mjOBJ_BODY, link.c_str());
    if (body < 0 || end == mu->text.c_str() || !(friction >= 0) || !std::isfinite(friction)) continue;
    if (friction == 0 && is_wheel(body)) continue;
    for (int g = 0; g < m->ngeom; ++g) {
      Element* e = m->geom_bodyid[g] == body && is_solid(m, g) ? element_of(m, g, mjcf) : nullptr;
      if (e) set_sliding(*e, std::min(friction, kMostFriction)), ++count;
    }
  }
  if (count) report.made.push_back(fmt::format("friction of {} shapes by <gazebo> <mu1>", count));
}

}  // namespace convoy::mujoco
