// A build without the ROS packages runs no components.
#include "apps/software.h"

namespace convoy::apps {

std::vector<std::string> ament_prefixes() { return {}; }

std::unique_ptr<SoftwareFactory> software_factory(LogLevel, LibraryFolders) { return nullptr; }

std::vector<Error> check_components(std::span<const EntitySpec> entities, LibraryFolders, std::vector<std::string>*) {
  for (const EntitySpec& entity : entities)
    if (!entity.components.empty())
      return {{ErrorCode::kUnsupported, "this build runs no ROS components (it was configured with CONVOY_ROS=OFF)",
               entity.name}};
  return {};
}

Status check_nobody_joins(const std::vector<EntitySpec>& entities) {
  const std::vector<Error> absent = check_components(entities, {});
  return absent.empty() ? Status{} : tl::unexpected(absent.front());
}

std::string busy_with() { return {}; }

std::string program_build() { return {}; }

}  // namespace convoy::apps
