// Options of the commands that read a recording: replay, plot.
#include "apps/command_line.h"

namespace convoy::apps {

namespace {

void add_movie(CLI::App& app, Arguments& a, CLI::Option* movie) {
  app.add_option("--view", a.movie.view, "of the film: orbit, above, follow:ROBOT or ROBOT/CAMERA")
      ->needs(movie)
      ->capture_default_str();
  app.add_option("--size", a.movie.size, "of the film, px")
      ->needs(movie)
      ->type_name("WIDTHxHEIGHT")
      ->capture_default_str();
  app.add_option("--fps", a.movie.rate, "pictures in a second of the film")
      ->needs(movie)
      ->check(CLI::Range(1, 240))
      ->capture_default_str();
  app.add_option("--speed", a.movie.speed, "simulated seconds in a second of the film")
      ->needs(movie)
      ->capture_default_str();
  app.add_option("--from", a.from, "the film begins at this time, s")->needs(movie);
  app.add_option("--to", a.movie.to, "the film ends at this time, s")->needs(movie);
  app.add_option("--quality", a.movie.quality, "of the film: nice or plain, which is drawn faster")
      ->needs(movie)
      ->check(CLI::IsMember({"plain", "nice"}))
      ->capture_default_str();
}

}  // namespace

void add_record_commands(CommandLine& line) {
  Arguments& a = line.arguments;
  CLI::App& replay_command = line.add(line.root(), "replay", "Run a recording again", replay);
  replay_command.add_option("FILE", a.file, "a recording (MCAP)")->required();
  CLI::Option* verify = replay_command.add_flag(
      "--verify", a.replay.verify, "compare every boundary with the recording, and name the first difference");
  replay_command.add_flag("--force", a.replay.force, "verify although another build or machine made the recording");
  CLI::Option* from = replay_command.add_option(
      "--from", a.from, "begin at the last checkpoint at or before this time, s; of --web, at this time");
  replay_command
      .add_flag("--strict", a.replay.strict, "exit 3 unless the whole recording is there and was verified (for CI)")
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
  add_strict_threads(replay_command, a);
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
  CLI::Option* out =
      plot_command.add_option("--out", a.draw.out, "the picture, .svg or .png (default: FILE with .svg)");
  CLI::Option* csv = plot_command.add_option("--csv", a.draw.csv, "write the trajectories as a table, too");
  CLI::Option* movie = plot_command
                           .add_option("--movie", a.movie.file,
                                       "make a film of it instead, .webm, or .mp4 where an encoder for that is found")
                           ->excludes(out)
                           ->excludes(csv)
                           ->type_name("FILE");
  add_movie(plot_command, a, movie);
}

}  // namespace convoy::apps
