#include "apps/users_code.h"

#include <set>

#include "apps/software.h"
#include "plugins/sensor_libraries.h"
#include "run/code_book.h"
#include "world/users_code.h"

namespace convoy::apps {

std::vector<Error> check_users_code(std::span<const EntitySpec> robots, const SensorRules& rules,
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
  for (const SensorSet& set : rules.sets)
    for (const SensorSpec& spec : set.sensors) check(spec, set.model);
  if (left_out) left_out->insert(left_out->end(), denied.begin(), denied.end());
  return absent;
}

std::vector<std::string> other_code(const std::vector<CodeFile>& recorded, std::span<const EntitySpec> robots,
                                    const SensorRules& rules, SoftwareFactory* software, UsersSensors& sensors) {
  std::optional<Error> missing;
  std::vector<CodeFile> here;
  if (software) here = software->code_of(component_classes(robots), CodeSource::kScenario, missing);
  for (CodeFile& file : sensors.code_of(users_sensors(robots, rules), missing)) here.push_back(std::move(file));
  CodeBook book;
  book.add("the recorded run", recorded);
  return book.differences("this machine", here);
}

}  // namespace convoy::apps
