#include "physics/mujoco/ground.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "physics/mujoco/compiled.h"

namespace convoy::mujoco {

namespace {

constexpr const char* kMark = "convoy_ground";

bool is_fixed(const mjModel* m, int g) { return m->body_weldid[m->geom_bodyid[g]] == 0; }

}  // namespace

Result<Ground> wanted_ground(Element& root, Ground asked) {
  Element* found = nullptr;
  each(root, [&](Element& e) {
    if (e.tag == "text" && e.get("name") == kMark) found = &e;
  });
  if (asked != Ground::kAuto) {
    if (!found) found = &root.add("custom").add("text"), found->set("name", kMark);
    found->set("data", asked == Ground::kNone ? "none" : "plane");
    return asked;
  }
  if (!found) return Ground::kAuto;
  const std::string said = found->get("data");
  if (said == "auto") return Ground::kAuto;
  if (said == "none") return Ground::kNone;
  if (said == "plane") return Ground::kPlane;
  return fail(ErrorCode::kInvalid, fmt::format("{} is auto, none or plane, not '{}'", kMark, said), found->where());
}

bool needs_ground(Ground wanted, const mjModel* m, ImportReport& report) {
  bool any = false, level = false, free = false, ours = false;
  for (int g = 0; g < m->ngeom; ++g) {
    const bool plane = m->geom_type[g] == mjGEOM_PLANE;
    if (!is_fixed(m, g) || (!plane && m->geom_type[g] != mjGEOM_HFIELD)) continue;
    const char* name = mj_id2name(m, mjOBJ_GEOM, g);
    any = true, ours = ours || (name && std::string_view(name) == kGround);
    const mjtNum* q = m->geom_quat + 4 * g;
    level = level || (plane && m->geom_bodyid[g] == 0 && m->geom_pos[3 * g + 2] == 0 && q[1] == 0 && q[2] == 0);
  }
  for (int j = 0; j < m->njnt; ++j) free = free || m->jnt_type[j] == mjJNT_FREE;
  const bool needs = wanted == Ground::kPlane ? !level : wanted == Ground::kAuto && !any && free;
  if (ours) report.made.push_back("ground: the plane at height 0 that an import has added");
  else if (needs && wanted == Ground::kPlane) report.made.push_back("ground: a plane at height 0 is added, as asked");
  else if (needs)
    report.made.push_back(
        "ground: a plane at height 0 is added: the file has free bodies, and no plane or height field that is fixed to "
        "the world");
  else if (any) report.made.push_back("ground: the file's own; nothing is added");
  else if (wanted == Ground::kNone) report.made.push_back("ground: none, as asked");
  else report.made.push_back("ground: none; nothing in the file is free to fall on one");
  return needs;
}

void add_ground(Element& root) {
  Element* world = nullptr;
  for (Element& e : root.children)
    if (e.tag == "worldbody") world = &e;
  if (!world) world = &root.add("worldbody");
  Element& geom = world->add("geom");
  geom.set("name", kGround), geom.set("type", "plane"), geom.set("size", "50 50 1");  // for pictures; it has no end
  geom.set("contype", "2147483647"), geom.set("conaffinity", "2147483647"), geom.set("condim", "3");
}

}  // namespace convoy::mujoco
