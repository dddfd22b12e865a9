// Options of sweep.
#include "apps/command_line.h"
#include "apps/sweep.h"
#include "os/machine.h"

namespace convoy::apps {

void add_sweep_command(CommandLine& line) {
  Arguments& a = line.arguments;
  CLI::App& sweep = line.add(line.root(), "sweep",
                             "Run a scenario many times, along axes of its fields, and gather what comes of it", {});
  sweep.require_subcommand(1);
  CLI::App& run = line.add(sweep, "run", "Run what is missing of a plan (convoy sweep PLAN is the same)", sweep_run);
  run.add_option("PLAN", a.sweep.plan, "the plan (YAML): scenario, axes, metrics")->required();
  run.add_option("--out", a.sweep.out, "folder of the results; default: named as the plan, with .sweep")
      ->type_name("DIR");
  run.add_option("--at-once", a.sweep.at_once,
                 "runs at a time, or tasks of an engine; default: one for each core that the threads of a run take")
      ->check(CLI::Range(1, 1000));
  run.add_option("--set", a.run.set, "override a field of the scenario in all runs, as robots[0].count=10")
      ->allow_extra_args(false);
  run.add_option("--check-repeat", a.sweep.check_repeat,
                 "make this part of the runs twice, as 5%, and fail when digests differ")
      ->transform(
          [](std::string text) {
            if (text.ends_with('%')) text.pop_back();
            return text;
          },
          "")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  run.add_flag("--list", a.sweep.list, "print the runs with their keys and settings, and run nothing");
  CLI::Option* engine =
      run.add_option("--engine", a.cluster.engine, "have a cluster make the runs: slurm, ray, kubernetes")
          ->envname("CONVOY_ENGINE");
  run.add_option("--engine-file", a.cluster.file, "what the engine is told (YAML), as the scenario's section `engine`")
      ->needs(engine)
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  run.add_option("--runs-per-task", a.sweep.runs_per_task, "runs of one of the engine's tasks; default: for 200 tasks")
      ->check(CLI::Range(1, 1'000'000));
  run.add_flag("--dry-run", a.cluster.dry_run, "print what would be submitted")->needs(engine);
  run.add_option("--part", a.sweep.part)->group("");
  add_code(run, a);
  CLI::App& show = line.add(sweep, "show", "Print what a sweep has come to: each metric over each axis", sweep_show);
  show.add_option("DIR", a.sweep.out, "folder of a sweep's results")->required();
  show.add_option("--html", a.sweep.page, "write it as a page with figures, which needs nothing but itself")
      ->type_name("FILE.html");
}

}  // namespace convoy::apps
