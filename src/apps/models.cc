#include "apps/models.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/prepare.h"
#include "engines/engines.h"
#include "os/file.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/import_group.h"
#include "physics/mujoco/import_world.h"

namespace convoy::apps {

std::vector<std::string> model_path() {
  std::vector<std::string> path = folders_of("CONVOY_MODEL_PATH");
  for (std::string& folder : beside_program({"models", "../share/convoy/models"})) path.push_back(std::move(folder));
  return path;
}

namespace {

Result<Bytes> read_bytes(const std::string& path) { return os::read_file(path, kMaxModelFile); }

Result<std::string> find_file(const ModelRequest& request) {
  std::vector<std::string> folders{request.folder}, tried;
  for (std::string& folder : model_path()) folders.push_back(std::move(folder));
  for (const std::string& folder : folders) {
    tried.push_back((std::filesystem::path(folder) / request.file).string());  // an absolute one rules
    if (os::exists(tried.back())) return tried.back();
  }
  return fail(ErrorCode::kNotFound, fmt::format("no file '{}'; looked for {}", request.file, fmt::join(tried, ", ")));
}

mujoco::ImportOptions options_of(const ModelRequest& request) {
  std::vector<std::string> roots = folders_of("AMENT_PREFIX_PATH");
  for (std::string& folder : model_path()) roots.push_back(std::move(folder));
  return {read_bytes, std::move(roots), request.name, request.left_wheels, request.right_wheels};
}

}  // namespace

Result<ImportedModel> import_robot(const ModelRequest& request) {
  if (auto ok = engines::start(); !ok) return tl::unexpected(ok.error());
  const auto path = find_file(request);
  if (!path) return tl::unexpected(path.error());
  return mujoco::import_model(*path, options_of(request));
}

Result<scenario::WorldFile> import_world_file(const ModelRequest& request) {
  if (auto ok = engines::start(); !ok) return tl::unexpected(ok.error());
  const auto path = find_file(request);
  if (!path) return tl::unexpected(path.error());
  auto made = mujoco::import_world(*path, options_of(request));
  if (!made) return tl::unexpected(made.error());
  return scenario::WorldFile{std::move(made->fixed), std::move(made->objects), std::move(made->boxes)};
}

Result<ImportedModel> import_objects(LooseGroup group) {
  if (auto ok = engines::start(); !ok) return tl::unexpected(ok.error());
  for (LooseBody& body : group.bodies) {
    if (body.shape != LooseBody::Shape::kFile) continue;
    auto path = find_file({body.file, group.folder, {}, {}, {}});
    if (!path) return tl::unexpected(path.error());
    body.file = std::move(*path);
  }
  return mujoco::import_group(group, options_of({group.name, group.folder, {}, {}, {}}));
}

}  // namespace convoy::apps
