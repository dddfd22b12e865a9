#include "physics/mujoco/normal_form.h"

#include <fmt/format.h>

#include <cstdlib>

#include "physics/mujoco/compiled.h"

namespace convoy::mujoco {

namespace {

bool is_free(const Element& body) {
  for (const Element& e : body.children)
    if (e.tag == "freejoint" || (e.tag == "joint" && e.get("type") == "free")) return true;
  return false;
}

// Bodies that must stay children of the world: free and mocap ones, and what holds such.
bool must_stay(const Element& e) {
  if (e.tag == "body") return is_free(e) || e.get("mocap") == "true";
  if (e.tag == "attach" || e.tag == "flexcomp") return true;  // what is in it shows only later
  if (e.tag != "frame" && e.tag != "replicate") return false;
  for (const Element& child : e.children)
    if (must_stay(child)) return true;
  return false;
}

bool is_ground(const Element& e) {
  if (e.tag != "geom" || e.get("type") != "plane") return false;
  for (const char* turned : {"quat", "euler", "axisangle", "xyaxes", "zaxis"})
    if (e.find(turned)) return false;
  const std::string* pos = e.find("pos");
  if (!pos) return true;
  const char* at = pos->c_str();
  char* end = nullptr;
  double z = 0;
  for (int i = 0; i < 3; ++i) z = std::strtod(at, &end), at = end;
  return z == 0;
}

// Keyframes that name mocap poses have one more body now, the last or the first.
void extend_keyframes(Element& root, bool first) {
  each(root, [&](Element& e) {
    if (e.tag != "key") return;
    for (const auto& [name, none] : {std::pair{"mpos", std::string("0 0 0")}, {"mquat", std::string("1 0 0 0")}})
      if (e.find(name)) e.set(name, first ? none + " " + e.get(name) : e.get(name) + " " + none);
  });
}

bool has_joints(const Element& e) {
  bool found = false;
  each(e, [&](const Element& inside) {
    found = found || inside.tag == "joint" || inside.tag == "freejoint" || inside.tag == "attach" ||
            inside.tag == "flexcomp";
  });
  return found;
}

// Keyframes list positions in the order of the bodies.
bool has_positions(const Element& root) {
  bool found = false;
  each(root, [&](const Element& e) { found = found || (e.tag == "key" && (e.find("qpos") || e.find("qvel"))); });
  return found;
}

}  // namespace

Status bring_to_normal_form(Element& root, ImportReport& report) {
  Element base;
  base.tag = "body";
  base.file = root.file, base.line = root.line;
  base.set("name", kBaseBody);
  base.set("mocap", "true");
  Element* last_world = nullptr;
  Element* first_world = nullptr;
  bool ground = false;
  std::string order;  // of what has joints: f is fixed to the world, s stays
  for (Element& world : root.children) {
    if (world.tag != "worldbody") continue;
    last_world = &world;
    if (!first_world) first_world = &world;
    std::vector<Element> stay;
    for (Element& e : world.children) {
      if (is_ground(e)) {
        if (!ground) stay.push_back(std::move(e));
        else report.lost.push_back(fmt::format("{}: a second ground plane is left out", e.where()));
        ground = true;
      } else if (must_stay(e)) {
        stay.push_back(std::move(e));
        if (has_joints(stay.back())) order += 's';
      } else {
        base.children.push_back(std::move(e));
        if (has_joints(base.children.back())) order += 'f';
      }
    }
    world.children = std::move(stay);
  }
  if (ground) report.made.push_back("the document's ground plane is the ground of its robots, with its friction");
  if (!last_world || base.children.empty()) return {};
  const bool first = order.find("fs") != order.npos && has_positions(root);
  if (first && order.find("sf") != order.npos)
    return fail(ErrorCode::kUnsupported,
                "a keyframe, and bodies that are fixed to the world between free ones: put them before or behind those",
                root.where());
  if (first) first_world->children.insert(first_world->children.begin(), std::move(base));
  else last_world->children.push_back(std::move(base));
  extend_keyframes(root, first);
  return {};
}

}  // namespace convoy::mujoco
