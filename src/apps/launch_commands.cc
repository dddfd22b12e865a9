#include "apps/launch_commands.h"

#include <algorithm>

#include "apps/library_folders.h"
#include "apps/ros2.h"
#include "apps/zmq.h"

namespace convoy::apps {

namespace {

void add(std::vector<std::string>& argv, const std::string& flag, const std::optional<std::string>& value) {
  if (value) argv.push_back(flag), argv.push_back(*value);
}

// What those of clients and of sensor hosts have in common.
std::vector<std::string> peer_command(const LaunchedRun& run, const char* command, const std::string& name,
                                      const std::string& server) {
  const Arguments& a = run.arguments;
  std::vector<std::string> argv{run.exe, command};
  add(argv, "--connect", server);
  add(argv, "--name", name);
  add(argv, "--threads", std::to_string(a.threads));
  add(argv, "--log-level", level_text(a.log_level));
  add(argv, "--scenario-folder", folder_of(a.run.scenario));
  for (const std::string& folder : a.library_folders) add(argv, "--allow-library", folder);
  return argv;
}

}  // namespace

const char* level_text(LogLevel level) {
  return level == LogLevel::kDebug  ? "debug"
         : level == LogLevel::kInfo ? "info"
         : level == LogLevel::kWarn ? "warn"
                                    : "error";
}

bool warns_of_nodes(const std::string& line) {
  return (line.starts_with("[WARN] ") || line.starts_with("[ERROR] ")) && line.find("[convoy]: ") != line.npos;
}

std::vector<std::string> server_command(const LaunchedRun& run, const std::string& listen) {
  const Arguments& a = run.arguments;
  std::vector<std::string> argv{run.exe, "server",     a.run.scenario, "--listen",
                                listen,  "--launched", "--log-level",  level_text(a.log_level)};
  if (a.run.hosts) add(argv, "--hosts", std::to_string(*a.run.hosts));
  if (a.run.seed) add(argv, "--seed", std::to_string(*a.run.seed));
  add(argv, "--mode", a.run.mode);
  add(argv, "--duration", a.run.duration);
  if ((a.web.on || a.stream.on) && !run.scenario.run.speed) add(argv, "--speed", "1");  // people look at it
  else add(argv, "--speed", a.run.speed);
  add(argv, "--leave", a.run.leave);
  for (const std::string& set : a.run.set) add(argv, "--set", set);
  if (a.run.ros2) argv.emplace_back("--ros2");
  for (const std::string& folder : a.library_folders) add(argv, "--allow-library", folder);
  if (!a.report.empty()) add(argv, "--report", a.report);
  if (!a.record.file.empty()) {
    add(argv, "--record", a.record.file);
    add(argv, "--record-detail", a.record.detail);
    if (!a.record.scene.empty()) add(argv, "--record-scene", a.record.scene);
    if (!a.record.frames.empty()) add(argv, "--record-tf", a.record.frames);
    for (const std::string& sensors : a.record.sensors) add(argv, "--record-sensors", sensors);
  }
  if (a.credentials.insecure) argv.push_back("--insecure");
  if (!a.credentials.file.empty()) argv.insert(argv.end(), {"--credentials-file", a.credentials.file});
  if (!a.credentials.audit.empty()) argv.insert(argv.end(), {"--audit", a.credentials.audit});
  if (run.drawn_secret) argv.push_back("--drawn");
  if (a.paused) argv.push_back("--paused");
  if (a.accept_losses) argv.push_back("--accept-losses");
  if (a.json) argv.push_back("--json");
  if (a.run.sensor_hosts > 0) add(argv, "--sensor-hosts", std::to_string(a.run.sensor_hosts));
  add(argv, "--threads", std::to_string(a.threads));
  add(argv, "--handlers", std::to_string(a.handlers));
  return argv;
}

std::vector<std::string> client_command(const LaunchedRun& run, const std::string& name, const std::string& server) {
  std::vector<std::string> argv = peer_command(run, "client", name, server);
  const scenario::RunOptions& options = run.scenario.run;
  const std::vector<std::string> clients = scenario::client_names(options);
  const auto index = static_cast<std::size_t>(std::find(clients.begin(), clients.end(), name) - clients.begin());
  if (options.zmq) add_zmq_flags(argv, of_client(*options.zmq, index));
  if (options.ros2) add_ros2_flags(argv, arguments_of(options, name, clients, run.ros2_run));
  for (const scenario::Fault& fault : options.faults)
    if (fault.kind == scenario::FaultKind::kCorruptState && fault.host == name)
      add(argv, "--corrupt-state-at", std::to_string(nanos(fault.at) / nanos(run.scenario.setup.tick)));
  return argv;
}

std::vector<std::string> sensor_host_command(const LaunchedRun& run, const std::string& name,
                                             const std::string& server) {
  const ScenarioArguments& a = run.arguments.run;
  std::vector<std::string> argv = peer_command(run, "sensor-host", name, server);
  if (a.slow_ms > 0) add(argv, "--slow-ms", std::to_string(a.slow_ms));
  if (a.no_direct_links) argv.emplace_back("--no-direct-links");
  return argv;
}

}  // namespace convoy::apps
