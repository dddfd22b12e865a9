#include "physics/mujoco/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/check.h"
#include "physics/mujoco/assets.h"
#include "physics/mujoco/ghosts.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/load.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"
#include "physics/mujoco/panel.h"
#include "physics/mujoco/walls.h"

namespace convoy::mujoco {

namespace {

// MuJoCo's own things, let go whatever happens.
struct Workshop {
  mjVFS vfs{};
  mjSpec* spec = nullptr;
  mjModel* model = nullptr;
  mjData* data = nullptr;
  bool has_vfs = false;
  ~Workshop() {
    std::string ignored;
    guarded(ignored, [this] {
      if (data) mj_deleteData(data);
      if (model) mj_deleteModel(model);
      if (spec) mj_deleteSpec(spec);
      if (has_vfs) mj_deleteVFS(&vfs);
    });
  }
};

// All that is in it is outside of the document: walls, and ground for those ghosts that fall where the document has
// none. The robot's own geoms never meet the latter.
void add_outside(mjSpec* spec, const Surroundings& around) {
  std::vector<std::size_t> falling;
  const bool ground = around.alone->has_ground || (around.walls && around.walls->has_ground());
  for (std::size_t i = 0; !ground && i < around.ghosts.size(); ++i)
    if (around.ghosts[i]->free && around.ghosts[i]->passive) falling.push_back(i);
  if (!around.walls && falling.empty()) return;
  mjsBody* body = mjs_addBody(mjs_findBody(spec, "world"), nullptr);
  mjs_setName(body->element, kOutside);
  body->mocap = 1;
  if (around.walls) around.walls->add(spec, body);
  if (falling.empty()) return;
  GhostGeom plane;
  plane.type = mjGEOM_PLANE, plane.size = {50, 50, 1};
  add_geom(spec, body, plane, kGround, 0, 0);
  for (const std::size_t i : falling)
    for (std::size_t g = 0; g < around.ghosts[i]->geoms.size(); ++g) {
      mjsPair* pair = mjs_addPair(spec, mjs_getSpecDefault(spec));
      mjs_setString(pair->geomname1, kGround), mjs_setString(pair->geomname2, geom_name(i, g).c_str());
    }
}

// The parser and the compiler; their errors name lines of the document.
Status build(Workshop& shop, const Model& model, const ModelFiles& files, const Surroundings& around) {
  std::string trouble;
  char text[1000] = "";
  const Bytes& document = *files.at(model.files[0].hash);
  const std::string xml(document.begin(), document.end());
  const bool came_back = guarded(trouble, [&] {
    mj_setCacheCapacity(mj_getCache(), 0);  // what other models' files held must not come into this one
    mj_defaultVFS(&shop.vfs);
    shop.has_vfs = true;
    for (std::size_t i = 1; i < model.files.size(); ++i) {  // the same name is the same content
      if (model.files[i].name.starts_with(kOwnFiles)) continue;
      const Bytes& bytes = *files.at(model.files[i].hash);
      if (!mj_containsBufferVFS(&shop.vfs, model.files[i].name.c_str()))
        mj_addBufferVFS(&shop.vfs, model.files[i].name.c_str(), bytes.data(), static_cast<int>(bytes.size()));
    }
    shop.spec = mj_parseXMLString(xml.c_str(), &shop.vfs, text, sizeof text);
    if (!shop.spec) return;
    shop.spec->compiler.usethread = 0;
    mjsElement* ground = around.without_ground ? mjs_findElement(shop.spec, mjOBJ_GEOM, kGround) : nullptr;
    if (ground) mjs_delete(shop.spec, ground);
    if (around.load) add_load(shop.spec, *around.load);
    if (around.alone) add_ghosts(shop.spec, around.ghosts), add_outside(shop.spec, around);
    shop.model = mj_compile(shop.spec, &shop.vfs);
    if (!shop.model) std::snprintf(text, sizeof text, "%s", mjs_getError(shop.spec));
    if (shop.model) shop.data = mj_makeData(shop.model);
  });
  take_warning();  // they are the spec's, or of an error
  if (came_back && shop.data) return {};
  std::string why = came_back ? text : trouble;
  while (!why.empty() && why.back() == '\n') why.pop_back();
  std::replace(why.begin(), why.end(), '\n', ' ');
  return fail(ErrorCode::kInvalid, why.empty() ? "MuJoCo makes no model of it" : why);
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) text.replace(at, 1, "; ");
  return text;
}

int keyframe_of(const mjModel* m) {
  const int home = mj_name2id(m, mjOBJ_KEY, "home");
  return home >= 0 ? home : m->nkey > 0 ? 0 : -1;
}

std::string joint_name(const mjModel* m, int joint) {
  const char* name = mj_id2name(m, mjOBJ_JOINT, joint);
  return name && *name ? name : "joint_" + std::to_string(joint);
}

constexpr const char* kNumbers[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

void show_free_body(Compiled& out, const mjModel* m, const mjData* d, const FreeBody& free) {
  const std::string body = body_name(m, free.body);
  for (int i = 0; i < 7; ++i) {
    out.joints.push_back({free.place.qpos + i, i == 3 ? -1 : free.place.qvel + (i < 3 ? i : i - 1)});
    out.joint_names.push_back(body + ":" + kNumbers[i]);
    out.start.push_back(d->qpos[free.place.qpos + i]);
  }
}

void show_balls(Compiled& out, const mjModel* m, const mjData* d) {
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_type[j] != mjJNT_BALL) continue;
    const int qpos = m->jnt_qposadr[j], qvel = m->jnt_dofadr[j];
    for (int i = 0; i < 4; ++i) {
      out.joints.push_back({qpos + i, i == 0 ? -1 : qvel + i - 1});
      out.joint_names.push_back(joint_name(m, j) + ":" + kNumbers[3 + i]);
      out.start.push_back(d->qpos[qpos + i]);
    }
  }
}

void show_mocaps(Compiled& out, const mjModel* m, const mjData* d) {
  for (int b = 1; b < m->nbody; ++b) {
    if (m->body_mocapid[b] < 0) continue;
    const mjtNum* p = d->mocap_pos + 3 * m->body_mocapid[b];
    const mjtNum* q = d->mocap_quat + 4 * m->body_mocapid[b];
    for (int i = 0; i < 7; ++i) {
      out.joints.push_back({});
      out.joint_names.push_back(body_name(m, b) + ":" + kNumbers[i]);
      out.start.push_back(i < 3 ? p[i] : q[i - 3]);
    }
  }
}

void find_bodies(Compiled& out, const mjModel* m, const mjData* d) {
  for (int j = 0; j < m->njnt; ++j) {
    const JointPlace place{m->jnt_qposadr[j], m->jnt_dofadr[j]};
    const int type = m->jnt_type[j], body = m->jnt_bodyid[j];
    if (type == mjJNT_FREE) {
      out.free.push_back({place, body, pose_at(d->qpos + place.qpos)});
      continue;
    }
    out.fixed_base = out.fixed_base || stands(m, body);
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) continue;
    out.joints.push_back(place);
    out.joint_names.push_back(joint_name(m, j));
    out.start.push_back(d->qpos[place.qpos]);
  }
  if (out.free.empty() || mj_name2id(m, mjOBJ_NUMERIC, kFixedBase) >= 0) out.fixed_base = true;
  out.singles = out.joints.size();
  show_balls(out, m, d);
  out.first_mocap = out.joints.size();
  show_mocaps(out, m, d);
  out.first_loose = out.joints.size();
  for (std::size_t i = out.fixed_base ? 0 : 1; i < out.free.size(); ++i) show_free_body(out, m, d, out.free[i]);
  out.X_BR = out.fixed_base ? Pose{} : out.free[0].X_FB.inverse();
}

void find_features(Compiled& out, const mjModel* m) {
  for (int g = 0; g < m->ngeom; ++g)
    out.has_ground = out.has_ground || (is_ground(m, g) && m->body_weldid[m->geom_bodyid[g]] == 0);
  for (int s = 0; s < m->nsensor; ++s) out.sees_far = out.sees_far || m->sensor_type[s] == mjSENS_RANGEFINDER;
}

Status find_side(Compiled& c, const mjData* d, std::span<const std::string> names, std::vector<Wheel>& wheels) {
  const mjModel* m = c.model;
  for (const std::string& name : names) {
    const int joint = mj_name2id(m, mjOBJ_JOINT, name.c_str());
    if (joint < 0 || m->jnt_type[joint] != mjJNT_HINGE)
      return fail(ErrorCode::kInvalid, fmt::format("the wheel '{}' is no hinge joint of the model", name));
    Wheel wheel{-1, {m->jnt_qposadr[joint], m->jnt_dofadr[joint]}, d->xaxis[3 * joint + 1] < 0 ? -1.0 : 1.0};
    for (int a = 0; a < m->nu; ++a) {
      const bool servo = m->actuator_biastype[a] == mjBIAS_AFFINE && m->actuator_biasprm[a * mjNBIAS + 1] == 0 &&
                         m->actuator_biasprm[a * mjNBIAS + 2] < 0;
      if (m->actuator_trntype[a] == mjTRN_JOINT && m->actuator_trnid[2 * a] == joint && servo) wheel.actuator = a;
    }
    if (wheel.actuator < 0)
      return fail(ErrorCode::kInvalid, fmt::format("the wheel '{}' has no velocity actuator", name));
    wheels.push_back(wheel);
  }
  return {};
}

}  // namespace

Compiled::~Compiled() {
  std::string ignored;
  if (model) guarded(ignored, [this] { mj_deleteModel(model); });
}

Result<std::shared_ptr<const Compiled>> compile(const Model& model, const ModelFiles& files,
                                                const Surroundings& around) {
  EXPECTS(!model.files.empty());
  if (!around.alone && !around.bare)  // else it has been looked at
    if (auto ok = names_only_its_files(model, files); !ok) return tl::unexpected(ok.error());
  Workshop shop;
  if (auto ok = build(shop, model, files, around); !ok) return tl::unexpected(ok.error());
  auto out = std::make_shared<Compiled>();
  out->model = std::exchange(shop.model, nullptr);
  out->without_ground = around.without_ground;
  mjModel* m = out->model;
  m->opt.disableflags |= mjDSBL_AUTORESET;  // a robot that diverges stops, and reports it
  out->step = Duration(std::llround(m->opt.timestep * 1e9));
  if (around.load && !around.alone)
    if (auto ok = find_load(m, *around.load, *around.bare); !ok) return tl::unexpected(ok.error());
  if (around.load) offer_contacts(m, *around.load, (around.alone ? around.alone : around.bare)->model->nbody);
  if (around.alone) {
    out->outside = mj_name2id(m, mjOBJ_BODY, kOutside);
    if (auto ok = find_ghosts(m, *around.alone, around.ghosts.size(), out->ghosts); !ok)
      return tl::unexpected(ok.error());
    return out;
  }
  out->key = keyframe_of(m);
  for (int i = 0; i < mjs_numWarnings(shop.spec); ++i) out->warnings.push_back(one_line(mjs_getWarning(shop.spec, i)));
  out->state_size = mj_stateSize(m, mjSTATE_INTEGRATION);
  const auto begin = [&](int part) {
    return static_cast<std::size_t>(mj_stateSize(m, mjSTATE_INTEGRATION & (part - 1)));
  };
  out->row = {begin(mjSTATE_QPOS), begin(mjSTATE_QVEL), begin(mjSTATE_ACT), begin(mjSTATE_CTRL)};
  std::string trouble;
  const bool started = guarded(trouble, [&] {
    if (out->key >= 0) mj_resetDataKeyframe(m, shop.data, out->key);
    mj_fwdKinematics(m, shop.data);
  });
  if (!started) return fail(ErrorCode::kInvalid, trouble);
  find_bodies(*out, m, shop.data);
  find_features(*out, m);
  out->panel = panel_of(m);
  out->panel.step = out->step;
  for (const auto& [names, wheels] : {std::pair{&model.left_wheels, &out->left}, {&model.right_wheels, &out->right}})
    if (auto ok = find_side(*out, shop.data, *names, *wheels); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy::mujoco
