// The code of users that a scenario names: components of nodes, and types of sensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/software.h"
#include "plugins/library_rule.h"

namespace convoy::apps {

// What is not there of it, or cannot be used, each once. Asked before a run, so that nothing begins that cannot. With
// `left_out`, what may not be loaded is put there, each library once, and is no error.
std::vector<Error> check_users_code(std::span<const EntitySpec> robots, const SensorRules& rules,
                                    const LibraryFolders& folders, std::vector<std::string>* left_out = nullptr);

// What of it is another here than in a recorded run.
std::vector<std::string> other_code(const std::vector<CodeFile>& recorded, std::span<const EntitySpec> robots,
                                    const SensorRules& rules, SoftwareFactory* software, UsersSensors& sensors);

}  // namespace convoy::apps
