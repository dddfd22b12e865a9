#include "apps/models.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/prepare.h"
#include "engines/engines.h"
#include "os/file.h"
#include "physics/mujoco/import.h"

namespace convoy::apps {

namespace {

Result<Bytes> read_bytes(const std::string& path) {
  return os::read_file(path, kMaxModelFile);
}

}  // namespace

std::vector<std::string> model_path() {
  std::vector<std::string> path = folders_of("CONVOY_MODEL_PATH");
  for (std::string& folder : beside_program({"models", "../share/convoy/models"})) path.push_back(std::move(folder));
  return path;
}

Result<ImportedModel> import_robot(const ModelRequest& request) {
  if (auto ok = engines::start(); !ok) return tl::unexpected(ok.error());
  std::vector<std::string> folders{request.folder}, tried;
  for (std::string& folder : model_path()) folders.push_back(std::move(folder));
  for (const std::string& folder : folders) {
    tried.push_back((std::filesystem::path(folder) / request.file).string());  // an absolute one rules
    if (!os::exists(tried.back())) continue;
    mujoco::ImportOptions options{read_bytes, model_path(), request.name, request.left_wheels, request.right_wheels};
    return mujoco::import_model(tried.back(), options);
  }
  return fail(ErrorCode::kNotFound, fmt::format("no robot '{}'; looked for {}", request.file, fmt::join(tried, ", ")));
}

}  // namespace convoy::apps
