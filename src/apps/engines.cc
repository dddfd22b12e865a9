#include "apps/engines.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/prepare.h"
#include "os/file.h"
#include "physics/mujoco/engine.h"
#include "physics/mujoco/factory.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/import_world.h"

namespace convoy::apps {

namespace {

std::string plugin_folder() {
  for (const std::string& folder : beside_program({"../" CONVOY_LIBDIR "/convoy/mujoco_plugin"}))
    if (os::exists(folder)) return folder;
  return CONVOY_MUJOCO_PLUGINS;
}

Result<Bytes> read_bytes(const std::string& path) { return os::read_file(path, kMaxModelFile); }

}  // namespace

std::string mujoco_version() { return mujoco::version(); }

Status start_engines() {
  static const Status started = mujoco::start(plugin_folder());  // process-wide, as the library is
  return started;
}

void probe_engines(Bytes& out) {
  if (start_engines()) mujoco::probe(out);
}

std::unique_ptr<PhysicsFactory> physics_factory() {
  if (!start_engines()) return std::make_unique<KinematicFactory>();
  return std::make_unique<mujoco::Factory>();
}

std::vector<std::string> model_path() {
  std::vector<std::string> path = folders_of("CONVOY_MODEL_PATH");
  for (std::string& folder : beside_program({"models", "../share/convoy/models"})) path.push_back(std::move(folder));
  return path;
}

namespace {

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
  if (auto ok = start_engines(); !ok) return tl::unexpected(ok.error());
  const auto path = find_file(request);
  if (!path) return tl::unexpected(path.error());
  return mujoco::import_model(*path, options_of(request));
}

Result<scenario::WorldFile> import_world_file(const ModelRequest& request) {
  if (auto ok = start_engines(); !ok) return tl::unexpected(ok.error());
  const auto path = find_file(request);
  if (!path) return tl::unexpected(path.error());
  auto made = mujoco::import_world(*path, options_of(request));
  if (!made) return tl::unexpected(made.error());
  return scenario::WorldFile{std::move(made->fixed), std::move(made->objects), std::move(made->boxes)};
}

}  // namespace convoy::apps
