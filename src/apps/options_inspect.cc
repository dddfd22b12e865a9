// Options of topic, node, service and param.
#include "apps/command_line.h"
#include "apps/inspect.h"
#include "apps/node_run.h"

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

void add_inspect_commands(CommandLine& line) {
  InspectArguments& a = line.arguments.look;
  CLI::App& topic = line.add(line.root(), "topic", "Look at the topics of running robots' nodes, and publish", {});
  topic.require_subcommand(1);
  add_reach(topic, line.arguments, true);
  const auto sub = [&](CLI::App& parent, const char* name, const char* help,
                       int (*body)(const Arguments&)) -> CLI::App& {
    CLI::App& made = line.add(parent, name, help, body);
    add_reach(made, line.arguments, false);
    return made;
  };
  sub(topic, "list", "Topics with their types, publishers, subscriptions and counts", topic_list);
  CLI::App& echo = sub(topic, "echo", "Print messages as they are published", topic_echo);
  echo.add_option("TOPIC", a.topic, "full name, as /courier_1/odom")->required();
  echo.add_option("--count", a.count, "end after so many; default: go on until Ctrl-C");
  CLI::App& hz = sub(topic, "hz", "How often a topic is published, in simulated time", topic_hz);
  hz.add_option("TOPIC", a.topic, "full name")->required();
  hz.add_option("--window", a.window, "seconds of real time for one line")
      ->capture_default_str()
      ->check(CLI::Range(0.2, 3600.0));
  hz.add_option("--count", a.count, "end after so many lines; default: go on until Ctrl-C");

  const auto give = [&](CLI::App& command, const char* what) {
    command.add_option("YAML", a.value, std::string("the ") + what + ": the fields that are not as by default");
    command.add_option("--type", a.type, "refuse, if it has another one");
    command.add_option("--agent", a.agent, "whose nodes; default: of those that have it the first by number");
  };
  CLI::App& pub = sub(topic, "pub", "Publish a message at the next tick", topic_pub);
  pub.add_option("TOPIC", a.topic, "full name, as /courier_1/cmd_vel")->required();
  give(pub, "message");
  pub.add_option("--times", a.times, "so often; 0: until Ctrl-C")->capture_default_str();
  pub.add_option("--rate", a.rate, "times in a second of real time")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));

  CLI::App& node = line.add(line.root(), "node", "Look at the nodes of running robots, or run a program of nodes", {});
  node.require_subcommand(1);
  add_reach(node, line.arguments, true);
  sub(node, "list", "Full names of all nodes", node_list);
  CLI::App& info = sub(node, "info", "Topics and services of a node, with their types", node_info);
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
  sub(service, "list", "Services with their types, servers, clients and counts", service_list);
  CLI::App& call = sub(service, "call", "Call a service at the next tick, and print its response", service_call);
  call.add_option("SERVICE", a.service, "full name, as /courier_1/work")->required();
  give(call, "request");
  call.add_option("--timeout", a.timeout, "seconds of real time to wait for the response")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));

  CLI::App& param = line.add(line.root(), "param", "Look at and set parameters of running robots' nodes", {});
  param.require_subcommand(1);
  add_reach(param, line.arguments, true);
  CLI::App& list = sub(param, "list", "Parameters of a node, or of all", param_list);
  list.add_option("NODE", a.node, "full name, as /courier_1/patrol");
  CLI::App& get = sub(param, "get", "Print a parameter", param_get);
  get.add_option("NODE", a.node, "full name")->required();
  get.add_option("PARAMETER", a.parameter, "its name")->required();
  CLI::App& set = sub(param, "set", "Set a parameter at the next tick", param_set);
  set.add_option("NODE", a.node, "full name")->required();
  set.add_option("PARAMETER", a.parameter, "its name")->required();
  set.add_option("VALUE", a.value, "as YAML: 0.5, true, text, [1, 2]")->required();
}

}  // namespace convoy::apps
