// Options of convoy ctl and its calls.
#include "apps/command_line.h"
#include "apps/ctl.h"
#include "run/drawn_kinds.h"

namespace convoy::apps {

namespace {

void add_name(CLI::App& app, CtlArguments& c, const char* help) {
  app.add_option("NAME", c.names, help)->required()->expected(1);
}

void add_names(CLI::App& app, CtlArguments& c, bool required) {
  app.add_option("NAME", c.names, "entities")->required(required)->expected(required ? 1 : 0, 10'000);
}

void add_spawn(CLI::App& app, CtlArguments& c) {
  app.add_option("NAME", c.names, "its name")->expected(0, 1);
  app.add_option("--model", c.model, "what it is: one of convoy ctl spawnables, or a robot's file (.xml, .urdf, .sdf)");
  app.add_option("--pose", c.pose, "X,Y or X,Y,YAW (m, rad)");
  app.add_option("--z", c.z,
                 "where a file's origin begins, of a URDF's floating robot its root link's (m); default: on 0");
  app.add_option("--sensors", c.sensor.set, "default: what its model carries; none; without it as the scenario has it")
      ->check(CLI::IsMember({"default", "none"}));
  app.add_option("--keyframe", c.keyframe, "of a MuJoCo model, in which it begins; default: home, or the first");
  app.add_option("--frame-of-pose", c.frame_of_pose, "the entity that the pose is relative to; default: the world");
  app.add_option("--ns", c.ns, "namespace of its interfaces; default: its name");
  app.add_option("--frame", c.frame_id, "frame id of its base; default: base_footprint");
  app.add_option("--tag", c.tags, "a tag; may be repeated")->allow_extra_args(false);
  app.add_option("--host", c.host, "where it runs; default: the host with the fewest");
  app.add_option("--driver", c.driver, "what drives it")
      ->capture_default_str()
      ->check(CLI::IsMember({"none", "random_walk", "waypoints", "right_of_way"}));
  app.add_option("--waypoint", c.waypoints, "X,Y (m) for --driver waypoints; may be repeated")->allow_extra_args(false);
  app.add_option("--count", c.count, "so many of them, in a square grid from --pose on")->check(CLI::Range(1, 10'000));
  app.add_option("--prefix", c.prefix, "of --count: names are PREFIX_0, PREFIX_1, ...");
  app.add_option("--spacing", c.spacing, "of --count: m between neighbours")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e4));
  app.add_option("--file", c.file, "entities written as in a scenario's robots (YAML or JSON)")
      ->check(CLI::ExistingFile);
}

void add_environment(CLI::App& app, CtlArguments& c) {
  const auto share = [&](const char* name, std::optional<double>& value) {
    app.add_option(name, value, "0 to 1; default: as it is")->check(CLI::Range(0.0, 1.0));
  };
  share("--fog", c.weather.fog), share("--rain", c.weather.rain), share("--wetness", c.weather.wetness);
  share("--cloudiness", c.weather.cloudiness), share("--road-damage", c.weather.road_damage);
  app.add_option("--gravity", c.weather.gravity,
                 "X,Y,Z (m/s^2) for all MuJoCo robots, or `file`: as theirs say; default: as it is");
  app.add_option("--wind", c.weather.wind, "X,Y,Z (m/s) likewise, felt in a medium with a density");
  app.add_option("--time-of-day", c.weather.time_of_day, "hours, 0 to 24; default: as it is")
      ->check(CLI::Range(0.0, 24.0));
}

void add_draw(CLI::App& app, CtlArguments& c) {
  app.add_option("NAME", c.parent, "of the drawing, in place of an older one of that name")->required();
  app.add_option("--kind", c.drawing.kind, "lines and arrows take pairs of points, strip is one line through all")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kDrawnKinds), std::end(kDrawnKinds))));
  app.add_option("--at", c.drawing.points, "X,Y or X,Y,Z (m); once for each point")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--text", c.drawing.text, "at the first point");
  app.add_option("--frame", c.frame, "the entity with which it moves; default: the world");
  app.add_option("--color", c.drawing.color, "#rrggbb or #rrggbbaa; default: amber");
  app.add_option("--size", c.drawing.size, "of lines, points and letters (m); default: thin, small")
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--for", c.drawing.lasts, "simulated seconds; default: until it is erased, or the world is reset")
      ->check(CLI::Range(0.0, 1e9));
}

void add_arguments(const std::string& call, CLI::App& app, CtlArguments& c) {
  if (call == "spawn") add_spawn(app, c);
  if (call == "delete" || call == "lease") add_names(app, c, true);
  if (call == "release") {
    app.add_option("NAME", c.names, "robots; default: all that one has leased")->expected(0, 10'000);
    app.add_flag("--force", c.force, "break the leases of whoever has them; needs the role admin");
  }
  if (call == "reset") add_names(app, c, false);
  if (call == "kick") add_name(app, c, "the connection, as convoy ctl status names it");
  if (call == "get" || call == "set" || call == "drive" || call == "contacts" || call == "actuators")
    add_name(app, c, "the entity");
  if (call == "sensor") {
    app.add_option("ROBOT", c.names, "the robot, and behind it which of its sensors; without one all are listed")
        ->required()
        ->expected(1, 2);
    app.add_option("--set", c.sensor.fields,
                   "FIELD=VALUE: changes it while it runs: rate, period, on, and the parameters of its type");
  }
  if (call == "get" || call == "set")
    app.add_option("--frame", c.frame, "the entity that pose and twist are relative to; default: the world");
  if (call == "set") {
    app.add_option("--pose", c.pose, "X,Y or X,Y,YAW (m, rad); default: where it is");
    app.add_option("--twist", c.twist, "VX,VY or VX,VY,WZ (m/s, rad/s); default: at rest");
  }
  if (call == "drive") {
    app.add_option("--forward", c.forward, "m/s")->capture_default_str();
    app.add_option("--turn", c.turn, "rad/s, to the left")->capture_default_str();
    app.add_option("--timeout", c.drive_timeout, "seconds until it stops again; 0: the model's own limit")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 3600.0));
  }
  if (call == "control") {
    app.add_option("NAME", c.parent, "the entity")->required();
    app.add_option("CONTROL", c.controls, "ACTUATOR=VALUE, in the units of the robot's model")->required();
  }
  if (call == "gains") {
    app.add_option("NAME", c.parent, "the robot")->required();
    app.add_option("GAINS", c.controls, "ACTUATOR=KP,KV or ACTUATOR=KP,KV,TORQUE_LIMIT")->required();
  }
  if (call == "draw") add_draw(app, c);
  if (call == "erase") {
    app.add_option("NAME", c.names, "of drawings")->expected(0, 1000);
    app.add_flag("--all", c.all, "whoever drew them");
  }
  if (call == "push") {
    app.add_option("NAME", c.parent, "the robot")->required();
    app.add_option("--body", c.part.body, "of its file; default: its base");
    app.add_option("--force", c.part.force, "X,Y,Z (N) in the world, at the body's centre of mass");
    app.add_option("--torque", c.part.torque, "X,Y,Z (N m) in the world");
    app.add_option("--for", c.part.lasts, "seconds; 0 ends one that lasts; a new one takes the place of an old one")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 86'400.0));
  }
  if (call == "joint" || call == "mocap" || call == "option") {
    app.add_option("NAME", c.parent, "the robot")->required();
    app.add_option("PART", c.part.text,
                   call == "joint"   ? "JOINT=POSITION or JOINT=POSITION,VELOCITY (rad or m, and per s)"
                   : call == "mocap" ? "BODY=X,Y,Z or BODY=X,Y,Z,QW,QX,QY,QZ (m, in the world)"
                                     : "OPTION=NUMBER as in MJCF's <option>, or solver=PGS, CG or Newton")
        ->required();
  }
  if (call == "actions") {
    app.add_option("NAME", c.parent, "the entity")->required();
    app.add_option("MASK", c.mask, "32 bits, decimal or 0x...; 0: none")->required();
  }
  if (call == "tags") {
    app.add_option("NAME", c.parent, "the entity")->required();
    app.add_option("TAGS", c.tags, "all that it then has; none: no tags");
  }
  if (call == "source") {
    app.add_option("WORDS", c.names, "NAME to ask, NAME SOURCE or --all SOURCE to set; nothing asks for all")
        ->expected(0, 2);
    app.add_flag("--all", c.all, "set it for all robots");
  }
  if (call == "attach") app.add_option("PARENT", c.parent, "what carries")->required();
  if (call == "attach" || call == "detach") app.add_option("CHILD", c.child, "what is carried")->required();
  if (call == "list") {
    app.add_option("PREFIX", c.prefix, "only names that begin so");
    app.add_option("--name", c.list.name, "only whole names that this regular expression matches (RE2)");
    app.add_option("--tag", c.tags, "only those with the tag; repeated: with all of them")->allow_extra_args(false);
    app.add_option("--model", c.model, "only those of the model");
    app.add_option("--category", c.list.category, "only those whose shapes are of that category: robot, object, ...");
    app.add_option("--region", c.list.region, "only those whose place is in X0,Y0,X1,Y1 (m, in the world)");
    app.add_flag("--details", c.list.details,
                 "what each is, where it is and who runs it; with --json also joints and more");
  }
  if (call == "step") app.add_option("N", c.ticks, "ticks")->capture_default_str()->check(CLI::Range(1, 1'000'000'000));
  if (call == "speed") app.add_option("FACTOR", c.speed, "times real time, or max")->required();
  if (call == "model") app.add_option("FILE", c.file, "a model as in a scenario's models (YAML or JSON)")->required();
  if (call == "environment") add_environment(app, c);
}

}  // namespace

void add_reach(CLI::App& app, Arguments& a, bool environment) {
  const auto env = [&](CLI::Option* option, const char* name) {
    if (environment) option->envname(name);
    else option->description(option->get_description() + " (Env:" + name + ")");
    option->group("Reaching the server");
  };
  env(app.add_option("--connect", a.connect, "the server, ADDR:PORT")->capture_default_str(), "CONVOY_CONNECT");
  env(app.add_option("--as", a.ctl.holder, "whose name the caller goes by: who has leased a robot")
          ->capture_default_str(),
      "CONVOY_AS");
  env(app.add_option("--credentials", a.credentials.text, "what the server asks for"), "CONVOY_CREDENTIALS");
  env(app.add_option("--deadline", a.ctl.deadline, "seconds until the answer; 0: wait forever")
          ->capture_default_str()
          ->check(CLI::Range(0.0, 1e6)),
      "CONVOY_DEADLINE");
  env(app.add_option("--wait", a.ctl.wait, "seconds to keep trying to reach the server and its run")
          ->capture_default_str()
          ->check(CLI::Range(0.0, 1e6)),
      "CONVOY_WAIT");
}

void add_ctl_command(CommandLine& line) {
  CLI::App& app = line.add(line.root(), "ctl", "Make a call to a running server", {});
  app.require_subcommand(1);
  add_reach(app, line.arguments, true);
  for (const CtlCall& call : ctl_calls()) {
    CLI::App& sub = line.add(app, call.name, call.help, [&call](const Arguments& a) { return ctl(call, a); });
    add_arguments(call.name, sub, line.arguments.ctl);
    add_reach(sub, line.arguments, false);
  }
}

}  // namespace convoy::apps
