// What runs the nodes of a scenario's robots in this program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/software.h"
#include "core/ports.h"
#include "plugins/library_rule.h"

namespace convoy::apps {

// The prefixes of AMENT_PREFIX_PATH, then those of this build folder or installation.
std::vector<std::string> ament_prefixes();

// Null in a build without the ROS packages: agents with components then fail with a text.
std::unique_ptr<SoftwareFactory> software_factory(LogLevel level, LibraryFolders folders);

// The components of a scenario's entities that are not there, each class once. Asked before a run, so that nothing begins
// that cannot. With `left_out`, what may not be loaded is put there, each library once, and is no error.
std::vector<Error> check_components(std::span<const EntitySpec> entities, LibraryFolders folders,
                                    std::vector<std::string>* left_out = nullptr);

// In one process no program can join.
Status check_nobody_joins(const std::vector<EntitySpec>& entities);

// Work of nodes in this process that has been running for half a second or more; empty: none. Any thread.
std::string busy_with();

// What programs that join must be made of (MembershipOptions::program_build); empty in a build without the ROS
// packages.
std::string program_build();

}  // namespace convoy::apps
