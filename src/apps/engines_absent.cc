// A build without MuJoCo: robots are kinematic.
#include "apps/engines.h"

namespace convoy::apps {

std::string mujoco_version() { return {}; }
Status start_engines() { return {}; }
void probe_engines(Bytes&) {}
std::unique_ptr<PhysicsFactory> physics_factory() { return std::make_unique<KinematicFactory>(); }
Result<ImportedModel> import_robot(const ModelRequest& request) {
  return fail(ErrorCode::kUnsupported,
              "'" + request.file + "' needs MuJoCo, and this build has none (CONVOY_MUJOCO=OFF)");
}
Result<scenario::WorldFile> import_world_file(const ModelRequest& request) {
  return fail(ErrorCode::kUnsupported,
              "'" + request.file + "' needs MuJoCo, and this build has none (CONVOY_MUJOCO=OFF)");
}
std::vector<std::string> model_path() { return {}; }

}  // namespace convoy::apps
