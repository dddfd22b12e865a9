// `world.mjcf`: a world from an MJCF or SDF file.
#include "world/world_model.h"

#include <algorithm>
#include <cmath>

#include "scenario/ground.h"
#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr double kMargin = 2;  // m of ground around what is fixed there
constexpr double kResolution = 0.05;

// A rectangle around the origin that holds the boxes.
Ground ground_under(const std::vector<BoxShape>& boxes) {
  double side[2] = {1, 1};
  for (const BoxShape& box : boxes) {
    const double reach = std::sqrt(box.length * box.length + box.width * box.width) / 2;
    side[0] = std::max(side[0], std::fabs(box.x) + reach), side[1] = std::max(side[1], std::fabs(box.y) + reach);
  }
  Ground out;
  out.size[0] = 2 * (side[0] + kMargin), out.size[1] = 2 * (side[1] + kMargin);
  out.resolution = std::max(kResolution, std::max(out.size[0], out.size[1]) / 4000);
  return out;
}

}  // namespace

void take_in(Setup& setup, ImportedModel&& made) {
  for (Bytes& bytes : made.files)
    if (std::find(setup.files.begin(), setup.files.end(), bytes) == setup.files.end())
      setup.files.push_back(std::move(bytes));
  setup.models.push_back(std::move(made.model));
}

Status read_world_file(Draft& draft, const WorldImporter& import) {
  WorldDraft& world = draft.world;
  if (world.mjcf.empty()) return {};
  if (!import) return fail(ErrorCode::kUnsupported, "MJCF worlds are not read here", world.mjcf_where);
  RobotFile file{world.mjcf, draft.base_dir, {}, {}, {}};
  file.options = draft.options;
  UprightShapes shapes{draft.setup.boxes, draft.setup.cylinders};
  if (world.ground) {
    const std::vector<BoxShape> walls = walls_of(*world.ground);
    shapes.boxes.insert(shapes.boxes.end(), walls.begin(), walls.end());
  }
  auto made = import(file, shapes);
  if (!made) return fail(made.error().code, made.error().message(), world.mjcf_where);
  for (const std::string& line : made->fixed.report.lost) draft.losses.push_back(world.mjcf + ": " + line);
  take_in(draft.setup, std::move(made->fixed));
  if (made->objects) {
    for (const std::string& line : made->objects->report.lost) draft.losses.push_back(world.mjcf + ": " + line);
    take_in(draft.setup, std::move(*made->objects));
    Group group;
    group.name = kWorldObjects, group.spec.model = kWorldObjects;
    group.where = group.placement_where = world.mjcf_where;
    group.placement.poses = PosesPlacement{{{0, 0, 0}}};
    draft.groups.push_back(std::move(group));
  }
  if (world.map.empty() && !world.ground)
    world.ground = ground_under(made->boxes), world.ground_where = world.mjcf_where;
  draft.setup.boxes.insert(draft.setup.boxes.end(), made->boxes.begin(), made->boxes.end());
  return {};
}

}  // namespace convoy::scenario
