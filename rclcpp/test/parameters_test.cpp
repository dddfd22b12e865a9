#include "arguments.hpp"
#include "node_rig.hpp"

using namespace rclcpp;
using convoy::ros::Arguments;

TEST_CASE("parameters are declared, got and set as in rclcpp") {
  NodeRig rig;
  Node node("n");
  CHECK(node.declare_parameter("i", 3) == 3);
  CHECK(node.declare_parameter("d", 1.5) == 1.5);
  CHECK(node.declare_parameter("s", "text") == "text");
  CHECK(node.declare_parameter("b", true));
  CHECK(node.declare_parameter("v", std::vector<double>{1, 2}) == std::vector<double>{1, 2});
  CHECK(node.declare_parameter<std::string>("typed", std::string("x")) == "x");
  CHECK(node.get_parameter("i").as_int() == 3);
  CHECK(node.get_parameter("s").get_value<std::string>() == "text");
  float narrow = 0;
  CHECK(node.get_parameter("d", narrow));
  CHECK(narrow == 1.5f);
  CHECK(node.get_parameter_or<int>("missing", 9) == 9);
  CHECK_THROWS_AS(node.get_parameter("missing"), exceptions::ParameterNotDeclaredException);
  CHECK_THROWS_AS(node.get_parameter("i").as_double(), ParameterTypeException);
  CHECK_THROWS_AS(node.declare_parameter("i", 3), exceptions::ParameterAlreadyDeclaredException);
  CHECK_THROWS_AS(node.declare_parameter<double>("none"), exceptions::ParameterUninitializedException);

  CHECK(node.set_parameter(Parameter("i", 4)).successful);
  CHECK(node.get_parameter("i").as_int() == 4);
  const auto refused = node.set_parameter(Parameter("i", 4.5));
  CHECK_FALSE(refused.successful);
  CHECK(refused.reason ==
        "Wrong parameter type, parameter {i} is of type {integer}, setting it to {double} is not allowed.");
  CHECK_THROWS_AS(node.set_parameter(Parameter("missing", 1)), exceptions::ParameterNotDeclaredException);
  CHECK_FALSE(node.get_parameter("use_sim_time").as_bool());
}

TEST_CASE("ranges and callbacks refuse, and a callback's handle takes it away") {
  NodeRig rig;
  Node node("n");
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].from_value = 0, descriptor.integer_range[0].to_value = 10,
  descriptor.integer_range[0].step = 2;
  node.declare_parameter("even", 4, descriptor);
  CHECK(node.describe_parameter("even").integer_range[0].to_value == 10);
  CHECK_FALSE(node.set_parameter(Parameter("even", 5)).successful);
  CHECK_THROWS_AS(node.declare_parameter("odd", 5, descriptor), exceptions::InvalidParameterValueException);

  std::vector<std::string> received;
  auto strict = node.add_on_set_parameters_callback([](const std::vector<Parameter>& all) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = all[0].as_int() != 6, result.reason = "six";
    return result;
  });
  auto after = node.add_post_set_parameters_callback(
      [&](const std::vector<Parameter>& all) { received.push_back(all[0].value_to_string()); });
  CHECK(node.set_parameter(Parameter("even", 6)).reason == "six");
  CHECK(node.set_parameter(Parameter("even", 8)).successful);
  strict.reset();
  CHECK(node.set_parameter(Parameter("even", 6)).successful);
  CHECK(received == Lines{"8", "6"});
}

TEST_CASE("prefixes and lists are rclcpp's") {
  NodeRig rig;
  Node node("n");
  node.declare_parameters<int>("pid", {{"p", 1}, {"i", 2}});
  node.declare_parameter("pid.limits.high", 3);
  std::map<std::string, int> all;
  CHECK(node.get_parameters("pid", all));
  CHECK(all == std::map<std::string, int>{{"p", 1}, {"i", 2}, {"limits.high", 3}});
  CHECK(node.list_parameters({"pid"}, 1).names == Lines{"pid.i", "pid.p"});
  CHECK(node.list_parameters({"pid"}, 0).names == Lines{"pid.i", "pid.limits.high", "pid.p"});
}

TEST_CASE("arguments rename, remap and set, for all nodes or for one") {
  NodeRig rig({"program", "--ros-args", "-r", "__ns:=/robot", "-r", "scan:=/front/scan", "-p", "speed:=2.5", "-p",
               "other:speed:=9.0", "--log-level", "warn", "--", "-x"});
  NodeOptions own;
  own.arguments({"--ros-args", "-r", "__node:=renamed", "-p", "names:=[a, b]", "-p", "flag:=true"});
  Node node("n", own);
  CHECK(std::string(node.get_fully_qualified_name()) == "/robot/renamed");
  CHECK(node.declare_parameter("speed", 1.0) == 2.5);
  CHECK(node.declare_parameter("names", Lines{}) == Lines{"a", "b"});
  CHECK(node.declare_parameter("flag", false));
  Node other("other",
             NodeOptions().append_parameter_override("extra", 1).automatically_declare_parameters_from_overrides(true));
  CHECK(other.get_parameter("speed").as_double() == 9.0);
  CHECK(other.get_parameter("extra").as_int() == 1);
  CHECK(node.get_logger().get_effective_level() == Logger::Level::Warn);
  CHECK_THROWS_AS(Node("x", NodeOptions().arguments({"--ros-args", "--wrong"})), exceptions::UnknownROSArgsError);
}

TEST_CASE("an override of another type than the default throws") {
  NodeRig rig;
  Node node("n", NodeOptions().append_parameter_override("speed", "fast"));
  CHECK_THROWS_AS(node.declare_parameter("speed", 1.0), exceptions::InvalidParameterTypeException);
}

TEST_CASE("parameter files give each node what its name fits") {
  Arguments all;
  REQUIRE(
      all.add_yaml("/**:\n"
                   "  ros__parameters:\n"
                   "    a: 1\n"
                   "    nested: {b: 2.0, c: [1, 2], d: '3', e: yes, f: 0x10, g: -.5, h: 1e3, i: text 1}\n"
                   "/robot/*:\n"
                   "  ros__parameters: {a: 2}\n"
                   "robot:\n"
                   "  slam:\n"
                   "    ros__parameters: {a: 3}\n",
                   "p.yaml"));
  const auto of = [&](const char* node) {
    std::map<std::string, std::string> found;
    for (const auto& given : all.parameters)
      if (convoy::ros::fits(given.node, node)) found[given.name] = convoy::nodes::to_text(given.value);
    return found;
  };
  CHECK(of("/other")["a"] == "1");
  CHECK(of("/robot/nav")["a"] == "2");
  CHECK(of("/robot/slam")["a"] == "3");
  auto types = [&](const char* name) {
    for (const auto& given : all.parameters)
      if (given.name == name) return std::string(convoy::nodes::to_string(convoy::nodes::type_of(given.value)));
    return std::string();
  };
  CHECK(types("nested.b") == "double");
  CHECK(types("nested.c") == "integer_array");
  CHECK(types("nested.d") == "string");
  CHECK(types("nested.e") == "bool");
  CHECK(of("/x")["nested.f"] == "16");
  CHECK(types("nested.g") == "double");
  CHECK(types("nested.h") == "double");
  CHECK(types("nested.i") == "string");
}

TEST_CASE("bad parameter files and arguments are errors with line and field") {
  const auto error_of = [](const std::string& yaml) {
    Arguments all;
    const auto read = all.add_yaml(yaml, "p.yaml");
    return read ? std::string("read") : read.error().message();
  };
  CHECK(error_of("n:\n  ros__parameters:\n    a: [1, x]\n") == "p.yaml:3: a: is an array of mixed types");
  CHECK(error_of("n:\n  ros__parameters:\n    a: []\n") == "p.yaml:3: a: is an empty array, which has no type");
  CHECK(error_of("n: 3\n") == "p.yaml:1: n: is no map of nodes");
  CHECK(error_of("n:\n  ros__parameters: [1]\n") == "p.yaml:2: ros__parameters: is no map of parameters");
  CHECK(error_of("n:\n  - [\n").rfind("p.yaml:", 0) == 0);
  const auto words = [](std::vector<std::string> all) {
    Arguments arguments;
    all.insert(all.begin(), "--ros-args");
    const auto read = arguments.add(all);
    return read ? std::string("read") : read.error().message();
  };
  CHECK(words({"-p"}) == "'-p' has no value");
  CHECK(words({"-r", "a"}) == "remap 'a' is not from:=to");
  CHECK(words({"--params-file", "/nowhere.yaml"}) == "/nowhere.yaml: cannot be read");
  CHECK(words({"--log-level", "loud"}) == "unknown log level 'loud'");
}
