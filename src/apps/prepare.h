// Makes the parts of the roles from arguments and a scenario file.
#pragma once

#include "apps/arguments.h"
#include "convoy/result.h"
#include "roles/server.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// Folders of maps: CONVOY_MAP_PATH, and those that the build makes: beside the executable in a build folder, in share/
// of an installation.
std::vector<std::string> map_path();

// The folders that an environment variable lists ("a:b"); and those of these names beside the program, relative to it.
std::vector<std::string> folders_of(const char* variable);
std::vector<std::string> beside_program(std::initializer_list<const char*> names);

// The files of its models.
ModelFiles files_of(const Setup& setup);

// Loads the scenario with the command line's overrides.
scenario::Loaded load_scenario(const ScenarioArguments& arguments);

// Can it run in one process, where nobody joins and nothing is by itself?
Status check_one_process(const scenario::Scenario& scenario);

// Logs what is doubtful in it.
void warn_of(const scenario::Scenario& scenario, Log& log);

// A line on stderr for all that is wrong with it; returns the exit code.
int complain(const scenario::Refusal& refusal);

// `real_time`: the speed where none was given (run in lockstep: as fast as possible).
// "sensor0", ...
std::vector<std::string> sensor_host_names(int count);
ServerOptions server_options(const scenario::Scenario& scenario, double default_speed);

// Logs how to start the programs that the run waits for.
void invite_programs(const scenario::Scenario& scenario, const std::string& address, Log& log);

// 16 bytes that cannot be guessed, from the kernel.
Token new_token();

}  // namespace convoy::apps
