// Options of the commands that run a scenario: run, launch, server, client, check, export, map.
#include "apps/command_line.h"
#include "apps/launch_job.h"
#include "apps/scenario_files.h"
#include "apps/web.h"
#include "apps/zmq.h"
#include "os/handler_pool.h"

namespace convoy::apps {

void add_strict_threads(CLI::App& app, Arguments& a) {
  app.add_flag("--strict-threads", a.run.strict_threads,
               "one thread for the pools of OpenMP, TBB, OpenBLAS, OpenCV and their kin, on which results may depend")
      ->envname("CONVOY_STRICT_THREADS");
}

namespace {

void add_scenario(CLI::App& app, ScenarioArguments& a) {
  app.add_option("SCENARIO", a.scenario, "a scenario file (YAML), or the name of one that convoy scenarios lists")
      ->required()
      ->transform(
          [](const std::string& given) { return scenario_path(given).value_or(given); },  // who loads it complains
          "");
  app.add_option("--hosts", a.hosts, "number of robot clients")->check(CLI::Range(1, 1000))->envname("CONVOY_HOSTS");
  app.add_option("--mode", a.mode, "lockstep or free")
      ->check(CLI::IsMember({"lockstep", "free"}))
      ->envname("CONVOY_MODE");
  app.add_option("--seed", a.seed, "seed of every random stream")->envname("CONVOY_SEED");
  app.add_option("--duration", a.duration, "simulated time, as 60s")->envname("CONVOY_DURATION");
  app.add_option("--speed", a.speed, "times real time, or max")->envname("CONVOY_SPEED");
  app.add_option("--set", a.set, "override a field of the scenario, as robots[0].count=10")->allow_extra_args(false);
  app.add_option("--leave", a.leave, "a lost host's robots: freeze or remove")
      ->check(CLI::IsMember({"freeze", "remove"}))
      ->envname("CONVOY_LEAVE");
}

void add_trust(CLI::App& app, Arguments& a) {
  app.add_flag("--trust", a.run.trust, "run xacro here for robots' files that end in .xacro");
}

void add_libraries(CLI::App& app, Arguments& a) {
  app.add_option("--allow-library", a.library_folders,
                 "load libraries of components from this folder, whoever names them (more than once: several)")
      ->allow_extra_args(false)
      ->delimiter(':')
      ->envname("CONVOY_ALLOW_LIBRARY")
      ->type_name("DIR");
}

}  // namespace

void add_code(CLI::App& app, Arguments& a) {
  add_libraries(app, a);
  add_strict_threads(app, a);
  add_trust(app, a);
}

namespace {

void add_threads(CLI::App& app, Arguments& a, const char* help) {
  app.add_option("--threads", a.threads, help)->check(CLI::Range(1, 256))->envname("CONVOY_THREADS");
}

void add_no_direct_links(CLI::App& command, Arguments& a) {
  command.add_flag("--no-direct-links", a.run.no_direct_links,
                   "samples go by the server, for networks in which robot clients cannot reach sensor hosts");
}

void add_sensor_hosts(CLI::App& app, Arguments& a) {
  app.add_option(
         "--sensor-hosts", a.run.sensor_hosts,
         "hosts that compute samples of sensors, sensor0, ...: of those that the scenario lets sample elsewhere")
      ->check(CLI::Range(0, 1000))
      ->envname("CONVOY_SENSOR_HOSTS");
}

void add_handlers(CLI::App& app, Arguments& a) {
  app.add_option("--handlers", a.handlers, "threads of the server that parse elements; 0: the one that receives does")
      ->check(CLI::Range(0, os::kMaxHandlers))
      ->envname("CONVOY_HANDLERS");
}

void add_ros2(CLI::App& app, ScenarioArguments& a) {
  app.add_flag("--ros2", a.ros2, "robots and services are nodes of ROS 2; in real time unless --speed is given");
}

void add_ros2(CLI::App& app, Ros2Arguments& a) {
  app.add_flag("--ros2", a.on, "its robots and services are nodes of ROS 2");
  app.add_option("--ros2-domain", a.domain, "default: ROS_DOMAIN_ID, else 0")->check(CLI::Range(0, 232));
  app.add_option("--ros2-distro", a.distro, "of the peers")
      ->check(CLI::IsMember({"humble", "iron", "jazzy", "kilted", "rolling"}));
  app.add_option("--ros2-namespace", a.ns, "of the client's services");
  app.add_option("--ros2-tf", a.tf_mode, "where robots' frames are told")
      ->check(CLI::IsMember({"namespaced", "prefixed", "both"}));
  app.add_option("--ros2-rate", a.state_rate, "of odom, tf and joint_states, Hz")->check(CLI::Range(0.1, 1000.0));
  app.add_option("--ros2-trajectory-controller", a.trajectory_controller, "whose follow_joint_trajectory arms have");
  app.add_option("--ros2-simulation-interfaces", a.simulation_interfaces, "version for who does not tell it")
      ->check(CLI::Range(1, 2));
  app.add_option("--ros2-obstacles", a.obstacles, "as what robots are told what is around them")
      ->delimiter(',')
      ->check(CLI::IsMember({"planning_scene", "markers", "points"}));
  app.add_flag("--ros2-no-nodes", a.no_nodes, "its nodes stay inside the run");
  app.add_option("--ros2-client", a.client, "its number: the lowest that lives speaks for the run, as /clock")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--ros2-liveness", a.liveness, "s of silence, and others take it for lost")
      ->check(CLI::Range(1.0, 3600.0));
  app.add_option("--ros2-run", a.run, "a word, the same for all clients of the run; default: --connect");
}

}  // namespace

void add_view(CLI::App& app, RecordArguments& a, CLI::Option* record) {
  app.add_option(
         "--record-scene", a.scene,
         "for viewers: on, rigid (links do not move in their robot), or off (default: on; of poses alone rigid)")
      ->needs(record)
      ->check(CLI::IsMember({"on", "rigid", "off"}));
  app.add_option("--record-tf", a.frames, "how often frames are recorded, as 10Hz (default: 10Hz, or each pose)")
      ->needs(record);
  app.add_option(
         "--record-sensors", a.sensors,
         "record what these sensors see, as 'scout/scan' or '*/imu@5Hz' (more than once: several; in one process)")
      ->needs(record)
      ->allow_extra_args(false)
      ->type_name("PATTERN[@RATE]");
}

namespace {

void add_output(CLI::App& app, Arguments& a) {
  app.add_option("--report", a.report, "write the report as JSON to this file");
  CLI::Option* record = app.add_option("--record", a.record.file, "record the run to this file (MCAP)");
  app.add_option("--record-detail", a.record.detail, "what it records: full, or poses@10Hz: poses at that rate alone")
      ->needs(record);
  add_view(app, a.record, record);
  app.add_flag("--accept-losses", a.accept_losses, "exit 0 although hosts were lost");
}

void add_start_order(CLI::App& app, Arguments& a) {
  app.add_option("--start-order", a.trial.start_order, "start the hosts in another order (a permutation's number)");
}

void add_listening(CLI::App& app, Arguments& a) {
  app.add_option_function<std::string>(
         "--listen", [&a](const std::string& text) { a.listen = text, a.listen_given = true; },
         "ADDR:PORT; port 0 is a free one")
      ->envname("CONVOY_LISTEN");
  app.add_option("--credentials", a.credentials.text, "what clients must show")->envname("CONVOY_CREDENTIALS");
  app.add_option("--credentials-file", a.credentials.file, "lines ROLE SECRET: view, drive, edit, admin or host")
      ->envname("CONVOY_CREDENTIALS_FILE")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_flag("--insecure", a.credentials.insecure, "ask for no credentials, also beyond this machine");
  app.add_option("--audit", a.credentials.audit, "append who comes, calls and is declined to this file")
      ->envname("CONVOY_AUDIT")
      ->type_name("FILE.jsonl");
  app.add_flag("--paused", a.paused, "begin paused");
}

// What launch gives to those that compute.
void add_launched_peer(CLI::App& app, Arguments& a) {
  app.add_option("--bind", a.bind,
                 "address of this machine from which the server is called; default: the system chooses")
      ->envname("CONVOY_BIND")
      ->type_name("ADDR");
  add_libraries(app, a);
  add_strict_threads(app, a);
  app.add_option("--scenario-folder", a.scenario_folder)->group("");
}

// Of launch: on machines of a cluster.
void add_cluster(CLI::App& launch_command, CommandLine& line) {
  Arguments& a = line.arguments;
  ClusterArguments& c = a.cluster;
  CLI::Option* engine =
      launch_command.add_option("--engine", c.engine, "have a cluster start the processes: slurm, ray, kubernetes")
          ->envname("CONVOY_ENGINE");
  launch_command
      .add_option("--engine-file", c.file, "what the engine is told (YAML), as the scenario's section `engine`")
      ->needs(engine)
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  launch_command
      .add_option("--job-folder", c.folder,
                  "folder of the job, new, that all machines share; default: one in convoy-jobs")
      ->needs(engine)
      ->type_name("DIR");
  launch_command.add_flag("--detach", c.detach, "submit, and do not wait for its end")->needs(engine);
  launch_command.add_flag("--dry-run", c.dry_run, "print what would be submitted")->needs(engine);
  CLI::App& status = line.add(launch_command, "status", "Print how a job stands", launch_status);
  CLI::App& cancel = line.add(launch_command, "cancel", "End a job", launch_cancel, false);
  for (CLI::App* of_job : {&status, &cancel})
    of_job->add_option("JOB", a.file, "its folder, as launch --detach prints it")
        ->required()
        ->check(CLI::ExistingDirectory);
}

void add_zmq(CLI::App& app, ZmqArguments& a) {
  app.add_option("--zmq-port", a.port, "first port of this client's streams over ZeroMQ; default: none")
      ->check(CLI::Range(1, 65535));
  app.add_option("--zmq-profile", a.profile, "layout of the streams")
      ->check(CLI::IsMember({"seed", "urlab01", "both"}));
  app.add_option("--zmq-second-port", a.urlab01_port, "first port of the second block, of both")
      ->check(CLI::Range(1, 65535));
  app.add_option("--zmq-pictures", a.pictures, "what stands in front of a camera's pixels")
      ->check(CLI::IsMember({"bare", "ucm1", "ucm2"}));
  app.add_option("--zmq-listen", a.listen, "address of the streams");
  app.add_option("--zmq-role", a.role, "what who comes by the streams may do")
      ->check(CLI::IsMember({"view", "drive", "edit"}));
  app.add_flag("--zmq-insecure", a.insecure, "everybody may come to the streams, without keys");
}

}  // namespace

void add_connect(CLI::App& app, Arguments& a, const char* name) {
  app.add_option("--connect", a.connect, "the server, ADDR:PORT")->capture_default_str()->envname("CONVOY_CONNECT");
  app.add_option("--name", a.name, name)->envname("CONVOY_NAME");
  app.add_option("--credentials", a.credentials.text, "what the server asks for")->envname("CONVOY_CREDENTIALS");
}

void add_web_server(CLI::App& app, WebArguments& a) {
  app.add_option("--web-name", a.names, "a name of this machine that browsers may call it by; may be repeated")
      ->allow_extra_args(false);
  CLI::Option* certificate =
      app.add_option("--web-certificate", a.certificate, "encrypt the page: its certificate (PEM)")->type_name("FILE");
  CLI::Option* key = app.add_option("--web-key", a.key, "the certificate's key (PEM)")->type_name("FILE");
  certificate->needs(key), key->needs(certificate);
}

void add_page(CLI::App& app, WebArguments& a) {
  app.add_option("--web-listen", a.listen, "where the page is, ADDR:PORT; port 0 is a free one")
      ->capture_default_str()
      ->envname("CONVOY_WEB_LISTEN");
  app.add_option("--web-role", a.role, "what the first of the links lets do; the second lets look")
      ->capture_default_str()
      ->check(CLI::IsMember({"view", "drive", "edit", "admin"}));
  add_web_server(app, a);
  CLI::Option* foxglove = app.add_flag(
      "--foxglove", a.foxglove, "serve clients of the Foxglove WebSocket protocol, too, as Foxglove and Lichtblick");
  app.add_option("--foxglove-origin", a.origins, "such an app, as http://localhost:8080; may be repeated")
      ->allow_extra_args(false)
      ->needs(foxglove);
  app.add_option("--page", a.page, "folder of the page; default: this build's")->group("");
}

void add_scenario_commands(CommandLine& line) {
  Arguments& a = line.arguments;
  CLI::App& run_command = line.add(line.root(), "run", "Run a scenario in this process", run);
  add_scenario(run_command, a.run);
  add_threads(run_command, a, "threads for the agents");
  add_ros2(run_command, a.run);
  add_sensor_hosts(run_command, a);
  add_output(run_command, a);
  add_code(run_command, a);
  add_start_order(run_command, a);
  CLI::Option* web_option =
      run_command.add_flag("--web", a.web.on, "show the run to browsers, and keep real time unless --speed is given");
  run_command.add_flag("--paused", a.paused, "begin paused: the page goes on with it")->needs(web_option);
  run_command.add_flag("--insecure", a.credentials.insecure, "serve the page beyond this machine, without encryption");
  add_page(run_command, a.web);

  CLI::App& launch_command = line.add(
      line.root(), "launch", "Run a scenario as processes of this machine or of a cluster, over real sockets", launch);
  add_scenario(launch_command, a.run);
  launch_command.get_option("SCENARIO")->required(false);  // status and cancel have none
  add_threads(launch_command, a, "threads for the agents of each client");
  add_ros2(launch_command, a.run);
  add_sensor_hosts(launch_command, a);
  add_handlers(launch_command, a);
  add_output(launch_command, a);
  add_code(launch_command, a);
  add_listening(launch_command, a);
  launch_command.add_option("--log-dir", a.log_dir, "one log file a process in this folder")->envname("CONVOY_LOG_DIR");
  add_start_order(launch_command, a);
  launch_command.add_flag("--web", a.web.on, "show the run to browsers, and keep real time unless --speed is given");
  add_page(launch_command, a.web);
  launch_command.add_flag("--viewer", a.stream.on,
                          "stream video of the run to browsers, and keep real time unless --speed is given");
  launch_command.add_option("--viewer-listen", a.stream.listen, "where the video is, ADDR:PORT; port 0 is a free one")
      ->capture_default_str();
  add_video(launch_command, a.stream);
  add_cluster(launch_command, line);
  launch_command.add_option("--relay", a.trial.relay)->group("");
  launch_command.add_option("--slow-ms", a.run.slow_ms)->group("");
  add_no_direct_links(launch_command, a);
  launch_command.add_option("--patience", a.trial.patience)->group("");

  CLI::App& server_command = line.add(line.root(), "server", "Serve a scenario to robot clients", server);
  add_scenario(server_command, a.run);
  add_threads(server_command, a, "threads for the agents of each client");
  add_ros2(server_command, a.run);
  add_sensor_hosts(server_command, a);
  add_handlers(server_command, a);
  add_libraries(server_command, a);
  add_output(server_command, a);
  add_listening(server_command, a);
  server_command.add_flag("--launched", a.launched)->group("");
  server_command.add_flag("--drawn", a.credentials.drawn)->group("");

  CLI::App& client_command = line.add(line.root(), "client", "Own robots of a server and run them", client, false);
  add_connect(client_command, a, "host0, ...; the server chooses if not given");
  add_threads(client_command, a, "threads for the agents");
  add_zmq(client_command, a.zmq);
  add_ros2(client_command, a.ros2);
  add_launched_peer(client_command, a);
  client_command.add_option("--corrupt-state-at", a.run.corrupt_state_at)->group("");

  CLI::App& sensors_command = line.add(line.root(), "sensor-host",
                                       "Compute samples of heavy sensors for a server's robots", sensor_host, false);
  add_connect(sensors_command, a, "of this host; the server chooses if not given");
  add_threads(sensors_command, a, "threads that compute");
  add_launched_peer(sensors_command, a);
  sensors_command.add_option("--slow-ms", a.run.slow_ms)->group("");
  add_no_direct_links(sensors_command, a);

  line.add(line.root(), "rank", "Be one process of a job, as an engine of a cluster starts it", rank, false)
      .add_option("DIR", a.file, "folder of the job")
      ->required();

  CLI::App& web_command = line.add(line.root(), "web", "Show a run to browsers", web);
  add_connect(web_command, a, "of this connection; the server chooses if not given");
  web_command.add_flag("--insecure", a.credentials.insecure, "serve the page beyond this machine, without encryption");
  add_page(web_command, a.web);
  web_command.add_option("--video", a.web.video, "live video of the same run, as convoy signaling prints its link")
      ->envname("CONVOY_VIDEO")
      ->type_name("URL");

  CLI::App& echo =
      line.add(line.root(), "zmq-echo", "Print the joints of a ZeroMQ state stream and show a camera", zmq_echo, false);
  echo.add_option("--main_endpoint", a.zmq.main_endpoint, "the state stream")->capture_default_str();
  echo.add_option("--camera_endpoint", a.zmq.camera_endpoint, "a camera's stream")->capture_default_str();
  echo.add_option("--res_x", a.zmq.width, "width of its pictures, px, where they do not say it")->capture_default_str();
  echo.add_option("--res_y", a.zmq.height, "height of its pictures, px, where they do not say it")
      ->capture_default_str();
  echo.add_option("--count", a.zmq.count, "end after so many joint messages; default: go on until Ctrl-C");

  CLI::App& check_command = line.add(line.root(), "check", "Validate a scenario, or a robot's file", check);
  add_scenario(check_command, a.run);
  CLI::Option* scenario = check_command.get_option("SCENARIO")->required(false);
  CLI::Option* model = check_command.add_option("--model", a.ctl.model,
                                                "import this robot (.xml, .urdf, .sdf) and say what became of it");
  scenario->excludes(model);
  check_command
      .add_option("--write", a.check.write, "write there the MJCF that is really compiled, and its meshes beside it")
      ->needs(model);
  check_command
      .add_flag("--placements", a.check.placements,
                "run it for 5 s (or --duration) in one process, in several and on threads, and compare every tick")
      ->excludes(model);
  add_libraries(check_command, a);
  add_strict_threads(check_command, a);
  check_command
      .add_flag("--scenario", a.check.write_scenario,
                "print a first scenario for the robot, in which it drives if it can")
      ->needs(model);
  check_command.add_flag("--trust", a.run.trust,
                         "load the libraries that the scenario names from its folder, and run xacro for robots' files");

  CLI::App& export_command =
      line.add(line.root(), "export", "Write a scenario's start, or a robot, as a glTF file", export_scene, false);
  add_scenario(export_command, a.run);
  scenario = export_command.get_option("SCENARIO")->required(false);
  model = export_command.add_option("--model", a.ctl.model, "this robot (.xml, .urdf, .sdf) alone");
  scenario->excludes(model);
  export_command.add_option("-o,--out", a.draw.out,
                            "the file, .glb (default: named as the scenario or the robot, here)");
  export_command.add_flag("--trust", a.run.trust, "run xacro for robots' files");

  CLI::App& map_command =
      line.add(line.root(), "map", "Draw a map of a scenario's world, as ROS has them", draw_map, false);
  add_scenario(map_command, a.run);
  map_command.add_option("-o,--out", a.draw.out,
                         "the map, .yaml; its picture beside it (default: SCENARIO_map.yaml, here)");
  map_command.add_option("--height", a.draw.height, "m above the ground at which the world is cut")
      ->check(CLI::Range(-1000.0, 1000.0))
      ->capture_default_str();
  map_command.add_option("--resolution", a.draw.resolution, "m per cell (default: as the scenario's own map)")
      ->check(CLI::Range(0.001, 10.0));
  map_command.add_flag("--trust", a.run.trust, "run xacro for robots' files");

  CLI::App& shot_command =
      line.add(line.root(), "sensor-shot", "Draw what a sensor shows at an instant of a scenario", sensor_shot, false);
  add_scenario(shot_command, a.run);
  shot_command.add_option("--robot", a.draw.robot, "the robot's name")->required();
  shot_command.add_option("--sensor", a.draw.sensor, "the sensor's name, as scan")->required();
  shot_command.add_option("--at", a.draw.at, "when, as 12.5s")->capture_default_str();
  shot_command.add_option("-o,--out", a.draw.out, "the picture, .png (default: ROBOT_SENSOR.png, here)");
  add_libraries(shot_command, a);
  shot_command.add_flag("--trust", a.run.trust,
                        "load the libraries that the scenario names from its folder, and run xacro for robots' files");
}

}  // namespace convoy::apps
