// Options of topic, node, service and param.
#include "apps/command_line.h"
#include "apps/inspect.h"
#include "apps/node_run.h"
#include "apps/ros2_look.h"
#include "apps/tf.h"

namespace convoy::apps {

std::vector<std::string> take_program(std::vector<std::string>& words, const std::vector<CLI::App*>& path) {
  std::size_t plain = 0;  // node, run, PACKAGE, EXECUTABLE
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty() || words[i][0] != '-') {
      if (++plain < 4) continue;
      std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      words.resize(i + 1);
      return rest;
    }
    for (const CLI::App* app : path)
      if (const CLI::Option* option = app->get_option_no_throw(words[i]);
          option && option->get_items_expected_max() > 0 && words[i].find('=') == std::string::npos) {
        ++i;  // its value
        break;
      }
  }
  return {};
}

namespace {

void add_ros2_look(CLI::App& app, Arguments& a) {
  app.add_flag("--ros2", a.look.ros2, "of whoever is in a domain of ROS 2, instead of a run's nodes")
      ->group("A domain of ROS 2");
  app.add_option("--domain", a.ros2.domain, "default: ROS_DOMAIN_ID, else 0")
      ->check(CLI::Range(0, 232))
      ->group("A domain of ROS 2");
  app.add_option("--spin-time", a.look.spin, "seconds until all who are there are known")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0))
      ->group("A domain of ROS 2");
}

}  // namespace

void add_inspect_commands(CommandLine& line) {
  InspectArguments& a = line.arguments.look;
  CLI::App& topic = line.add(line.root(), "topic", "Look at the topics of running robots' nodes, and publish", {});
  topic.require_subcommand(1);
  add_reach(topic, line.arguments, true);
  using Look = int (*)(const Arguments&);
  const auto sub = [&](CLI::App& parent, const char* name, const char* help, Look inside, Look ros2) -> CLI::App& {
    CLI::App& made =
        line.add(parent, name, help, [=](const Arguments& all) { return all.look.ros2 ? ros2(all) : inside(all); });
    add_reach(made, line.arguments, false);
    add_ros2_look(made, line.arguments);
    return made;
  };
  sub(topic, "list", "Topics with their types, publishers and subscriptions", topic_list, ros2_topic_list);
  CLI::App& about = sub(topic, "info", "Which nodes publish a topic and subscribe to it", topic_info, ros2_topic_info);
  about.add_option("TOPIC", a.topic, "full name, as /courier_1/odom")->required();
  CLI::App& echo = sub(topic, "echo", "Print messages as they are published", topic_echo, ros2_topic_echo);
  echo.add_option("TOPIC", a.topic, "full name, as /courier_1/odom")->required();
  echo.add_option("--count", a.count, "end after so many; default: go on until Ctrl-C");
  echo.add_option("--type", a.type, "with --ros2: of several types which");
  echo.add_flag("--full-length", a.full, "with --ros2: long lists and texts whole");
  const auto measured = [&](CLI::App& command) {
    command.add_option("TOPIC", a.topic, "full name")->required();
    command.add_option("--window", a.window, "seconds of real time for one line")
        ->capture_default_str()
        ->check(CLI::Range(0.2, 3600.0));
    command.add_option("--count", a.count, "end after so many lines; default: go on until Ctrl-C");
  };
  measured(sub(topic, "hz", "How often a topic is published, in simulated time; with --ros2 in real time", topic_hz,
               ros2_topic_hz));
  measured(sub(topic, "bw", "How many bytes of messages a topic has in a second", topic_bw, ros2_topic_bw));

  const auto give = [&](CLI::App& command, const char* what) {
    command.add_option("YAML", a.value, std::string("the ") + what + ": the fields that are not as by default");
    command.add_option("--type", a.type, "refuse, if it has another one; with --ros2: its type");
    command.add_option("--agent", a.agent, "whose nodes; default: of those that have it the first by number");
  };
  CLI::App& pub =
      sub(topic, "pub", "Publish a message at the next tick; with --ros2 at once", topic_pub, ros2_topic_pub);
  pub.add_option("TOPIC", a.topic, "full name, as /courier_1/cmd_vel")->required();
  give(pub, "message");
  pub.add_option("--times", a.times, "so often; 0: until Ctrl-C")->capture_default_str();
  pub.add_option("--rate", a.rate, "times in a second of real time")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));
  pub.add_flag("--latched", a.latched, "with --ros2: transient local, and stay until Ctrl-C for whoever comes");

  CLI::App& node = line.add(line.root(), "node", "Look at the nodes of running robots, or run a program of nodes", {});
  node.require_subcommand(1);
  add_reach(node, line.arguments, true);
  sub(node, "list", "Full names of all nodes", node_list, ros2_node_list);
  CLI::App& info = sub(node, "info", "Topics and services of a node, with their types", node_info, ros2_node_info);
  info.add_option("NODE", a.node, "full name, as /courier_1/patrol")->required();
  CLI::App& run = line.add(
      node, "run", "Run a program of a ROS package, as ros2 run does; the word run may be left out", node_run, false);
  run.add_option("PACKAGE", line.arguments.program.package, "as it stands in AMENT_PREFIX_PATH")->required();
  run.add_option("EXECUTABLE", line.arguments.program.executable, "in lib/PACKAGE; what follows is its own")
      ->required();
  run.add_option("--duration", line.arguments.run.duration, "simulated time, as 60s, after which rclcpp::ok() is false")
      ->envname("CONVOY_DURATION");
  run.add_option("--speed", line.arguments.run.speed, "times real time, or max (default: max)")
      ->envname("CONVOY_SPEED");
  add_strict_threads(run, line.arguments);
  run.footer("  convoy node demo talker --ros-args -p rate:=2\n  convoy node --duration 10s --speed 1 demo talker");

  CLI::App& service =
      line.add(line.root(), "service", "Look at the services of running robots' nodes, and call them", {});
  service.require_subcommand(1);
  add_reach(service, line.arguments, true);
  sub(service, "list", "Services with their types, servers and clients", service_list, ros2_service_list);
  CLI::App& call =
      sub(service, "call", "Call a service at the next tick, and print its response", service_call, ros2_service_call);
  call.add_option("SERVICE", a.service, "full name, as /courier_1/work")->required();
  give(call, "request");
  call.add_option("--timeout", a.timeout, "seconds of real time to wait for the response")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));

  CLI::App& param = line.add(line.root(), "param", "Look at and set parameters of running robots' nodes", {});
  param.require_subcommand(1);
  add_reach(param, line.arguments, true);
  CLI::App& list = sub(param, "list", "Parameters of a node, or of all", param_list, ros2_param_list);
  list.add_option("NODE", a.node, "full name, as /courier_1/patrol");
  CLI::App& get = sub(param, "get", "Print a parameter", param_get, ros2_param_get);
  get.add_option("NODE", a.node, "full name")->required();
  get.add_option("PARAMETER", a.parameter, "its name")->required();
  CLI::App& set = sub(param, "set", "Set a parameter at the next tick", param_set, ros2_param_set);
  set.add_option("NODE", a.node, "full name")->required();
  set.add_option("PARAMETER", a.parameter, "its name")->required();
  set.add_option("VALUE", a.value, "as YAML: 0.5, true, text, [1, 2]")->required();
  for (CLI::App* one : {&list, &get, &set})
    one->add_option("--timeout", a.timeout, "with --ros2: seconds until the node has answered")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e6));

  CLI::App& tf = line.add(line.root(), "tf", "Frames that running robots' nodes tell of", {});
  tf.require_subcommand(1);
  add_reach(tf, line.arguments, true);
  const auto frames = [&](const char* name, const char* help, Look body) -> CLI::App& {
    CLI::App& made = sub(tf, name, help, body, body);
    made.add_option("--tf", a.tf_topic, "the topic, as /courier_1/tf; static frames are on the one with _static")
        ->capture_default_str();
    return made;
  };
  frames("tree", "Which frames there are, and which hangs in which", tf_tree);
  CLI::App& between = frames("echo", "Where a frame is in another, as it moves", tf_echo);
  between.add_option("TARGET", a.target, "the frame that the other is seen from, as odom")->required();
  between.add_option("SOURCE", a.source, "the frame that is looked for, as base_footprint")->required();
  between.add_option("--count", a.count, "end after so many; default: go on until Ctrl-C");
  between.add_option("--rate", a.rate, "times in a second of real time")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));
}

}  // namespace convoy::apps
