// The code of users that a scenario names: components of nodes, types of sensors, engines of robots.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/software.h"
#include "plugins/engine_libraries.h"
#include "plugins/library_rule.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// What is not there of it, or cannot be used, each once. Asked before a run, so that nothing begins that cannot. With
// `left_out`, what may not be loaded is put there, each library once, and is no error.
std::vector<Error> check_users_code(const Setup& setup, std::span<const EntitySpec> robots,
                                    const LibraryFolders& folders, std::vector<std::string>* left_out = nullptr);

// The files of it, with their hashes, as they are here; what cannot be found is left out.
std::vector<CodeFile> users_code_of(const Setup& setup, std::span<const EntitySpec> robots, SoftwareFactory* software,
                                    UsersSensors& sensors, const PhysicsFactory& physics);

// What of it is another here than in a recorded run.
std::vector<std::string> other_code(const std::vector<CodeFile>& recorded, const Setup& setup,
                                    std::span<const EntitySpec> robots, SoftwareFactory* software,
                                    UsersSensors& sensors, const PhysicsFactory& physics);

// What programs that join by the library convoy::host are made of (MembershipOptions::host_build); empty: it is not there.
std::string host_library_build();

// Can the scenario's function for programs that join be made here? As check_users_code().
Status check_welcome(const scenario::Scenario& scenario, const LibraryFolders& folders,
                     std::vector<std::string>* left_out = nullptr);

// Convoy's own physics and users' engines.
std::unique_ptr<EngineLibraries> make_physics(const LibraryFolders& folders);

}  // namespace convoy::apps
