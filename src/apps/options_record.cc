// Options of the commands that read a recording: replay, plot.
#include "apps/command_line.h"

namespace convoy::apps {

void add_record_commands(CommandLine& line) {
  Arguments& a = line.arguments;
  CLI::App& replay_command = line.add(line.root(), "replay", "Run a recording again", replay);
  replay_command.add_option("FILE", a.file, "a recording (MCAP)")->required();
  CLI::Option* verify = replay_command.add_flag(
      "--verify", a.verify, "compare every boundary with the recording, and name the first difference");
  replay_command.add_flag("--force", a.force, "verify although another build or machine made the recording");
  CLI::Option* from = replay_command.add_option(
      "--from", a.from, "begin at the last checkpoint at or before this time, s; of --web, at this time");
  replay_command.add_flag("--strict", a.strict, "exit 3 unless the whole recording is there and was verified (for CI)")
      ->needs(verify)
      ->excludes(from);
  CLI::Option* record =
      replay_command.add_option("--record", a.record.file, "record the new run to this file (MCAP)")->excludes(from);
  add_view(replay_command, a.record, record);
  replay_command.add_option("--hosts", a.run.hosts, "number of robot clients (default: as recorded)")
      ->check(CLI::Range(1, 1000))
      ->envname("CONVOY_HOSTS");
  replay_command.add_option("--threads", a.threads, "threads for the agents")
      ->check(CLI::Range(1, 256))
      ->envname("CONVOY_THREADS");

  replay_command
      .add_option("--allow-library", a.library_folders,
                  "load libraries of components from this folder (more than once: several)")
      ->allow_extra_args(false)
      ->delimiter(':')
      ->envname("CONVOY_ALLOW_LIBRARY")
      ->type_name("DIR");
  CLI::Option* web_option =
      replay_command.add_flag("--web", a.web.on, "show the recording to browsers; nothing is run again")
          ->excludes(verify)
          ->excludes(record);
  replay_command
      .add_flag("--insecure", a.credentials.insecure, "serve the page beyond this machine, without encryption")
      ->needs(web_option);
  replay_command
      .add_option("--beside", a.web.beside, "show this recording beside it, and where the two begin to differ")
      ->needs(web_option)
      ->type_name("FILE");
  add_page(replay_command, a.web);
  replay_command.add_flag("--trust", a.run.trust, "load whatever libraries the recording names");

  CLI::App& plot_command = line.add(line.root(), "plot", "Draw where the robots of a recording went", plot);
  plot_command.add_option("FILE", a.file, "a recording (MCAP)")->required();
  plot_command.add_option("--out", a.draw.out, "the picture, .svg or .png (default: FILE with .svg)");
  plot_command.add_option("--csv", a.draw.csv, "write the trajectories as a table, too");
}

}  // namespace convoy::apps
