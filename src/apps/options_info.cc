// Options of the commands that report about this build and machine: version, doctor, completion.
#include "apps/command_line.h"

namespace convoy::apps {

void add_info_commands(CommandLine& line) {
  line.add(line.root(), "version", "Show version, build, protocol and libraries", version);
  line.add(line.root(), "doctor", "Look over this machine: libraries, ports, limits, loopback", doctor);
  CLI::App& sub = line.add(
      line.root(), "completion", "Print what a shell completes convoy by",
      [&line](const Arguments& a) { return completion(line, a.shell); }, false);
  sub.add_option("SHELL", line.arguments.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  sub.footer(
      "  source <(convoy completion bash)                      # in ~/.bashrc\n"
      "  source <(convoy completion zsh)                       # in ~/.zshrc, after compinit\n"
      "  convoy completion fish > ~/.config/fish/completions/convoy.fish");
}

}  // namespace convoy::apps
