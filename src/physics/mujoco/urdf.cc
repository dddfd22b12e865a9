#include "physics/mujoco/urdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "physics/mujoco/losses.h"
#include "physics/mujoco/servos.h"
#include "physics/mujoco/urdf_conversion.h"
#include "physics/mujoco/urdf_inertia.h"
#include "physics/mujoco/urdf_start.h"
#include "physics/mujoco/urdf_text.h"
#include "physics/mujoco/wheels.h"

namespace convoy::mujoco {

namespace {

// What neither MuJoCo nor we take over, reported once for each kind.
void report_losses(const Element& root, ImportReport& report) {
  Losses losses;
  for (const Element& e : root.children) {
    if (e.tag == "gazebo" || e.tag == "transmission" || e.tag == "ros2_control")
      losses.add("of <" + e.tag + "> only what names wheels and friction is read");
    else if (e.tag == "sensor") losses.add("<sensor> is not read");
    else if (e.tag != "link" && e.tag != "joint" && e.tag != "material" && e.tag != "mujoco")
      losses.add("<" + e.tag + "> is not known");
    if (e.tag != "joint") continue;
    for (const Element& c : e.children) {
      if (c.tag == "limit" && c.find("velocity")) losses.add("a joint's velocity limit is not kept");
      if (c.tag == "safety_controller" || c.tag == "calibration") losses.add("<" + c.tag + "> is not read");
    }
    if (e.get("type") == "planar") losses.add("a planar joint is not read");
  }
  losses.write(report);
}

// Gazebo's and ROS's custom: what hangs on no link named "world" is free.
// True: it floats.
bool give_base(Element& root, ImportReport& report) {
  std::set<std::string> children;
  std::string base;
  for (const Element& e : root.children)
    if (e.tag == "joint")
      for (const Element& c : e.children)
        if (c.tag == "child") children.insert(c.get("link"));
  for (const Element& e : root.children)
    if (e.tag == "link" && !children.count(e.get("name")) && base.empty()) base = e.get("name");
  if (base.empty() || base == "world") {
    report.made.push_back("the base is fixed: it hangs on the link 'world'");
    return false;
  }
  root.add("link").set("name", "world");
  Element& joint = root.add("joint");
  joint.set("name", "floating_base"), joint.set("type", "floating");
  joint.add("parent").set("link", "world");
  joint.add("child").set("link", base);
  report.made.push_back(fmt::format("the base '{}' floats: it hangs on no link 'world'", base));
  return true;
}

// `wheels` are turned whatever their limits.
void read_joints(const Element& root, const Wheels& wheels, std::vector<Servo>& servos, std::vector<Mimic>& mimics,
                 ImportReport& report) {
  const auto is_wheel = [&](const std::string& name) {
    for (const auto* names : {&wheels.left, &wheels.right, &wheels.turned})
      if (std::find(names->begin(), names->end(), name) != names->end()) return true;
    return false;
  };
  for (const Element& e : root.children) {
    const std::string type = e.get("type");
    if (e.tag != "joint" || (type != "revolute" && type != "continuous" && type != "prismatic")) continue;
    if (const Element* mimic = e.child("mimic")) {
      mimics.push_back({e.get("name"), mimic->get("joint"), number_in(*mimic, "offset").value_or(0),
                        number_in(*mimic, "multiplier").value_or(1)});
      continue;
    }
    const Element* limit = e.child("limit");
    Servo servo{e.get("name"), type == "continuous" || is_wheel(e.get("name"))};
    if (limit) {
      servo.effort = number_in(*limit, "effort").value_or(0);
      servo.speed = number_in(*limit, "velocity").value_or(0);
    }
    servos.push_back(servo);
  }
  report_servos(servos, report);
}

// A joint that mimics one that is not there moves freely.
void drop_lost_mimics(const mjModel* m, std::vector<Mimic>& mimics, ImportReport& report) {
  std::erase_if(mimics, [&](const Mimic& mimic) {
    const bool there =
        mj_name2id(m, mjOBJ_JOINT, mimic.joint.c_str()) >= 0 && mj_name2id(m, mjOBJ_JOINT, mimic.of.c_str()) >= 0;
    if (!there) report.lost.push_back(fmt::format("'{}' mimics '{}', which is no joint of it", mimic.joint, mimic.of));
    return !there;
  });
}

// The user's own <mujoco><compiler> stays, but for what the import needs.
void set_compiler(Element& root) {
  Element* mujoco = root.child("mujoco");
  if (!mujoco) mujoco = &root.add("mujoco");
  Element* compiler = mujoco->child("compiler");
  if (!compiler) compiler = &mujoco->add("compiler");
  compiler->set("strippath", "false"), compiler->set("discardvisual", "false"), compiler->set("fusestatic", "false");
  compiler->erase("meshdir");
}

}  // namespace

namespace {

Result<Element> parsed(const std::string& xml, const std::string& file) {
  const FileReader itself = [&](const std::string&) -> Result<Bytes> { return Bytes(xml.begin(), xml.end()); };
  return load_document(file, itself);
}

// A position servo swings with sqrt(stiffness / inertia): what is faster than the physics steps diverges.
void soften_servos(const mjModel* m, std::vector<Servo>& servos) {
  constexpr double kFastest = 0.5;  // rad in a step
  for (Servo& servo : servos) {
    const int joint = mj_name2id(m, mjOBJ_JOINT, servo.joint.c_str());
    if (joint < 0) continue;
    const double rate = kFastest / m->opt.timestep;
    servo.stiffest = m->dof_M0[m->jnt_dofadr[joint]] * rate * rate;
  }
}

// The least speed that a wheel is limited to, rad/s; 0: nothing limits any.
double speed_of(const Wheels& wheels, const std::vector<Servo>& servos) {
  double speed = 0;
  for (const auto* names : {&wheels.left, &wheels.right})
    for (const std::string& name : *names)
      for (const Servo& s : servos)
        if (s.joint == name && s.speed > 0) speed = speed > 0 ? std::min(speed, s.speed) : s.speed;
  return speed;
}

}  // namespace

Result<Translated> from_urdf(Element root, const UrdfOptions& options, ImportReport& report) {
  Translated out;
  report_losses(root, report);
  mend_text(root, report);
  MeshFiles meshes(options.read, options.roots, out.assets, report);
  Status status;
  each(root, [&](Element& e) {
    if (!status || e.tag != "mesh") return;
    auto name = meshes.take(e.get("filename"), e);
    if (name) e.set("filename", *name);
    else status = tl::unexpected(name.error());
  });
  if (!status) return tl::unexpected(status.error());
  Wheels wheels = options.wheels_given ? Wheels{} : wheels_in_tags(root);
  std::vector<Servo> servos;
  std::vector<Mimic> mimics;
  read_joints(root, wheels, servos, mimics, report);
  const bool floats = give_base(root, report);
  if (auto ok = mend_inertias(root, options.inertia, report); !ok) return tl::unexpected(ok.error());
  set_compiler(root);
  const auto read = convert(root, out.assets, report);
  if (!read) return tl::unexpected(read.error());
  auto mjcf = parsed(read->mjcf, root.file);
  if (!mjcf) return tl::unexpected(mjcf.error());
  out.mjcf = std::move(*mjcf);
  const mjModel* m = read->model.get();
  drop_lost_mimics(m, mimics, report);
  soften_servos(m, servos);
  const OwnedData d = start_of(m, mimics);
  if (!d) return fail(ErrorCode::kInternal, "no memory for the robot's start", root.file);
  set_options(out.mjcf);
  add_actuators(out.mjcf, servos, mimics);
  set_start(m, d.get(), floats, out.mjcf, report);
  if (!options.wheels_given) find_wheels(m, d.get(), wheels);
  set_friction(m, root, wheels, out.mjcf, report);
  if (!options.wheels_given) name_wheels(m, d.get(), wheels, speed_of(wheels, servos), out.mjcf, report);
  return out;
}

}  // namespace convoy::mujoco
