// A build without MuJoCo reads none.
#include "apps/models.h"

namespace convoy::apps {

namespace {

tl::unexpected<Error> refused(const ModelRequest& request) {
  return fail(ErrorCode::kUnsupported,
              "'" + request.file + "' needs MuJoCo, and this build has none (CONVOY_MUJOCO=OFF)");
}

}  // namespace

Result<ImportedModel> import_robot(const ModelRequest& request) { return refused(request); }
Result<scenario::WorldFile> import_world_file(const ModelRequest& request) { return refused(request); }
Result<ImportedModel> import_objects(LooseGroup group) { return refused({group.name, {}, {}, {}, {}}); }
std::vector<std::string> model_path() { return {}; }

}  // namespace convoy::apps
