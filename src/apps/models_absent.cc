// A build without MuJoCo reads none.
#include "apps/models.h"

namespace convoy::apps {

Result<ImportedModel> import_robot(const ModelRequest& request) {
  return fail(ErrorCode::kUnsupported, "'" + request.file + "' needs MuJoCo, and this build has none (CONVOY_MUJOCO=OFF)");
}
std::vector<std::string> model_path() { return {}; }

}  // namespace convoy::apps
