#include "physics/mujoco/sdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/mujoco/sdf_bodies.h"
#include "physics/mujoco/sdf_include.h"
#include "physics/mujoco/wheels.h"

namespace convoy::mujoco {

namespace {

constexpr double kShortestStep = 1e-4, kLongestStep = 1e-2;  // s; the longest is a multiple of what is taken

std::string names_of(const std::vector<const Element*>& models) {
  std::string out;
  for (const Element* e : models) out += (out.empty() ? "'" : ", '") + e->get("name") + "'";
  return out;
}

// The one model of a world; null: it has none, or several.
const Element* only_model(const Element& world) {
  const Element* out = nullptr;
  for (const Element& e : world.children) {
    if (e.tag != "model") continue;
    if (out) return nullptr;
    out = &e;
  }
  return out;
}

// The element whose children are the models: the <sdf>, or its <world>.
Result<const Element*> holder(const Element& root, SdfUse use, Losses& losses, ImportReport& report) {
  std::vector<const Element*> models, worlds;
  for (const Element& e : root.children) {
    if (e.tag == "model") models.push_back(&e);
    if (e.tag == "world") worlds.push_back(&e);
  }
  if (models.empty() && worlds.empty())
    return fail(ErrorCode::kInvalid, "<sdf> has neither a <model> nor a <world>", root.where());
  if (use == SdfUse::kRobot) {
    // A robot in a world of its own, as some write it.
    if (models.empty() && worlds.size() == 1)
      if (const Element* only = only_model(*worlds[0])) {
        report.made.push_back(fmt::format("the robot is '{}', the one model of the file's <world>", only->get("name")));
        return worlds[0];
      }
    if (models.empty())
      return fail(ErrorCode::kInvalid,
                  fmt::format("this SDF is a world, not a robot: use it as world: {{mjcf: {}}}", base_name(root.file)),
                  worlds[0]->where());
    if (models.size() > 1)
      return fail(ErrorCode::kInvalid,
                  fmt::format("a robot is one <model>; here are {} ({}): put each into a file of its own, or use this "
                              "one as a world",
                              models.size(), names_of(models)),
                  models[1]->where());
    for (std::size_t i = 0; i < worlds.size(); ++i) losses.add("a <world> beside the robot is not read");
    return &root;
  }
  for (std::size_t i = 1; i < worlds.size(); ++i) losses.add("another <world> is not read");
  if (worlds.empty()) return &root;
  for (std::size_t i = 0; i < models.size(); ++i) losses.add("a <model> beside the <world> is not read");
  return worlds[0];
}

void set_physics(const Element& world, Element& option, SdfValues& values, Losses& losses) {
  const Element *physics = nullptr, *gravity = world.child("gravity");
  for (const Element& e : world.children)
    if (e.tag == "physics" && (!physics || e.get("default") == "true" || e.get("default") == "1")) physics = &e;
  if (physics && !gravity) gravity = physics->child("gravity");
  if (gravity) option.set("gravity", text_of(values.vector(*gravity)));
  if (!physics || !physics->child("max_step_size")) return;
  const double step = values.number(*physics, "max_step_size", 0);
  const double steps = kLongestStep / step;
  if (step >= kShortestStep && step <= kLongestStep && std::fabs(steps - std::round(steps)) < 1e-6 * steps)
    option.set("timestep", fmt::format("{}", step));
  else losses.add(fmt::format("the <max_step_size> of {} s is not kept: 10 ms are no multiple of it", step));
}

// The joints that Gazebo's own differential drive turns: a twist turns them here too.
void take_wheels(const Element& models, const std::vector<Servo>& servos, Element& mjcf, ImportReport& report) {
  const auto is_wheel = [&](const std::string& name) {
    return std::any_of(servos.begin(), servos.end(), [&](const Servo& s) { return s.joint == name && s.turns; });
  };
  Wheels wheels;
  bool done = false;
  each(models, [&](const Element& e) {
    const std::string file = e.get("filename");
    if (e.tag != "plugin" || done || (file.find("diff-drive") == file.npos && file.find("diff_drive") == file.npos))
      return;
    read_drive_plugin(e, wheels);
    done = true;
  });
  for (auto* names : {&wheels.left, &wheels.right})
    std::erase_if(*names, [&](const std::string& name) { return !is_wheel(name); });
  if (wheels.left.empty() || wheels.right.empty()) return;
  add_sides(mjcf, wheels);
  report.made.push_back("wheels: as the <plugin> for a differential drive names them");
}

}  // namespace

Result<Translated> from_sdf(Element root, const SdfOptions& options, ImportReport& report) {
  Losses losses;
  if (auto ok = put_in_includes(root, {options.read, options.roots}, losses, report); !ok)
    return tl::unexpected(ok.error());
  const auto parent = holder(root, options.use, losses, report);
  if (!parent) return tl::unexpected(parent.error());
  const bool robot = options.use == SdfUse::kRobot;
  Element models = **parent;
  if (*parent == &root) std::erase_if(models.children, [](const Element& e) { return e.tag == "world"; });
  const auto scene = read_scene(models, !robot, losses);
  if (!scene) return tl::unexpected(scene.error());

  Translated out;
  SdfShapes shapes(scene->frames, MeshFiles(options.read, options.roots, out.assets, report), losses);
  SdfBodies bodies(*scene, shapes, losses, report);
  SdfValues values;
  Element& mjcf = out.mjcf = made_from(root, "mujoco");
  mjcf.set("model", robot ? scene->models[0].name : models.get("name").empty() ? "world" : models.get("name"));
  Element& compiler = mjcf.add("compiler");
  compiler.set("angle", "radian"), compiler.set("autolimits", "true");
  set_physics(models, mjcf.add("option"), values, losses);
  set_options(mjcf);
  Element world = made_from(models, "worldbody"), asset = made_from(models, "asset");
  Element contact = made_from(models, "contact"), equality = made_from(models, "equality");
  if (auto ok = bodies.add_to(world); !ok) return tl::unexpected(ok.error());
  asset.children = shapes.take_assets();
  bodies.add_excludes(contact), bodies.add_loops(equality);
  if (!values.status()) return tl::unexpected(values.status().error());
  for (Element* section : {&asset, &world, &contact, &equality}) mjcf.children.push_back(std::move(*section));
  add_actuators(mjcf, robot ? bodies.servos() : std::vector<Servo>{}, bodies.mimics());
  if (robot) report_servos(bodies.servos(), report), take_wheels(models, bodies.servos(), mjcf, report);
  losses.write(report);
  return out;
}

}  // namespace convoy::mujoco
