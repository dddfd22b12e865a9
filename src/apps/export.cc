// convoy export: a scenario's start, or one robot, as a binary glTF file for other people's viewers.
#include <fmt/format.h>

#include <filesystem>

#include "apps/arguments.h"
#include "apps/models.h"
#include "apps/prepare.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "shapes/gltf/gltf.h"
#include "shapes/scene.h"
#include "shapes/shape_book.h"
#include "world/world.h"
#include "world/world_model.h"

namespace convoy::apps {

namespace {

std::vector<Pose> links_of(const Shapes& shapes, const Pose& X_WR, const Pose& origin, std::span<const double> joints) {
  std::vector<Pose> out;
  place_links(shapes, {X_WR, file_frame(shapes, X_WR, origin), joints}, out);
  return out;
}

Result<Bytes> robot_as_glb(const ImportedModel& robot) {
  ModelFiles files;
  for (const Bytes& bytes : robot.files) convoy::add(files, bytes);
  const auto shapes = shapes_of(robot.model, files);
  if (!shapes) return tl::unexpected(shapes.error());
  return to_glb(std::vector<SceneItem>{{robot.model.name, &*shapes, links_of(*shapes, {}, {}, robot.model.start)}});
}

// The world at its start.
Result<Bytes> world_as_glb(const Setup& setup) {
  const auto world = World::make(setup);
  if (!world) return tl::unexpected(world.error());
  const auto scene = shapes_of_scene(scenery_of(setup, world->model(kWorldModel)), world->files());
  if (!scene) return tl::unexpected(scene.error());
  std::vector<SceneItem> items{{"scene", &*scene, links_of(*scene, {}, {}, {})}};
  ShapeBook book;
  for (const Slot slot : SlotRange(world->entities().size())) {
    const Entity& entity = world->entity(slot);
    const auto found = book.of(world->models()[entity.model], world->files());
    if (!found) return tl::unexpected(found.error());
    const Shapes& shapes = **found;  // which the book keeps
    if (shapes.shapes.empty()) continue;
    items.push_back(
        {entity.name, &shapes, links_of(shapes, world->snapshot().state(slot).pose, entity.pose, world->joints(slot))});
  }
  return to_glb(items);
}

}  // namespace

int export_scene(const Arguments& arguments) {
  const bool robot = !arguments.ctl.model.empty();
  if (!robot && arguments.run.scenario.empty()) return complain("export needs a SCENARIO, or --model FILE", kUsage);
  os::StderrLog log(arguments.log_level);
  const std::string& from = robot ? arguments.ctl.model : arguments.run.scenario;
  const std::string out = arguments.draw.out.empty()
                              ? std::filesystem::path(from).filename().replace_extension(".glb").string()
                              : arguments.draw.out;
  if (std::filesystem::path(out).extension() != ".glb")
    return complain(fmt::format("{}: a scene is written as binary glTF: name a .glb", out), kUsage);
  auto file = os::OutputFile::open(out);
  if (!file) return complain(file.error().message(), kUsage);
  Result<Bytes> glb = Bytes{};
  if (robot) {
    const auto made = ModelImporter(arguments.run.trust).robot({arguments.ctl.model, ".", {}, {}, {}});
    if (!made) return complain(made.error().message(), kUsage);
    glb = robot_as_glb(*made);
  } else {
    auto scenario = load_scenario(arguments.run);
    if (!scenario) return complain(scenario.error());
    warn_of(*scenario, log);
    glb = world_as_glb(scenario->setup);
  }
  if (!glb) return complain(glb.error().message(), kUsage);
  if (auto ok = file->write(*glb); !ok) return complain(ok.error().message(), kFailed);
  log.line(LogLevel::kInfo, fmt::format("{}: {} bytes", out, glb->size()));
  return kOk;
}

}  // namespace convoy::apps
