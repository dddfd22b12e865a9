// The flags of convoy client that specify its door to ROS 2.
#include <fmt/format.h>

#include <algorithm>

#include "apps/ros2.h"
#include "os/clock.h"
#include "os/machine.h"

namespace convoy::apps {

namespace {

constexpr const char* kDistros[] = {"humble", "iron", "jazzy", "kilted", "rolling"};
constexpr const char* kTfModes[] = {"namespaced", "prefixed", "both"};
constexpr const char* kAuto = "auto";
constexpr double kLeast = 1, kMost = 3600;  // s, of --ros2-liveness
constexpr double kUnlimited = 20;           // s, where the run has no limit: ROS 2's own

}  // namespace

Ros2Arguments arguments_of(const scenario::RunOptions& of_run, const std::string& name,
                           std::vector<std::string> clients, const std::string& run) {
  const scenario::Ros2Options& options = *of_run.ros2;
  std::sort(clients.begin(), clients.end());
  const auto place = std::find(clients.begin(), clients.end(), name) - clients.begin();
  Ros2Arguments out;
  out.on = true, out.domain = options.domain, out.run = run;
  out.distro = kDistros[static_cast<int>(options.distro)], out.tf_mode = kTfModes[static_cast<int>(options.tf_mode)];
  out.state_rate = options.state_rate, out.simulation_interfaces = options.simulation_interfaces;
  out.no_nodes = !options.nodes, out.trajectory_controller = options.trajectory_controller;
  out.obstacles = options.obstacles;
  out.client = static_cast<std::uint32_t>(place) + 1;
  if (of_run.liveness) out.liveness = std::clamp(static_cast<double>(nanos(*of_run.liveness)) / 1e9, kLeast, kMost);
  else out.liveness = kUnlimited;
  if (options.ns != kAuto) out.ns = options.ns.empty() ? "/" : options.ns;
  else if (clients.size() > 1) out.ns = fmt::format("/NetworkPC{}", place + 1);
  return out;
}

void add_ros2_flags(std::vector<std::string>& argv, const Ros2Arguments& a) {
  const auto add = [&](const char* flag, std::string value) {
    argv.emplace_back(flag);
    argv.push_back(std::move(value));
  };
  argv.emplace_back("--ros2");
  if (a.domain) add("--ros2-domain", std::to_string(*a.domain));
  add("--ros2-distro", a.distro), add("--ros2-namespace", a.ns), add("--ros2-tf", a.tf_mode);
  add("--ros2-rate", fmt::format("{}", a.state_rate)), add("--ros2-trajectory-controller", a.trajectory_controller);
  add("--ros2-simulation-interfaces", std::to_string(a.simulation_interfaces));
  if (!a.obstacles.empty()) add("--ros2-obstacles", fmt::format("{}", fmt::join(a.obstacles, ",")));
  add("--ros2-run", a.run);
  if (a.no_nodes) argv.emplace_back("--ros2-no-nodes");
  add("--ros2-client", std::to_string(a.client)), add("--ros2-liveness", fmt::format("{}", a.liveness));
}

std::string new_ros2_run() { return fmt::format("{:x}-{:x}", os::process_id(), nanos(os::now().time_since_epoch())); }

}  // namespace convoy::apps
