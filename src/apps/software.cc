#include "apps/software.h"

#include <convoy_ros/robot.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "engines/identity.h"
#include "os/machine.h"
#include "world/component_classes.h"

namespace convoy::apps {

std::vector<std::string> ament_prefixes() {
  std::vector<std::string> out;
  const char* given = std::getenv("AMENT_PREFIX_PATH");
  const std::string text = given ? given : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // Packages of the build folder beside the executable, and of the installation that it is in.
  if (const auto exe = os::executable_path()) {
    const std::filesystem::path folder = std::filesystem::path(*exe).parent_path();
    out.push_back((folder / "ament").string());
    out.push_back((folder / "..").lexically_normal().string());
  }
  return out;
}

std::unique_ptr<SoftwareFactory> software_factory(LogLevel level, LibraryFolders folders) {
  return std::make_unique<ros::RobotNodes>(
      ros::RobotNodesOptions{ament_prefixes(), 10 * (static_cast<int>(level) + 1), {}, {}, std::move(folders)});
}

// A shipped package of the build folder whose library is not built; demo.sh builds the command alone. Else nothing.
std::optional<std::string> not_built(const std::string& package) {
  const auto exe = os::executable_path();
  if (!exe || package.find('/') != package.npos) return {};
  const std::string folder = std::filesystem::path(*exe).parent_path().string();
  if (!std::filesystem::exists(folder + "/ament/share/ament_index/resource_index/rclcpp_components/" + package) ||
      std::filesystem::exists(folder + "/examples/lib" + package + ".so"))
    return {};
  return "the components of '" + package + "', an example, are not built: cmake --build " + folder + " --target " +
         package + " does that";
}

std::vector<Error> check_components(std::span<const EntitySpec> entities, LibraryFolders folders,
                                    std::vector<std::string>* left_out) {
  std::vector<Error> absent;
  ros::RobotNodes nodes({ament_prefixes(), 20, {}, {}, std::move(folders)});
  ComponentClasses classes;
  std::set<std::string> paths;
  for (const EntitySpec& entity : entities)
    for (const ComponentSpec& c : entity.components)
      if (classes.add(c))
        if (auto ok = nodes.check({c}); !ok) {
          if (left_out && ok.error().code == ErrorCode::kDenied) paths.insert(c.library);
          else if (const auto hint = not_built(c.library)) absent.push_back({ErrorCode::kNotFound, *hint, entity.name});
          else absent.push_back({ok.error().code, ok.error().message(), entity.name});
        }
  if (left_out) left_out->assign(paths.begin(), paths.end());
  return absent;
}

Status check_nobody_joins(const std::vector<EntitySpec>& entities) {
  for (const EntitySpec& entity : entities)
    if (joins(entity.components))
      return fail(ErrorCode::kUnsupported,
                  "its program joins, which nobody can in one process: use convoy launch or convoy server",
                  entity.name);
  return {};
}

std::string busy_with() { return ros::busy_with(); }

std::string program_build() { return engines::build_text_of(ros::program_libraries()); }

}  // namespace convoy::apps
