// convoy map: a scenario's world at one height, as an occupancy map of ROS.
#include <fmt/format.h>

#include <filesystem>

#include "apps/arguments.h"
#include "apps/prepare.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "scenario/ros_map.h"
#include "shapes/slice.h"
#include "world/world.h"
#include "world/world_model.h"

namespace convoy::apps {

int draw_map(const Arguments& arguments) {
  namespace fs = std::filesystem;
  os::StderrLog log(arguments.log_level);
  const fs::path out =
      arguments.draw.out.empty() ? fs::path(arguments.run.scenario).stem().string() + "_map.yaml" : arguments.draw.out;
  if (out.extension() != ".yaml")
    return complain(fmt::format("{}: a map is a .yaml, with its picture beside it", out.string()), kUsage);
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  const Setup& setup = scenario->setup;
  const auto world = World::make(setup);
  if (!world) return complain(world.error().message(), kUsage);
  const auto map = map_of_scene(scenery_of(setup, world->model(kWorldModel)), world->files(), arguments.draw.height,
                                arguments.draw.resolution);
  if (!map) return complain(arguments.run.scenario + ": " + map.error().message(), kUsage);
  fs::path image = out;
  image.replace_extension(".pgm");
  if (auto ok = os::write_file(image.string(), ByteView(scenario::picture_of(*map))); !ok)
    return complain(ok.error().message(), kUsage);
  if (auto ok = os::write_file(out.string(), scenario::map_file_of(*map, image.filename().string())); !ok)
    return complain(ok.error().message(), kUsage);
  std::size_t occupied = 0;
  for (const std::uint8_t cell : map->cells) occupied += cell == 1;
  log.line(LogLevel::kInfo,
           fmt::format("{} and {}: {} x {} cells of {:g} m at height {:g} m, {} occupied", out.string(), image.string(),
                       map->width, map->height, map->resolution, arguments.draw.height, occupied));
  return kOk;
}

}  // namespace convoy::apps
