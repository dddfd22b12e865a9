#include "apps/users_code.h"

#include <set>

#include "apps/prepare.h"
#include "apps/software.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/file.h"
#include "plugins/sensor_libraries.h"
#include "plugins/welcome_library.h"
#include "run/code_book.h"
#include "world/users_code.h"

namespace convoy::apps {

std::unique_ptr<EngineLibraries> make_physics(const LibraryFolders& folders) {
  return std::make_unique<EngineLibraries>(engines::physics_factory(), folders);
}

std::vector<Error> check_users_code(const Setup& setup, std::span<const EntitySpec> robots,
                                    const LibraryFolders& folders, std::vector<std::string>* left_out) {
  std::vector<Error> absent = check_components(robots, folders, left_out);
  SensorLibraries libraries(folders);
  SensorBook book(&libraries);
  std::set<std::string> denied, told;
  const auto check = [&](const SensorSpec& spec, const std::string& of) {
    const auto made = spec.library.empty() ? Status() : [&]() -> Status {
      auto sensor = book.of(spec, CodeSource::kScenario);
      return sensor ? Status() : tl::unexpected(sensor.error());
    }();
    if (made) return;
    if (left_out && made.error().code == ErrorCode::kDenied) denied.insert(spec.library);
    else if (told.insert(made.error().message()).second)
      absent.push_back({made.error().code, made.error().message(), of + ": sensor '" + spec.name + "'"});
  };
  for (const EntitySpec& entity : robots)
    for (const SensorSpec& spec : entity.sensors) check(spec, entity.name);
  for (const SensorSet& set : setup.sensors.sets)
    for (const SensorSpec& spec : set.sensors) check(spec, set.model);
  const auto physics = make_physics(folders);
  const ModelFiles files = files_of(setup);
  for (const Model& model : setup.models) {
    if (!model.engine.any()) continue;
    const auto ok = physics->check(model, files, setup.tick);
    if (ok) continue;
    if (left_out && ok.error().code == ErrorCode::kDenied) denied.insert(model.engine.library);
    else absent.push_back({ok.error().code, ok.error().message(), {}});
  }
  if (left_out) left_out->insert(left_out->end(), denied.begin(), denied.end());
  return absent;
}

Status check_welcome(const scenario::Scenario& scenario, const LibraryFolders& folders,
                     std::vector<std::string>* left_out) {
  const WelcomeSpec& spec = scenario.run.welcome;
  if (!spec.any()) return {};
  const auto world = World::make(scenario.setup);
  if (!world) return tl::unexpected(world.error());
  const auto made = WelcomeLibrary::make(spec, folders, *world, scenario.setup);
  if (made) return {};
  if (left_out && made.error().code == ErrorCode::kDenied) return left_out->push_back(spec.library), Status{};
  return fail(made.error().code, "welcome: " + made.error().message());
}

std::string host_library_build() {
  for (const std::string& path :
       beside_program({"src/host/" CONVOY_HOST_LIBRARY, "../" CONVOY_LIBDIR "/" CONVOY_HOST_LIBRARY}))
    if (os::exists(path)) return engines::build_text_of(std::span(&path, 1));
  return {};
}

std::vector<CodeFile> users_code_of(const Setup& setup, std::span<const EntitySpec> robots, SoftwareFactory* software,
                                    UsersSensors& sensors, const PhysicsFactory& physics) {
  std::optional<Error> missing;
  std::vector<CodeFile> here;
  if (software) here = software->code_of(component_classes(robots), CodeSource::kScenario, missing);
  for (CodeFile& file : sensors.code_of(users_sensors(robots, setup.sensors), missing)) here.push_back(std::move(file));
  for (CodeFile& file : physics.code_of(setup.models, missing)) here.push_back(std::move(file));
  return here;
}

std::vector<std::string> other_code(const std::vector<CodeFile>& recorded, const Setup& setup,
                                    std::span<const EntitySpec> robots, SoftwareFactory* software,
                                    UsersSensors& sensors, const PhysicsFactory& physics) {
  CodeBook book;
  book.add("the recorded run", recorded);
  return book.differences("this machine", users_code_of(setup, robots, software, sensors, physics));
}

}  // namespace convoy::apps
