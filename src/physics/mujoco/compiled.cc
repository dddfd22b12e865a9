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
#include "physics/mujoco/panel.h"

namespace convoy::mujoco {

namespace {

constexpr int kAllContacts = 0x7fffffff;  // ground and map touch whatever touches anything

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

void add_box(mjsBody* world, const Pose& X_WM, const MapBox& box) {
  mjsGeom* geom = mjs_addGeom(world, nullptr);
  const Vec3 at = (X_WM * Pose{{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, kMapHeight / 2}, {}}).p;
  geom->type = mjGEOM_BOX;
  put(geom->pos, at), put(geom->quat, X_WM.q);
  geom->size[0] = (box.x1 - box.x0) / 2, geom->size[1] = (box.y1 - box.y0) / 2, geom->size[2] = kMapHeight / 2;
  geom->contype = geom->conaffinity = kAllContacts;
  geom->condim = 3;
}

bool has_ground(const mjSpec* spec) {
  for (mjsElement* e = mjs_firstChild(mjs_findBody(spec, "world"), mjOBJ_GEOM, 0); e;
       e = mjs_nextChild(mjs_findBody(spec, "world"), e, 0))
    if (mjs_asGeom(e)->type == mjGEOM_PLANE) return true;
  return false;
}

void surround(mjSpec* spec, const Pose& X_WM, const std::vector<MapBox>& boxes) {
  mjsBody* world = mjs_findBody(spec, "world");
  if (!has_ground(spec)) {
    mjsGeom* ground = mjs_addGeom(world, nullptr);
    ground->type = mjGEOM_PLANE;
    ground->size[0] = ground->size[1] = 50, ground->size[2] = 1;  // for pictures; it has no end
    ground->contype = ground->conaffinity = kAllContacts;
    ground->condim = 3;
  }
  for (const MapBox& box : boxes) add_box(world, X_WM, box);
}

// The static world that the scenario names: attached whole, its names behind a prefix.
void attach_world(Workshop& shop, const Bytes& document, char (&text)[1000]) {
  mjSpec* world = mj_parseXMLString(reinterpret_cast<const char*>(document.data()), &shop.vfs, text, sizeof text);
  if (!world) return;
  mjsFrame* frame = mjs_addFrame(mjs_findBody(shop.spec, "world"), nullptr);
  if (!mjs_attach(frame->element, world->element, "convoy:world:", ""))
    std::snprintf(text, sizeof text, "%s", mjs_getError(shop.spec));
  mj_deleteSpec(world);
}

// The parser and the compiler; their errors name lines of the document.
Status build(Workshop& shop, const Model& model, const ModelFiles& files, const Surroundings& around, const Pose& X_WM,
             const std::vector<MapBox>& boxes) {
  const Model* world = around.world;
  std::string trouble;
  char text[1000] = "";
  const Bytes& document = *files.at(model.files[0].hash);
  const std::string xml(document.begin(), document.end());
  Bytes world_document;  // with a 0 behind it
  if (world) world_document = *files.at(world->files[0].hash), world_document.push_back(0);
  const bool came_back = guarded(trouble, [&] {
    mj_setCacheCapacity(mj_getCache(), 0);  // what other models' files held must not come into this one
    mj_defaultVFS(&shop.vfs);
    shop.has_vfs = true;
    for (const Model* with : {&model, world})
      for (std::size_t i = 1; with && i < with->files.size(); ++i) {  // the same name is the same content
        const Bytes& bytes = *files.at(with->files[i].hash);
        if (!mj_containsBufferVFS(&shop.vfs, with->files[i].name.c_str()))
          mj_addBufferVFS(&shop.vfs, with->files[i].name.c_str(), bytes.data(), static_cast<int>(bytes.size()));
      }
    shop.spec = mj_parseXMLString(xml.c_str(), &shop.vfs, text, sizeof text);
    if (!shop.spec) return;
    shop.spec->compiler.usethread = 0;
    if (world) attach_world(shop, world_document, text);
    if (text[0]) return;
    surround(shop.spec, X_WM, boxes);
    if (around.load) add_load(shop.spec, *around.load);
    if (!around.ghosts.empty()) add_ghosts(shop.spec, around.ghosts);
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

void show_free_body(Compiled& out, const mjModel* m, const mjData* d, const FreeBody& free) {
  constexpr const char* kNumbers[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  const char* name = mj_id2name(m, mjOBJ_BODY, free.body);
  const std::string body = name && *name ? name : "body_" + std::to_string(free.body);
  for (int i = 0; i < 7; ++i) {
    out.joints.push_back({free.place.qpos + i, i == 3 ? -1 : free.place.qvel + (i < 3 ? i : i - 1)});
    out.joint_names.push_back(body + ":" + kNumbers[i]);
    out.start.push_back(d->qpos[free.place.qpos + i]);
  }
}

void find_bodies(Compiled& out, const mjModel* m, const mjData* d) {
  const int base = mj_name2id(m, mjOBJ_BODY, kBaseBody);
  if (base >= 0) out.fixed_mocap = m->body_mocapid[base];
  for (int j = 0; j < m->njnt; ++j) {
    const JointPlace place{m->jnt_qposadr[j], m->jnt_dofadr[j]};
    const int type = m->jnt_type[j], body = m->jnt_bodyid[j];
    if (type == mjJNT_FREE) {
      FreeBody free{place, body, pose_at(d->qpos + place.qpos), {}};
      free.v_FB_B = {vec(d->qvel + place.qvel), vec(d->qvel + place.qvel + 3)};
      out.free.push_back(free);
      continue;
    }
    if (m->body_rootid[body] == base && base >= 0) out.fixed_base = true;
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) continue;
    out.joints.push_back(place);
    out.joint_names.push_back(joint_name(m, j));
    out.start.push_back(d->qpos[place.qpos]);
  }
  if (out.free.empty() || mj_name2id(m, mjOBJ_NUMERIC, kFixedBase) >= 0) out.fixed_base = true;
  for (std::size_t i = out.fixed_base ? 0 : 1; i < out.free.size(); ++i) show_free_body(out, m, d, out.free[i]);
  out.X_BF = out.fixed_base ? Pose{} : out.free[0].X_FB.inverse();
}

void find_solid_geoms(Compiled& out, const mjModel* m) {
  out.solid_geom.assign(static_cast<std::size_t>(m->ngeom), 0);
  for (int g = 0; g < m->ngeom; ++g)
    out.solid_geom[static_cast<std::size_t>(g)] =
        m->body_weldid[m->geom_bodyid[g]] == 0 && m->geom_type[g] != mjGEOM_PLANE;
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
    for (const Model* with : {&model, around.world})
      if (auto ok = with ? names_only_its_files(*with, files) : Status{}; !ok) return tl::unexpected(ok.error());
  auto boxes = std::make_shared<const std::vector<MapBox>>();
  Pose X_WM;
  if (around.map && !around.map->empty() && !around.world) {
    if (const Compiled* same = around.alone ? around.alone : around.bare) {
      boxes = same->boxes;
    } else {
      auto made = map_boxes(*around.map);
      if (!made) return tl::unexpected(made.error());
      boxes = std::make_shared<const std::vector<MapBox>>(std::move(*made));
    }
    const Vec2 x = around.map->x_axis(), at = around.map->to_world(0, 0);
    X_WM = {{at.x, at.y, 0}, about_z(x.x, x.y)};
  }
  Workshop shop;
  if (auto ok = build(shop, model, files, around, X_WM, *boxes); !ok) return tl::unexpected(ok.error());
  auto out = std::make_shared<Compiled>();
  out->boxes = boxes;
  out->model = std::exchange(shop.model, nullptr);
  mjModel* m = out->model;
  m->opt.disableflags |= mjDSBL_AUTORESET;  // a robot that diverges stops, and reports it
  out->step = Duration(std::llround(m->opt.timestep * 1e9));
  if (around.load && !around.alone)
    if (auto ok = find_load(m, *around.load, *around.bare); !ok) return tl::unexpected(ok.error());
  if (around.load) offer_contacts(m, *around.load, (around.alone ? around.alone : around.bare)->model->nbody);
  if (around.alone) {
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
  find_solid_geoms(*out, m);
  out->panel = panel_of(m);
  out->panel.step = out->step;
  for (const auto& [names, wheels] : {std::pair{&model.left_wheels, &out->left}, {&model.right_wheels, &out->right}})
    if (auto ok = find_side(*out, shop.data, *names, *wheels); !ok) return tl::unexpected(ok.error());
  return out;
}

}  // namespace convoy::mujoco
