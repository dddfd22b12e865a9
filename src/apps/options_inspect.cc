// Options of topic, node, service and param.
#include "apps/command_line.h"
#include "apps/inspect.h"

namespace convoy::apps {

void add_inspect_commands(CommandLine& line) {
  InspectArguments& a = line.arguments.look;
  CLI::App& topic = line.add(line.root(), "topic", "Look at the topics of running robots' nodes", {});
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

  CLI::App& node = line.add(line.root(), "node", "Look at the nodes of running robots", {});
  node.require_subcommand(1);
  add_reach(node, line.arguments, true);
  sub(node, "list", "Full names of all nodes", node_list);
  CLI::App& info = sub(node, "info", "Topics and services of a node, with their types", node_info);
  info.add_option("NODE", a.node, "full name, as /courier_1/patrol")->required();

  CLI::App& service = line.add(line.root(), "service", "Look at the services of running robots' nodes", {});
  service.require_subcommand(1);
  add_reach(service, line.arguments, true);
  sub(service, "list", "Services with their types, servers, clients and counts", service_list);

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
