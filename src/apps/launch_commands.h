// The commands of a run's processes, which launch starts on this machine, or an engine of a cluster on others.
#pragma once

#include <string>
#include <vector>

#include "apps/arguments.h"
#include "scenario/scenario.h"

namespace convoy::apps {

struct LaunchedRun {
  const Arguments& arguments;
  const scenario::Scenario& scenario;
  std::string exe;
  std::string ros2_run;       // tells the run's clients from all others
  bool drawn_secret = false;  // it is kept by port
};

// `listen`: ADDR:PORT.
std::vector<std::string> server_command(const LaunchedRun& run, const std::string& listen);
// `server`: ADDR:PORT. `name`: one of client_names().
std::vector<std::string> client_command(const LaunchedRun& run, const std::string& name, const std::string& server);
std::vector<std::string> sensor_host_command(const LaunchedRun& run, const std::string& name,
                                             const std::string& server);
const char* level_text(LogLevel level);

// A warning or an error of Convoy's own about somebody's nodes: "[WARN] [12.500000000] [convoy]: ...".
bool warns_of_nodes(const std::string& line);

}  // namespace convoy::apps
