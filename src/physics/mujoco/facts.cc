#include "physics/mujoco/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "physics/mujoco/cameras.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/ghosts.h"
#include "physics/mujoco/ground.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/look.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"
#include "world/body_boxes.h"

namespace convoy::mujoco {

namespace {

constexpr double kThin = 1e-4;    // m; a box is half as wide at least
constexpr double kLargest = 900;  // m; how large a model may claim to be

struct Box {
  Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  void add(const Vec3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  bool empty() const { return low.x > high.x; }
};

// Around what can be touched at the start, or around all there is to see if nothing can; in F. What stands beside a
// floating base is no part of it. Of one tree of bodies: in the frame T of its root.
Box bounds(const Compiled& c, const mjData* d, bool solid, int root = 0) {
  const mjModel* m = c.model;
  Box box;
  const Pose X_TW = root ? Pose{vec(d->xpos + 3 * root), quat(d->xquat + 4 * root)}.inverse() : Pose{};
  for (int g = 0; g < m->ngeom; ++g) {
    if (m->geom_type[g] == mjGEOM_PLANE || m->geom_type[g] == mjGEOM_HFIELD) continue;
    if (!c.fixed_base && m->body_weldid[m->geom_bodyid[g]] == 0) continue;
    if (root && m->body_rootid[m->geom_bodyid[g]] != root) continue;
    if (solid && !m->geom_contype[g] && !m->geom_conaffinity[g]) continue;
    const mjtNum* aabb = m->geom_aabb + 6 * g;  // centre and half sizes in the geom's frame
    for (int corner = 0; corner < 8; ++corner) {
      mjtNum p[3], at[3];
      for (int i = 0; i < 3; ++i) p[i] = aabb[i] + (corner >> i & 1 ? aabb[3 + i] : -aabb[3 + i]);
      mju_mulMatVec3(at, d->geom_xmat + 9 * g, p);
      box.add(X_TW.p + rotate(X_TW.q, vec(at) + vec(d->geom_xpos + 3 * g)));
    }
  }
  return box;
}

std::vector<std::string> words_of(const mjModel* m, const char* name) {
  std::vector<std::string> out;
  const int id = mj_name2id(m, mjOBJ_TEXT, name);
  if (id < 0) return out;
  const std::string text(m->text_data + m->text_adr[id]);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool number_of(const mjModel* m, const char* name, double& value) {
  const int id = mj_name2id(m, mjOBJ_NUMERIC, name);
  if (id >= 0 && m->numeric_size[id] > 0) value = m->numeric_data[m->numeric_adr[id]];
  return id >= 0;
}

// The radius about its axle of what of a wheel touches the ground, m.
double rolling_radius(const mjModel* m, int joint) {
  const int body = m->jnt_bodyid[joint];
  double radius = 0;
  for (int g = m->body_geomadr[body]; g >= 0 && g < m->body_geomadr[body] + m->body_geomnum[body]; ++g) {
    if (!m->geom_contype[g] && !m->geom_conaffinity[g]) continue;
    const mjtNum* size = m->geom_size + 3 * g;
    const int type = m->geom_type[g];
    if (type == mjGEOM_SPHERE || type == mjGEOM_CYLINDER || type == mjGEOM_CAPSULE) radius = std::max(radius, size[0]);
    else radius = std::max({radius, m->geom_aabb[6 * g + 3], m->geom_aabb[6 * g + 4], m->geom_aabb[6 * g + 5]});
  }
  return radius;
}

int joint_of(const mjModel* m, const Wheel& wheel) {
  for (int j = 0; j < m->njnt; ++j)
    if (m->jnt_qposadr[j] == wheel.place.qpos) return j;
  return -1;
}

void find_drive(Model& out, const Compiled& c, const mjData* d, ImportReport& report) {
  const mjModel* m = c.model;
  double left = 0, right = 0, radius = 0, speed = 1e9;
  for (const auto* side : {&c.left, &c.right})
    for (const Wheel& w : *side) {
      const int j = joint_of(m, w);
      (side == &c.left ? left : right) += d->xanchor[3 * j + 1] / static_cast<double>(side->size());
      radius = std::max(radius, rolling_radius(m, j));
      if (m->actuator_ctrllimited[w.actuator]) speed = std::min(speed, m->actuator_ctrlrange[2 * w.actuator + 1]);
    }
  out.drive = Drive::kDifferential;
  out.wheel_radius = radius;
  out.half_separation = std::fabs(left - right) / 2;
  number_of(m, "convoy_wheel_radius", out.wheel_radius);
  number_of(m, "convoy_half_separation", out.half_separation);
  if (speed > 1e8) speed = 1 / std::max(out.wheel_radius, 1e-3);  // 1 m/s
  out.max_speed = speed * out.wheel_radius;
  out.max_turn_rate = out.half_separation > 0 ? out.max_speed / out.half_separation : 0;
  number_of(m, "convoy_max_speed", out.max_speed);
  number_of(m, "convoy_max_turn_rate", out.max_turn_rate);
  number_of(m, "convoy_max_acceleration", out.max_acceleration);
  number_of(m, "convoy_max_turn_acceleration", out.max_turn_acceleration);
  number_of(m, "convoy_encoder_noise", out.encoder_noise);
  report.made.push_back(fmt::format("drive: wheels of {:g} m, {:g} m from the middle; up to {:g} m/s and {:g} rad/s",
                                    out.wheel_radius, out.half_separation, out.max_speed, out.max_turn_rate));
}

void find_shape(Model& out, const Compiled& c, const mjData* d) {
  const mjModel* m = c.model;
  Box box = bounds(c, d, true);
  if (box.empty()) box = bounds(c, d, false);
  if (box.empty()) box.add({-0.05, -0.05, 0}), box.add({0.05, 0.05, 0.1});
  const auto wide = [](double& low, double& high) {
    if (high - low < 0.01) low -= 0.005, high += 0.005;
  };
  wide(box.low.x, box.high.x), wide(box.low.y, box.high.y);
  const auto in_bounds = [](double v) { return std::clamp(v, -kLargest, kLargest); };
  const double x0 = in_bounds(box.low.x), y0 = in_bounds(box.low.y), x1 = in_bounds(box.high.x),
               y1 = in_bounds(box.high.y);
  out.footprint = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
  out.height = std::clamp(box.high.z, 0.01, kLargest);
  double mass = 0;
  for (int b = 1; b < m->nbody; ++b) mass += m->body_mass[b];
  out.mass = std::clamp(mass, 1e-3, 9e5);
}

// Of the free bodies whose poses are among the joints, behind all others.
std::vector<BodyBox> find_boxes(const Compiled& c, const mjData* d) {
  std::vector<BodyBox> out;
  const std::size_t first = c.fixed_base ? 0 : 1;
  for (std::size_t i = first; i < c.free.size(); ++i) {
    const Box box = bounds(c, d, true, c.free[i].body);
    if (box.empty()) continue;
    const Vec3 half = 0.5 * (box.high - box.low);
    out.push_back({static_cast<std::uint32_t>(c.first_loose + 7 * (i - first)),
                   0.5 * (box.low + box.high),
                   {std::max(half.x, kThin), std::max(half.y, kThin), std::max(half.z, kThin)}});
  }
  return out;
}

// Those with a name, which a robot may begin in.
void find_keyframes(Model& model, const Compiled& c, mjData* d) {
  const mjModel* m = c.model;
  for (int k = 0; k < m->nkey && model.keyframes.size() < kMaxKeyframes; ++k) {
    const char* name = mj_id2name(m, mjOBJ_KEY, k);
    if (!name || !*name) continue;
    Model::Keyframe& out = model.keyframes.emplace_back();
    out.name = name;
    if (k == c.key) {
      out.joints = c.start;
      continue;
    }
    mj_resetDataKeyframe(m, d, k);
    for (std::size_t i = 0; i < c.first_mocap; ++i) out.joints.push_back(d->qpos[c.joints[i].qpos]);
    for (int i = 0; i < m->nmocap; ++i) {
      out.joints.insert(out.joints.end(), d->mocap_pos + 3 * i, d->mocap_pos + 3 * i + 3);
      out.joints.insert(out.joints.end(), d->mocap_quat + 4 * i, d->mocap_quat + 4 * i + 4);
    }
    for (std::size_t i = c.first_loose; i < c.joints.size(); ++i) out.joints.push_back(d->qpos[c.joints[i].qpos]);
    if (c.fixed_base) continue;
    Pose X_SB = pose_at(d->qpos + c.free[0].place.qpos);
    X_SB.q = unit(X_SB.q);
    out.X_SR = X_SB * c.X_BR;
    out.X_SR.q = unit(out.X_SR.q);
  }
}

void describe_model(const Model& model, const Compiled& c, ImportReport& report) {
  const mjModel* m = c.model;
  report.step = c.step;
  report.made.push_back(fmt::format("{}: {} joints, {} actuators, {} sensors; {:.4g} kg; physics step {:g} ms",
                                    c.fixed_base ? "fixed base" : "floating base", model.joints.size(), m->nu,
                                    m->nsensor, model.mass, seconds(c.step) * 1e3));
  if (c.key >= 0) {
    const char* key = mj_id2name(m, mjOBJ_KEY, c.key);
    report.made.push_back(fmt::format("starts from the keyframe '{}'", key && *key ? key : "0"));
  }
  if (c.free.size() > (c.fixed_base ? 0 : 1))
    report.made.push_back(
        fmt::format("{} more free bodies move with the robot's own physics; their poses stand among its joints",
                    c.free.size() - (c.fixed_base ? 0 : 1)));
  if (model.drive == Drive::kNone && m->nu > 0)
    report.made.push_back(
        "no drive: twist commands turn nothing (name wheels: <custom> convoy_left_wheels, or in the scenario)");
  if (m->nsensor > 0)
    report.made.push_back(fmt::format("{} sensors are computed, and published over ZeroMQ alone", m->nsensor));
  for (const std::string& warning : c.warnings) report.lost.push_back("MuJoCo: " + warning);
  if (m->nflex > 0)
    report.lost.push_back(fmt::format(
        "{} flexible bodies are simulated, and touch what is in this file; other agents do not touch them", m->nflex));
}

// What others see of it without an engine.
struct Seen {
  std::vector<BodyBox> boxes;
  Shapes shapes;
};

// Fills in the rest of the model from what was compiled of its files. Errors name lines of the document.
Status find_facts(Model& model, const ModelFiles& files, std::shared_ptr<const Compiled> compiled, ImportReport& report,
                  Seen& seen) {
  const mjModel* m = compiled->model;
  const bool named = !model.left_wheels.empty() || !model.right_wheels.empty();
  if (!named) {
    model.left_wheels = words_of(m, "convoy_left_wheels"), model.right_wheels = words_of(m, "convoy_right_wheels");
    if (!model.left_wheels.empty() || !model.right_wheels.empty()) {
      auto again = compile(model, files, {});
      if (!again) return tl::unexpected(again.error());
      compiled = std::move(*again);
      m = compiled->model;
    }
  }
  const Compiled& c = *compiled;
  if (c.left.empty() != c.right.empty()) return fail(ErrorCode::kInvalid, "a drive has wheels on both sides");
  mjData* d = nullptr;
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    d = mj_makeData(m);
    if (!d) return;
    if (c.key >= 0) mj_resetDataKeyframe(m, d, c.key);
    mj_fwdKinematics(m, d);
  });
  if (!done || !d) return fail(ErrorCode::kInvalid, "its start cannot be computed: " + trouble);
  model.joints = c.joint_names;
  model.start = c.start;
  model.reach = std::min(reach_of(c), kLargest);
  for (int a = 0; a < m->nu; ++a) {
    const char* name = mj_id2name(m, mjOBJ_ACTUATOR, a);
    model.actuators.push_back(name && *name ? name : fmt::format("actuator_{}", a));
  }
  for (int b = 1; b < m->nbody; ++b) model.bodies.push_back(body_name(m, b));
  for (const std::string& mocap : c.panel.mocaps) model.mocaps.push_back(mocap);
  model.drive = Drive::kNone;
  model.max_speed = model.max_turn_rate = 0;
  find_shape(model, c, d);
  if (!c.left.empty()) find_drive(model, c, d, report);
  seen.boxes = find_boxes(c, d);
  seen.shapes = look_of(c, d);
  for (const std::string& name : seen.shapes.at_rest)
    report.lost.push_back(fmt::format("'{}' bends in its own simulation only: others see it in its rest shape", name));
  if (!guarded(trouble, [&] { find_keyframes(model, c, d); }))
    return fail(ErrorCode::kInvalid, "its keyframes cannot be computed: " + trouble);
  report.cameras = cameras_of(c, report);
  describe_model(model, c, report);
  guarded(trouble, [&] { mj_deleteData(d); });
  return {};
}

void add_file(ImportedModel& out, const std::string& name, Bytes bytes) {
  out.model.files.push_back({name, hash64(bytes)});
  out.files.push_back(std::move(bytes));
}

}  // namespace

Status complete(ImportedModel& out, Element root, Ground ground, std::map<std::string, Bytes> assets,
                const std::string& path) {
  const auto wanted = wanted_ground(root, ground);
  if (!wanted) return tl::unexpected(wanted.error());
  Text text = write(root);
  const auto document = [&] { return Bytes(text.xml.begin(), text.xml.end()); };
  add_file(out, base_name(path), document());
  for (auto& [name, bytes] : assets) add_file(out, name, std::move(bytes));
  ModelFiles files;
  for (const Bytes& bytes : out.files) add(files, bytes);
  auto compiled = compile(out.model, files, {});
  if (compiled && needs_ground(*wanted, (*compiled)->model, out.report)) {
    add_ground(root);
    text = write(root);
    out.files[0] = document(), out.model.files[0].hash = hash64(out.files[0]);
    add(files, out.files[0]);
    compiled = compile(out.model, files, {});
  }
  if (!compiled) return tl::unexpected(explained(compiled.error(), text, path));
  Seen seen;
  if (auto ok = find_facts(out.model, files, std::move(*compiled), out.report, seen); !ok)
    return tl::unexpected(explained(ok.error(), text, path));
  if (!seen.boxes.empty()) add_file(out, kBodyBoxes, save(BodyBoxes{std::move(seen.boxes)}));
  Bytes shapes = save(seen.shapes);
  if (shapes.size() > kMaxModelFile)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("its meshes and textures are {} MiB; allowed: {} MiB", shapes.size() >> 20, kMaxModelFile >> 20),
        path);
  add_file(out, kShapesFile, std::move(shapes));
  return {};
}

}  // namespace convoy::mujoco
