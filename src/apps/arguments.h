// The command line's options and arguments, by subcommand. main() fills them in, the commands read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/random_spawn.h"
#include "convoy/result.h"
#include "core/ports.h"

namespace convoy::apps {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 2, kIncomplete = 3, kInterrupted = 130;

// Shared by run, launch, server and check.
struct ScenarioArguments {
  bool strict_threads = false;
  std::string scenario;
  std::optional<int> hosts;
  std::optional<std::string> mode;  // free, lockstep
  std::optional<std::uint64_t> seed;
  std::optional<std::string> duration;  // 60s
  std::optional<std::string> speed;     // 1.0, max
  std::vector<std::string> set;         // KEY=VALUE
  std::optional<std::string> leave;     // freeze, remove
  bool ros2 = false;                    // with the door to ROS 2, as the scenario says or by default
  int sensor_hosts = 0;                 // that compute samples, sensor0, ...
  int slow_ms = 0;                      // how much later those answer (test)
  bool no_direct_links = false;         // of those: samples go by the server
  Tick corrupt_state_at = -1;           // client: a fault, for tests
  // check, replay: load the libraries that the file names; where robots' files are read: expand xacro.
  bool trust = false;
};

// Of ctl and its calls.
struct CtlArguments {
  double deadline = 30;  // s until the answer; 0: none
  double wait = 0;       // s to keep trying to reach the server
  std::vector<std::string> names;
  std::string model, pose, twist, frame, frame_of_pose, ns, frame_id, host, driver = "none", prefix, parent, child,
                                                                            file;
  std::vector<std::string> tags, waypoints, controls;
  std::uint32_t count = 0;
  double spacing = 1;       // m
  std::optional<double> z;  // m
  double forward = 0, turn = 0, drive_timeout = 0.5;
  std::string keyframe;
  struct Sensor {                     // of a robot
    std::vector<std::string> fields;  // FIELD=VALUE
    std::string set;                  // spawn: default or none
  } sensor;
  struct Part {  // of a robot: push, joint, mocap, option
    std::string body, force, torque, text;
    double lasts = 0.1;  // s
  } part;
  struct List {                          // which entities
    std::string name, region, category;  // a regular expression; X0,Y0,X1,Y1
    bool details = false;
  } list;
  struct Drawn {
    std::string kind = "lines", text, color;
    std::vector<std::string> points;  // X,Y,Z each
    double size = 0, lasts = 0;       // m, simulated s
  } drawing;
  std::string holder = "ctl";  // as whom: who holds a lease alone commands its robots
  bool all = false, force = false;
  std::uint32_t mask = 0;
  std::uint64_t ticks = 1;
  std::string speed;
  struct Weather {
    std::optional<double> fog, rain, wetness, cloudiness, road_damage, time_of_day;
    std::optional<std::string> gravity, wind;  // X,Y,Z, or "file"
  } weather;
};

// Of topic and param.
struct InspectArguments {
  std::string topic, node, parameter, value;
  std::uint64_t count = 0;  // messages, and then it ends; 0: until interrupted
  double window = 5;        // s over which hz is taken
  // Of pub and call; `value` is the message as YAML.
  std::string service, type, agent;  // type, agent: empty: whatever has it
  std::uint64_t times = 1;           // 0: until interrupted
  double rate = 1;                   // messages in a second of real time
  double timeout = 10;               // s of real time until the response
  // Of a domain of ROS 2, instead of a run's nodes.
  bool ros2 = false;
  double spin = 3;       // s until all who are there are known
  bool full = false;     // echo: long lists and texts, too
  bool latched = false;  // pub: whoever comes later gets it, too
  // Of tf.
  std::string target, source, tf_topic = "/tf";
};

// Of job; its duration and seed are those of ScenarioArguments.
// convoy node PACKAGE EXECUTABLE
struct ProgramArguments {
  std::string package, executable;
  std::vector<std::string> words;  // the program's own
};

struct JobArguments {
  struct Component {
    std::string library, type;
    std::vector<std::string> arguments;  // ROS arguments of this one
    std::string group;                   // empty: the only one
  };
  std::vector<Component> components;
  std::vector<std::string> ros_arguments;  // for all
  std::string benchmark;                   // determinism
  std::optional<std::string> order;        // stable, rslcpp
  bool overdue_start = false;
  std::optional<std::string> start_time;
  std::string delays;
  std::vector<std::string> traces;  // TOPIC=FILE
  std::string play;                 // F.mcap or a folder
  std::optional<std::string> timeout;
  std::uint64_t copies = 1;
  int hosts = 1;
  std::optional<std::string> tick;  // of groups; by default half of their least delay
  std::vector<std::string> groups;  // in order of their first mention
  int cut = 0;                      // of the benchmark: groups
};

// Of client: its streams over ZeroMQ. Of zmq-echo: where it listens.
struct ZmqArguments {
  std::uint16_t port = 0;  // 0: no streams
  std::string profile = "seed";
  std::uint16_t urlab01_port = 7555;
  std::string listen = "127.0.0.1";
  bool insecure = false;
  std::string role = "edit";
  std::string pictures = "bare";
  std::string main_endpoint = "tcp://localhost:5555", camera_endpoint = "tcp://localhost:5558";
  std::uint32_t width = 640, height = 480;  // px, of bare pictures
  std::uint64_t count = 0;                  // messages, and then it ends; 0: until interrupted
};

// Of client, and of run and launch with --ros2: how its robots are seen from ROS 2.
// Of ros2 record.
struct BagArguments {
  std::string file;                  // F.mcap, or a folder
  std::vector<std::string> topics;   // names or regular expressions; none: all
  std::vector<std::string> exclude;  // the same, and stronger
  std::string compression = "zstd";
  bool overwrite = false;
  std::optional<double> duration;  // s of real time; until Ctrl-C
};

// Of ros2-bridge.
struct BridgeArguments {
  std::string main = "tcp://127.0.0.1:5555";
  std::string control, info;  // empty: the ports behind the main one's
  std::vector<std::string> cameras;
  std::uint32_t width = 640, height = 480;  // px, of pictures without a header
  bool per_joint = false;
};

struct Ros2Arguments {
  bool on = false;
  std::optional<std::uint16_t> domain;  // nothing: ROS_DOMAIN_ID
  std::string distro = "jazzy";
  std::string ns = "/";  // of the client's services
  std::string tf_mode = "namespaced";
  double state_rate = 30;
  std::string trajectory_controller = "joint_trajectory_controller";
  std::uint16_t simulation_interfaces = 2;
  std::vector<std::string> obstacles;  // planning_scene, markers, points
  bool no_nodes = false;               // those of the run stay inside
  std::uint32_t client = 1;            // its number: the lowest that lives speaks for the whole run
  double liveness = 5;                 // s of silence, and others take it for lost
  std::string run;                     // tells the run's clients from all others
  // Of doctor ros.
  std::string inspect;  // ros: the domain instead of this machine
  double wait = 3;      // s, for peers to be discovered
  // Of ros2 random-spawn.
  RandomSpawn spawn;
  std::vector<std::string> parameters;  // NAME:=VALUE
  double timeout = 10;                  // s until the services are there, and until each reply
  BagArguments bag;
  BridgeArguments bridge;
};

// Of web, and of run and launch with --web.
struct WebArguments {
  bool on = false;                        // run, launch
  std::string listen = "127.0.0.1:7480";  // of the page
  std::string role = "edit";              // of the first link
  std::string page;                       // folder of the page; empty: the build's own
  std::vector<std::string> names;         // of this machine, that browsers may know it by
  std::string certificate, key;           // files, PEM: the page is encrypted
  std::string video;                      // link to live video of the same run; empty: none
  std::string beside;                     // replay: a second recording
  bool foxglove = false;                  // its clients are served as well
  std::vector<std::string> origins;       // of apps of Foxglove's kind that may connect from a browser
};

// Of signaling and viewer, and of launch with --viewer.
struct StreamArguments {
  bool on = false;  // launch
  // Of signaling; the rest of its sockets is WebArguments'.
  std::string listen = "127.0.0.1:7481";
  std::string player_token, streamer_token;  // empty: drawn
  bool open = false;                         // players need no token
  std::vector<std::string> origins;          // of pages from elsewhere that may connect; of viewer too
  std::vector<std::string> stun, turn;       // HOST:PORT
  std::string turn_secret;  // shared with the TURN server, which takes short-lived names signed with it
  int turn_lasts = 3600;    // s
  int max_players = 256;
  // Of viewer.
  std::string signaling = "ws://127.0.0.1:7481/streamer";
  std::string direct;                      // where players come whom WebRTC does not reach, ADDR:PORT; empty: nowhere
  std::string authority;                   // file of a certificate that signs the signaling server's
  std::vector<std::string> ice_addresses;  // of this machine, for players; empty: as the signaling server's is
  std::vector<std::string> views;          // empty: free
  std::string size = "1280x720", codec = "vp8";
  std::string quality = "auto";             // or plain, nice
  std::uint32_t rate = 30, bitrate = 4000;  // pictures a second; kbit/s
  bool stamped = false;                     // the wall clock is in each picture (test)
};

// What is drawn or written: plot, export, map, sensor-shot.
struct DrawArguments {
  std::string out;                       // empty: named as what it is of
  std::string csv;                       // plot
  double height = 0.2;                   // map; m
  double resolution = 0;                 // map; m; 0: that of the scenario's own map
  std::string robot, sensor, at = "0s";  // sensor-shot
};

// Of plot: a film.
struct MovieArguments {
  std::string file;  // F.webm; empty: none is made
  std::string size = "1280x720", view = "orbit", quality = "nice";
  std::uint32_t rate = 30;   // pictures a second
  double speed = 1;          // simulated seconds in one of the film
  std::optional<double> to;  // s; none: the recording's end
};

struct ReplayArguments {
  bool verify = false;
  bool strict = false;  // only a complete recording, with digests, is verified
  bool force = false;   // verify a recording of another build
};

struct SweepArguments {
  std::string plan, out, page;
  int at_once = 0;          // 0: as the cores allow
  double check_repeat = 0;  // percent of the runs that are made twice
  bool list = false;        // nothing runs
  int runs_per_task = 0;    // of an engine's job; 0: by their number
  std::string part;         // folder of a job of which this is a task
};

// Of launch: a cluster's engine starts the processes.
struct ClusterArguments {
  std::string engine;  // empty: they start here
  std::string file;    // what it is told, beside the scenario's section
  std::string folder;  // of the job
  bool detach = false, dry_run = false;
};

struct CheckArguments {
  std::string write;            // where the document goes that is really compiled
  bool write_scenario = false;  // print a first scenario for the model
  bool placements = false;      // run it, placed in several ways, and compare
};

struct CredentialArguments {
  std::string text, file;
  bool drawn = false;     // the text: kept by port, as if the server had drawn it
  bool insecure = false;  // none are asked for
  std::string audit;      // file of who came and called
};

struct RecordArguments {
  std::string file;  // F.mcap; empty: nothing is recorded
  std::string detail = "full";
  std::string scene;                 // on, rigid, off; empty: on, or of poses alone rigid
  std::string frames;                // a rate; empty: as the recorder has it
  std::vector<std::string> sensors;  // patterns, perhaps with a rate
};

// How run and launch are tried.
struct TrialArguments {
  std::string relay;    // launch: connect the clients here instead
  int start_order = 0;  // a permutation number of the hosts' start order
  int patience = 120;   // launch: s without any progress until it gives up
};

struct Arguments {
  ScenarioArguments run;
  CtlArguments ctl;
  JobArguments job;
  ProgramArguments program;
  InspectArguments look;
  ZmqArguments zmq;
  Ros2Arguments ros2;
  WebArguments web;
  StreamArguments stream;
  DrawArguments draw;
  CheckArguments check;
  MovieArguments movie;
  ReplayArguments replay;
  SweepArguments sweep;
  ClusterArguments cluster;
  TrialArguments trial;
  CredentialArguments credentials;
  std::vector<std::string> library_folders;  // --allow-library
  std::string scenario_folder;               // client: of the scenario that its launcher was given
  std::string log_level_text = "info";
  RecordArguments record;
  std::string report;  // F.json
  std::string log_dir;
  std::string listen = "127.0.0.1:7447";
  std::string connect = "127.0.0.1:7447";
  std::string bind;  // client, sensor-host: address of this machine from which the server is called
  std::string name;
  std::string placement = "round_robin";  // of run: round_robin, shuffled (test), one_each (test)
  std::string file;                       // replay, plot; init: the folder
  std::string shell;                      // completion: bash, zsh, fish
  double from = 0;                        // replay, plot
  int threads = 1;
  int handlers = 0;  // of the server: threads that parse elements; 0: the one that receives does
  LogLevel log_level = LogLevel::kInfo;
  bool json = false;
  bool listen_given = false;
  bool paused = false;         // begin paused
  bool accept_losses = false;  // a host that is lost does not make the run fail
  bool launched = false;       // server: a launcher reads stdout
};

int run(const Arguments& arguments);
int launch(const Arguments& arguments);
int rank(const Arguments& arguments);
int server(const Arguments& arguments);
int client(const Arguments& arguments);
int sensor_host(const Arguments& arguments);
int check(const Arguments& arguments);
int export_scene(const Arguments& arguments);
int draw_map(const Arguments& arguments);
int sensor_shot(const Arguments& arguments);
int replay(const Arguments& arguments);
int plot(const Arguments& arguments);
int job(const Arguments& arguments);
int version(const Arguments& arguments);
int doctor(const Arguments& arguments);
int doctor_ros(const Arguments& arguments);
int ros2_random_spawn(const Arguments& arguments);
int list_scenarios(const Arguments& arguments);
int init(const Arguments& arguments);
int ros2_record(const Arguments& arguments);
int ros2_bridge(const Arguments& arguments);

// One clear line on stderr; returns the exit code.
int complain(const std::string& text, int code);
// A line each, of what keeps a run from starting; returns kUsage.
int complain(const std::vector<Error>& errors);

}  // namespace convoy::apps
