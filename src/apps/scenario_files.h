// Scenarios by name: those of folders that the user names, and those that are shipped.
#pragma once

#include <string>
#include <vector>

#include "apps/arguments.h"
#include "convoy/result.h"

namespace convoy::apps {

struct ScenarioFile {
  std::string name, path;  // "warehouse", ".../warehouse.yaml"
  std::string about;       // the comment that it begins with, in one line; may be empty
};
// Of CONVOY_SCENARIO_PATH, then those that came with the program, which are beside it in a build folder and in share/ of an
// installation; by name in each. Of two of one name the first counts.
std::vector<ScenarioFile> scenario_files();

// What is no file and no path is looked for among those. kNotFound: it is a plain word, and none is called so; anything else
// stays as it is.
Result<std::string> scenario_path(const std::string& given);
// The same for plans of sweeps, which are in the same folders; what is none stays as it is.
std::string plan_path(const std::string& given);

}  // namespace convoy::apps
