// From arguments and a scenario file to what the roles are made of.
#pragma once

#include "apps/arguments.h"
#include "convoy/result.h"
#include "roles/server.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// Folders of maps: CONVOY_MAP_PATH, and those that the build makes: beside the executable in a build folder, in share/ of
// an installation.
std::vector<std::string> map_path();

// Loads the scenario with the command line's overrides; warnings go to `log`.
Result<scenario::Scenario> load_scenario(const ScenarioArguments& arguments, Log& log);

// `real_time`: the speed where nobody gave one (run in lockstep: as fast as possible).
ServerOptions server_options(const scenario::Scenario& scenario, double default_speed);

// Tells people how the programs that the run waits for are started.
void invite_programs(const scenario::Scenario& scenario, const std::string& address, Log& log);

// 16 bytes that nobody can guess, from the kernel.
Token new_token();

}  // namespace convoy::apps
