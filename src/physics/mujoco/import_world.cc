#include "physics/mujoco/import_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/math.h"
#include "physics/mujoco/assets.h"
#include "physics/mujoco/bounding_box.h"
#include "physics/mujoco/compiled.h"
#include "physics/mujoco/facts.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/sdf.h"
#include "world/state.h"
#include "world/world_model.h"

namespace convoy::mujoco {

namespace {

constexpr double kLowest = 0.02, kHighest = 2;  // m; what reaches between them is in the way of robots

// An upright box around a geom, turned as the geom is.
std::optional<BoxShape> box_around(const mjModel* m, const mjData* d, int g) {
  const mjtNum* aabb = m->geom_aabb + 6 * g;
  const mjtNum* R = d->geom_xmat + 9 * g;
  double cosine = R[0], sine = R[3];  // where the geom's x axis points, seen from above
  if (cosine * cosine + sine * sine < 0.25) cosine = R[1], sine = R[4];
  const double length = std::sqrt(cosine * cosine + sine * sine);
  cosine /= length, sine /= length;
  double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
  for (int corner = 0; corner < 8; ++corner) {
    mjtNum p[3], at[3];
    for (int i = 0; i < 3; ++i) p[i] = aabb[i] + (corner >> i & 1 ? aabb[3 + i] : -aabb[3 + i]);
    mju_mulMatVec3(at, R, p);
    const Vec3 w = vec(at) + vec(d->geom_xpos + 3 * g);
    const double along[3] = {cosine * w.x + sine * w.y, cosine * w.y - sine * w.x, w.z};
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], along[i]), high[i] = std::max(high[i], along[i]);
  }
  if (high[2] < kLowest || low[2] > kHighest || high[0] - low[0] < 1e-4 || high[1] - low[1] < 1e-4) return {};
  const double x = (low[0] + high[0]) / 2, y = (low[1] + high[1]) / 2;
  return BoxShape{cosine * x - sine * y, sine * x + cosine * y, math::atan2(sine, cosine),
                  high[0] - low[0],      high[1] - low[1],      high[2]};
}

constexpr const char* kShapePrefix = "convoy:";  // of a geom that stands for one of the scenario's

// Solid and seen, whatever the file's default class says of geoms.
void add_geom(Element& worldbody, const std::string& name, const char* type, const Pose& X_WG,
              const std::string& size) {
  Element& out = worldbody.add("geom");
  out.set("name", name), out.set("type", type), out.set("size", size);
  const auto& [p, q] = X_WG;
  out.set("pos", fmt::format("{} {} {}", p.x, p.y, p.z)),
      out.set("quat", fmt::format("{} {} {} {}", q.w, q.x, q.y, q.z));
  out.set("contype", "1"), out.set("conaffinity", "1"), out.set("group", "0"), out.set("rgba", "0.59 0.56 0.5 1");
}

void add_shapes(Element& mjcf, const UprightShapes& shapes) {
  if (shapes.boxes.empty() && shapes.cylinders.empty()) return;
  Element& worldbody = mjcf.add("worldbody");
  for (std::size_t i = 0; i < shapes.boxes.size(); ++i) {
    const BoxShape& box = shapes.boxes[i];
    add_geom(worldbody, fmt::format("{}box:{}", kShapePrefix, i), "box",
             {{box.x, box.y, box.height / 2}, from_yaw(box.yaw)},
             fmt::format("{} {} {}", box.length / 2, box.width / 2, box.height / 2));
  }
  for (std::size_t i = 0; i < shapes.cylinders.size(); ++i) {
    const CylinderShape& cylinder = shapes.cylinders[i];
    add_geom(worldbody, fmt::format("{}cylinder:{}", kShapePrefix, i), "cylinder",
             {{cylinder.x, cylinder.y, cylinder.height / 2}, {}},
             fmt::format("{} {}", cylinder.radius, cylinder.height / 2));
  }
}

bool stands_for_shape(const mjModel* m, int geom) {
  const char* name = mj_id2name(m, mjOBJ_GEOM, geom);
  return name && std::string_view(name).starts_with(kShapePrefix);
}

// `moves`: not all of it is fixed.
Status find_boxes(ImportedWorld& out, bool& moves) {
  ModelFiles files;
  for (const Bytes& bytes : out.fixed.files) add(files, bytes);
  auto compiled = compile(out.fixed.model, files, {});
  if (!compiled) return tl::unexpected(compiled.error());
  const mjModel* m = (*compiled)->model;
  moves = m->njnt > 0 || m->nmocap > 0;
  mjData* d = nullptr;
  std::string trouble;
  if (!guarded(trouble,
               [&] {
                 d = mj_makeData(m);
                 if (d) mj_fwdKinematics(m, d);
               }) ||
      !d)
    return fail(ErrorCode::kInvalid, trouble);
  int terrain = 0, distances = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    if (m->body_weldid[m->geom_bodyid[g]] != 0 || stands_for_shape(m, g)) continue;
    if (m->geom_type[g] == mjGEOM_SDF) ++distances;
    else if (is_ground(m, g)) terrain += m->geom_type[g] == mjGEOM_HFIELD;
    else if (!is_solid(m, g)) continue;
    else if (auto box = box_around(m, d, g)) out.boxes.push_back(*box);
  }
  guarded(trouble, [&] { mj_deleteData(d); });
  if (distances) out.fixed.report.lost.push_back(fmt::format("{} signed distance fields stop no robots", distances));
  if (terrain)
    out.fixed.report.lost.push_back(
        fmt::format("{} height fields stand on no map: kinematic robots do not know of them", terrain));
  return {};
}

}  // namespace

Result<ImportedModel> model_of_objects(const Element& root, const std::string& name, const std::string& path,
                                       const std::map<std::string, Bytes>& assets) {
  ImportedModel out;
  out.model.name = name;
  if (auto ok = complete(out, root, Ground::kAuto, assets, path); !ok) return tl::unexpected(ok.error());
  out.model.footprint.clear();  // no robot collides with it as one body
  out.model.drive = Drive::kNone;
  out.model.left_wheels.clear(), out.model.right_wheels.clear();
  return out;
}

Result<ImportedWorld> import_world(const std::string& path, const ImportOptions& options, const UprightShapes& shapes) {
  auto root = load_document(path, options.read);
  if (!root) return tl::unexpected(root.error());
  ImportReport report;
  FileReader read = options.read;
  if (root->tag == "sdf") {
    auto mjcf = from_sdf(std::move(*root), {options.read, options.roots, SdfUse::kWorld}, report);
    if (!mjcf) return tl::unexpected(mjcf.error());
    root = std::move(mjcf->mjcf), read = reader_of(std::move(mjcf->assets));
  }
  if (root->tag != "mujoco")
    return fail(ErrorCode::kInvalid, fmt::format("<{}> is no world: neither <mujoco> nor <sdf>", root->tag),
                root->where());
  override_options(*root, options.options);
  add_shapes(*root, shapes);
  Assets assets(folder_of(path), read, options.roots);
  if (auto ok = assets.collect(*root); !ok) return tl::unexpected(ok.error());
  Element& fixed = root->add("custom").add("numeric");
  fixed.set("name", kFixedBase), fixed.set("data", "1");

  ImportedWorld out;
  auto made = model_of_objects(*root, kWorldModel, path, assets.take());
  if (!made) return tl::unexpected(made.error());
  out.fixed = std::move(*made);
  for (auto part : {&ImportReport::made, &ImportReport::lost}) {
    auto& all = out.fixed.report.*part;
    all.insert(all.begin(), (report.*part).begin(), (report.*part).end());
  }
  bool moves = false;
  if (auto ok = find_boxes(out, moves); !ok) return tl::unexpected(ok.error());
  if (!moves) return out;
  out.objects = out.fixed;
  out.objects->model.name = kWorldObjects, out.objects->model.reach = kAnywhere;
  out.objects->report = {};  // it is one file
  return out;
}

}  // namespace convoy::mujoco
