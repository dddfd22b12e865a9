#include "physics/mujoco/urdf.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "physics/mujoco/guard.h"
#include "physics/mujoco/servos.h"

namespace convoy::mujoco {

namespace {

// What neither MuJoCo nor we take over, reported once for each kind.
void report_losses(const Element& root, ImportReport& report) {
  std::map<std::string, int> count;
  std::set<std::string> known_joints;
  for (const Element& e : root.children) {
    if (e.tag == "gazebo" || e.tag == "transmission" || e.tag == "ros2_control" || e.tag == "sensor")
      ++count["<" + e.tag + "> is not read"];
    else if (e.tag != "link" && e.tag != "joint" && e.tag != "material" && e.tag != "mujoco")
      ++count["<" + e.tag + "> is not known"];
    if (e.tag != "joint") continue;
    for (const Element& c : e.children) {
      if (c.tag == "limit" && c.find("velocity")) ++count["a joint's velocity limit is not kept"];
      if (c.tag == "safety_controller" || c.tag == "calibration") ++count["<" + c.tag + "> is not read"];
    }
    if (e.get("type") == "planar") ++count["a planar joint is not read"];
  }
  for (const auto& [what, times] : count)
    report.lost.push_back(times > 1 ? fmt::format("{} ({} times)", what, times) : what);
}

// Gazebo's and ROS's custom: what hangs on no link named "world" is free.
void give_base(Element& root, ImportReport& report) {
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
    return;
  }
  root.add("link").set("name", "world");
  Element& joint = root.add("joint");
  joint.set("name", "floating_base"), joint.set("type", "floating");
  joint.add("parent").set("link", "world");
  joint.add("child").set("link", base);
  report.made.push_back(fmt::format("the base '{}' floats: it hangs on no link 'world'", base));
}

Element* child_of(Element& e, const char* tag) { return e.child(tag); }

void read_joints(Element& root, std::vector<Servo>& servos, std::vector<Mimic>& mimics, ImportReport& report) {
  for (Element& e : root.children) {
    const std::string type = e.get("type");
    if (e.tag != "joint" || (type != "revolute" && type != "continuous" && type != "prismatic")) continue;
    if (const Element* mimic = child_of(e, "mimic")) {
      mimics.push_back({e.get("name"), mimic->get("joint"), mimic->get("offset"), mimic->get("multiplier")});
      continue;
    }
    const Element* limit = child_of(e, "limit");
    Servo servo{e.get("name"), type == "continuous", limit ? std::strtod(limit->get("effort").c_str(), nullptr) : 0};
    servos.push_back(servo);
  }
  report_servos(servos, report);
}

// MuJoCo reads the URDF, and writes what it read as MJCF.
Result<std::string> converted(const Element& root, const std::map<std::string, Bytes>& assets) {
  const Text text = write(root);
  mjVFS vfs{};
  mjSpec* spec = nullptr;
  mjModel* model = nullptr;
  std::vector<char> xml(1 << 16);
  std::string trouble;
  char why[1000] = "";
  int more = 0;
  const bool came_back = guarded(trouble, [&] {
    mj_setCacheCapacity(mj_getCache(), 0);
    mj_defaultVFS(&vfs);
    for (auto it = assets.begin(); it != assets.end(); ++it)
      mj_addBufferVFS(&vfs, it->first.c_str(), it->second.data(), static_cast<int>(it->second.size()));
    spec = mj_parseXMLString(text.xml.c_str(), &vfs, why, sizeof why);
    if (!spec) return;
    spec->compiler.usethread = 0;
    model = mj_compile(spec, &vfs);
    if (!model) return void(std::snprintf(why, sizeof why, "%s", mjs_getError(spec)));
    more = mj_saveXMLString(spec, xml.data(), static_cast<int>(xml.size()), why, sizeof why);
    if (more > 0) {
      xml.resize(static_cast<std::size_t>(more) + 1);
      more = mj_saveXMLString(spec, xml.data(), static_cast<int>(xml.size()), why, sizeof why);
    }
  });
  take_warning();
  const bool done = came_back && model && more == 0;
  std::string ignored;
  guarded(ignored, [&] {
    if (model) mj_deleteModel(model);
    if (spec) mj_deleteSpec(spec);
    mj_deleteVFS(&vfs);
  });
  if (done) return std::string(xml.data());
  std::string message = came_back ? why : trouble;
  std::replace(message.begin(), message.end(), '\n', ' ');
  while (!message.empty() && message.back() == ' ') message.pop_back();
  const std::string place = text.place_in(message);
  if (const std::size_t at = message.rfind(", line "); at != std::string::npos) message.resize(at);
  if (message.find("inertia") != std::string::npos)
    message += "; <mujoco><compiler balanceinertia=\"true\"/></mujoco> in the robot repairs inertias";
  return fail(ErrorCode::kInvalid, message, place.empty() ? root.file : place);
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

Result<Translated> from_urdf(Element root, const UrdfOptions& options, ImportReport& report) {
  Translated out;
  report_losses(root, report);
  MeshFiles meshes(options.read, options.roots, out.assets);
  Status status;
  each(root, [&](Element& e) {
    if (!status || e.tag != "mesh") return;
    auto name = meshes.take(e.get("filename"), e);
    if (name) e.set("filename", *name);
    else status = tl::unexpected(name.error());
  });
  if (!status) return tl::unexpected(status.error());
  std::vector<Servo> servos;
  std::vector<Mimic> mimics;
  read_joints(root, servos, mimics, report);
  give_base(root, report);
  set_compiler(root);
  auto xml = converted(root, out.assets);
  if (!xml) return tl::unexpected(xml.error());
  const std::string& text = *xml;
  const FileReader itself = [&](const std::string&) -> Result<Bytes> { return Bytes(text.begin(), text.end()); };
  auto mjcf = load_document(root.file, itself);
  if (!mjcf) return tl::unexpected(mjcf.error());
  out.mjcf = std::move(*mjcf);
  set_options(out.mjcf);
  add_actuators(out.mjcf, servos, mimics);
  return out;
}

}  // namespace convoy::mujoco
