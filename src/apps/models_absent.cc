// A build without MuJoCo reads none.
#include "apps/models.h"

namespace convoy::apps {

namespace {

tl::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::kUnsupported, "'" + what + "' needs MuJoCo, and this build has none (CONVOY_MUJOCO=OFF)");
}

}  // namespace

ModelImporter::ModelImporter(bool trust) : worker_({}, {}), trust_(trust) {}
Result<ImportedModel> ModelImporter::robot(ModelRequest request) { return refused(request.file); }
Result<scenario::WorldFile> ModelImporter::world(const ModelRequest& request, const UprightShapes&) {
  return refused(request.file);
}
Result<ImportedModel> ModelImporter::objects(const LooseGroup& group) { return refused(group.name); }
Result<ImportedModel> ModelImporter::judge(const Model& model, const ModelFiles&, Duration) {
  return refused(model.name);
}
bool reads_models() { return false; }
int serve_models() { return 1; }
std::vector<std::string> model_path() { return {}; }

}  // namespace convoy::apps
