#include <fstream>
#include <iterator>

#include "engines/engines.h"
#include "physics/mujoco/import.h"
#include "seeds/kind.h"

namespace convoy::testing {

namespace {

Result<Bytes> read_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

Result<Cast> mujoco_cast() {
  if (auto ok = engines::start(); !ok) return tl::unexpected(ok.error());
  Cast cast;
  cast.most = 5;
  cast.longest = 60;
  for (const std::string name : {"rover", "arm", "turtlebot3_waffle"}) {
    auto robot = mujoco::import_model(CONVOY_SOURCE_DIR "/models/" + name + ".xml",
                                      {.read = read_disk, .roots = {}, .name = name + "_xml"});
    if (!robot) return tl::unexpected(robot.error());
    cast.names.push_back(robot->model.name);
    cast.models.push_back(std::move(robot->model));
    cast.files.insert(cast.files.end(), robot->files.begin(), robot->files.end());
  }
  cast.names.insert(cast.names.end(), {"turtlebot3_burger", "box"});
  return cast;
}

}  // namespace convoy::testing
