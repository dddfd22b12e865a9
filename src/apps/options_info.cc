// Options of the commands that report about this build and machine: version, doctor, completion.
#include "apps/command_line.h"

namespace convoy::apps {

void add_info_commands(CommandLine& line) {
  line.add(line.root(), "version", "Show version, build, protocol and libraries", version);
  line.add(line.root(), "scenarios", "List the scenarios that run by their name from any folder", list_scenarios);
  CLI::App& begin =
      line.add(line.root(), "init", "Write a small project: scenario, map, node, Python, sweep", init, false);
  begin.add_option("FOLDER", line.arguments.file, "where; its last part is the project's name")->required();
  CLI::App& look = line.add(line.root(), "doctor",
                            "Look over this machine: libraries, ports, limits, loopback; or a domain of ROS 2",
                            [](const Arguments& a) { return a.ros2.inspect.empty() ? doctor(a) : doctor_ros(a); });
  look.add_option("WHAT", line.arguments.ros2.inspect,
                  "ros: nodes, topics and services of a domain of ROS 2, and what does not meet there")
      ->check(CLI::IsMember({"ros"}));
  look.add_option("--domain", line.arguments.ros2.domain, "of ROS 2; default: ROS_DOMAIN_ID, else 0")
      ->check(CLI::Range(0, 232));
  look.add_option("--wait", line.arguments.ros2.wait, "s until all of ROS 2 are taken to be discovered")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 600.0));
  CLI::App& sub = line.add(
      line.root(), "completion", "Print what a shell completes convoy by, or the manual page",
      [&line](const Arguments& a) { return a.shell == "man" ? man_page(line) : completion(line, a.shell); }, false);
  sub.add_option("SHELL", line.arguments.shell, "bash, zsh or fish; or man")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  sub.footer(
      "  source <(convoy completion bash)                      # in ~/.bashrc\n"
      "  source <(convoy completion zsh)                       # in ~/.zshrc, after compinit\n"
      "  convoy completion fish > ~/.config/fish/completions/convoy.fish");
}

}  // namespace convoy::apps
