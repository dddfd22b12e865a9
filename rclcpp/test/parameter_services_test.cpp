// Parameters of other nodes, and events of changes; the watchdog.
#include <cstdio>
#include <fstream>
#include <thread>

#include "node_rig.hpp"
#include "pool_sample.hpp"
#include "rclcpp/parameter_events_filter.hpp"
#include "watchdog.hpp"

using namespace rclcpp;
using namespace std::chrono_literals;

namespace {
const std::string kPool = "libtbb.sample.so";

std::shared_ptr<Node> server() {
  auto node = std::make_shared<Node>("server", "a");
  node->declare_parameter("speed", 1.5);
  node->declare_parameter("pid.p", 3);
  rcl_interfaces::msg::ParameterDescriptor fixed;
  fixed.read_only = true;
  node->declare_parameter("fixed", "stone", fixed);
  return node;
}
}  // namespace

TEST_CASE("a client in a callback asks for parameters of another node, sets them, and waits in simulated time") {
  NodeRig rig({}, {.delays = {{.of = convoy::DelayRule::Of::kRequest,
                               .name = "/a/server/get_parameters",
                               .delay = {.low = convoy::Duration(5)}}}});
  auto of = server();
  auto node = std::make_shared<Node>("n");
  TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(10ns, [&] {
    timer->cancel();
    SyncParametersClient client(node, "/a/server");
    REQUIRE(client.wait_for_service(1s));
    rig.tell(client.get_parameters({"speed", "pid.p"})[1].value_to_string());
    rig.tell(std::to_string(client.get_parameter<double>("speed")) + client.get_parameter<std::string>("none", "-"));
    CHECK(client.get_parameters({"speed", "missing"}).empty());
    CHECK_THROWS_AS(client.get_parameter<int>("missing"), std::runtime_error);
    const auto set =
        client.set_parameters({Parameter("speed", 2.5), Parameter("missing", 1), Parameter("fixed", "sand")});
    REQUIRE(set.size() == 3);
    CHECK(set[0].successful);
    CHECK(set[1].reason.find("not declared") != std::string::npos);
    CHECK(set[2].reason.find("read-only") != std::string::npos);
    CHECK_FALSE(client.set_parameters_atomically({Parameter("speed", 9.0), Parameter("missing", 1)}).successful);
    CHECK(client.has_parameter("pid.p"));
    CHECK_FALSE(client.has_parameter("pid.i"));
    CHECK(client.list_parameters({"pid"}, 0).names == Lines{"pid.p"});
    CHECK(client.describe_parameters({"fixed"})[0].read_only);
    CHECK(client.get_parameter_types({"pid.p"}) == std::vector<ParameterType>{PARAMETER_INTEGER});
    CHECK_FALSE(client.delete_parameters({"speed"})[0].successful);  // of a static type
    CHECK(client.get_parameters({"speed"}, 2ns).empty());            // not in time
  });
  REQUIRE(rig.run_until(1000));
  CHECK(rig.story == Lines{"15: 3", "25: 1.500000-"});
  CHECK(of->get_parameter("speed").as_double() == 2.5);
}

TEST_CASE("services of parameters are made for who asks, before or after the node, and change no rank") {
  NodeRig rig;
  auto node = std::make_shared<Node>("n");
  AsyncParametersClient early(node, "/a/server");
  CHECK_FALSE(early.service_is_ready());
  auto of = server();
  CHECK(early.service_is_ready());
  auto another = std::make_shared<Node>("another");
  const auto rank = another->create_publisher<rcl_interfaces::msg::ParameterValue>("t", 1)->kernel().rank();
  CHECK(rig.simulation.graph().services().size() == 6);  // no client has asked the others
  CHECK(rig.simulation.graph().services().at("/a/server/get_parameters")->servers()[0]->rank() >=
        convoy::nodes::kFirstSystemRank);
  AsyncParametersClient own(of.get());
  CHECK(own.service_is_ready());
  AsyncParametersClient of_none(node, "/nobody", rmw_qos_profile_parameters);
  CHECK_FALSE(of_none.wait_for_service(0s));
  auto deaf = std::make_shared<Node>("deaf", NodeOptions().start_parameter_services(false));
  CHECK_FALSE(AsyncParametersClient(node, "deaf").service_is_ready());

  std::string given;
  const auto future = early.get_parameters(
      {"speed"}, [&](std::shared_future<std::vector<Parameter>> f) { given = f.get()[0].value_to_string(); });
  REQUIRE(rig.run_until(0));
  CHECK(given == "1.5");
  CHECK(future.get()[0].get_name() == "speed");
  of.reset();
  CHECK_FALSE(early.service_is_ready());

  NodeRig without;
  auto n = std::make_shared<Node>("n");
  std::vector<convoy::nodes::Owned<convoy::nodes::CallbackGroup>> as_many;  // entities as the six clients are
  for (int i = 0; i < 6; ++i)
    as_many.push_back(
        n->get_node_base_interface()->kernel().create_group(convoy::nodes::CallbackGroup::Kind::kReentrant));
  auto s = server();
  auto a = std::make_shared<Node>("another");
  CHECK(a->create_publisher<rcl_interfaces::msg::ParameterValue>("t", 1)->kernel().rank() == rank);
}

TEST_CASE("a parameter file is loaded into another node, and a bad one is an error") {
  NodeRig rig;
  auto of = server();
  auto node = std::make_shared<Node>("n");
  const std::string file = "parameter_services_test.yaml";
  std::ofstream(file)
      << "/a/server:\n  ros__parameters: {speed: 7.0, pid: {p: 8}}\n/other:\n  ros__parameters: {speed: 9.0}\n";
  AsyncParametersClient client(node, "/a/server");
  client.load_parameters(file);
  REQUIRE(rig.run_until(0));
  CHECK(of->get_parameter("speed").as_double() == 7);
  CHECK(of->get_parameter("pid.p").as_int() == 8);
  std::remove(file.c_str());
  CHECK_THROWS_AS(client.load_parameters(file), exceptions::InvalidParametersException);
  copy_all_parameter_values(of, node);
  CHECK(node->get_parameter("speed").as_double() == 7);
}

TEST_CASE("changes are published on /parameter_events while it has a subscription, and handlers pick what they want") {
  NodeRig rig;
  auto of = server();
  CHECK(of->count_publishers("/parameter_events") == 0);
  auto node = std::make_shared<Node>("n", "a", NodeOptions().allow_undeclared_parameters(true));
  auto mute = std::make_shared<Node>("mute", NodeOptions().start_parameter_event_publisher(false));
  ParameterEventHandler handler(node);
  auto speed = handler.add_parameter_callback(
      "speed", [&](const Parameter& p) { rig.tell("first " + p.value_to_string()); }, "server");
  auto newer = handler.add_parameter_callback(
      "speed", [&](const Parameter& p) { rig.tell("newer " + p.value_to_string()); }, "/a/server");
  auto own =
      handler.add_parameter_callback("loose", [&](const Parameter& p) { rig.tell("own " + p.value_to_string()); });
  using Event = rcl_interfaces::msg::ParameterEvent;
  auto all = AsyncParametersClient::on_parameter_event(node, [&](Event::ConstSharedPtr e) {
    using Filter = ParameterEventsFilter;
    const Filter deleted(e, {"loose"}, {Filter::EventType::DELETED});
    rig.tell(e->node + " " + std::to_string(e->new_parameters.size()) + std::to_string(e->changed_parameters.size()) +
             std::to_string(e->deleted_parameters.size()) + std::to_string(deleted.get_events().size()));
  });
  auto strict = of->add_on_set_parameters_callback([](const std::vector<Parameter>& p) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = p[0].get_name() != "speed" || p[0].as_double() < 10;
    return result;
  });
  const auto events_of = [&](auto change) {
    rig.story.clear();
    change();
    REQUIRE(rig.run_until(0));
    return rig.story;
  };
  CHECK(events_of([&] {
          of->set_parameter({"speed", 4.0});
        }) == Lines{"0: newer 4.0", "0: first 4.0", "0: /a/server 0100"});
  CHECK(events_of([&] { of->set_parameter({"speed", 40.0}); }).empty());
  CHECK(events_of([&] { mute->declare_parameter("x", 1); }).empty());
  CHECK(events_of([&] { of->declare_parameter("new", 1); }) == Lines{"0: /a/server 1000"});
  CHECK(events_of([&] { node->set_parameter({"loose", 5}); }) == Lines{"0: own 5", "0: /a/n 1000"});
  CHECK(events_of([&] { node->set_parameter(Parameter("loose")); }) == Lines{"0: /a/n 0011"});
  newer.reset();
  handler.remove_parameter_callback(speed);
  CHECK_THROWS_AS(handler.remove_parameter_callback(speed), std::runtime_error);
  CHECK(events_of([&] { of->set_parameter({"speed", 4.0}); }) == Lines{"0: /a/server 0100"});
}

TEST_CASE("a watchdog names work that does not end, once, and nothing that waits or follows quickly") {
  convoy::ros::Watched one, two;
  using convoy::ros::WatchLog;
  const auto works = [](const std::vector<WatchLog::Overdue>& overdue) {
    Lines lines;
    for (const auto& one : overdue) lines.push_back(one.work);
    return lines;
  };
  WatchLog log(2);
  log.add(one), log.add(two);
  const std::string work = "/n: callback of a timer", other = "/m: callback of topic 't'";
  one.begin(work), two.begin(other);
  CHECK(log.tick().empty());  // it has just been seen for the first time
  two.end(), two.begin(other);
  CHECK(log.tick().empty());
  CHECK(works(log.tick()) == Lines{work});
  CHECK(works(log.tick()) == Lines{other});
  {
    const convoy::ros::Watched::Pause pause(one);
    CHECK(one.running() == nullptr);
    for (int i = 0; i < 5; ++i) CHECK(log.tick().empty());
  }
  CHECK(one.running() == &work);
  log.tick(), log.tick();
  CHECK(works(log.tick()) == Lines{work});
  log.remove(one), two.end();
  for (int i = 0; i < 5; ++i) CHECK(log.tick().empty());
}

TEST_CASE("callbacks are watched while they run, also after they waited") {
  NodeRig rig;
  auto node = std::make_shared<Node>("n");
  const auto running = [&] {
    const std::string* work = rig.simulation.watched().running();
    return work ? *work : std::string("nothing");
  };
  TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(1ns, [&] {
    timer->cancel();
    rig.tell(running());
    sleep_for(5ns);
    rig.tell(running());
  });
  auto out = node->create_publisher<rcl_interfaces::msg::ParameterValue>("t", 1);
  auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  SubscriptionOptions options;
  options.callback_group = group;
  auto in = node->create_subscription<rcl_interfaces::msg::ParameterValue>(
      "t", 1, [&](const rcl_interfaces::msg::ParameterValue&) { rig.tell(running()); }, options);
  auto other = node->create_wall_timer(
      3ns, [&] {}, group);
  REQUIRE(rig.run_until(2));
  CHECK(running() == "nothing");
  out->publish(rcl_interfaces::msg::ParameterValue());
  REQUIRE(rig.run_until(8));
  CHECK(rig.story == Lines{"1: /n: callback of a timer", "1: /n: callback of topic 't'", "6: /n: callback of a timer"});
}

// The sanitizer makes threads for everybody, so that no library can be told from another.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a thread of a pool that calls rclcpp ends the run, and the thread with it") {
  struct Case {
    const char* call;
    std::function<void(Node&, rclcpp::Publisher<rcl_interfaces::msg::ParameterValue>&)> thread;
  };
  const std::vector<Case> cases = {
      {"publish() on '/t'", [](Node&, auto& out) { out.publish(rcl_interfaces::msg::ParameterValue()); }},
      {"create_subscription() on 'u'",
       [](Node& n, auto&) {
         n.create_subscription<rcl_interfaces::msg::ParameterValue>("u", 1,
                                                                    [](const rcl_interfaces::msg::ParameterValue&) {});
       }},
      {"create_timer() of '/n'", [](Node& n, auto&) { n.create_wall_timer(1ns, [] {}); }},
      {"a clock", [](Node& n, auto&) { n.now(); }},
      {"rclcpp::ok()", [](Node&, auto&) { rclcpp::ok(); }},
      {"logger 'n'", [](Node& n, auto&) { RCLCPP_INFO(n.get_logger(), "x"); }},
      {"a parameter of '/n'", [](Node& n, auto&) { n.declare_parameter("p", 1); }},
  };
  for (const Case& one : cases) {
    NodeRig rig;
    auto node = std::make_shared<Node>("n");
    auto out = node->create_publisher<rcl_interfaces::msg::ParameterValue>("t", 1);
    bool after = false;
    auto timer = node->create_wall_timer(1ns, [&] {
      pool_sample::run([&] {
        one.thread(*node, *out);
        after = true;
      });
    });
    const convoy::Status ran = rig.run_until(3);
    CAPTURE(one.call);
    REQUIRE(!ran);
    CHECK(ran.error().text == "/n: callback of a timer has a thread of a pool (" + kPool + "), which calls " +
                                  one.call +
                                  ": a pool has no place in the order of a run, rclcpp is for all other threads");
    CHECK(!after);
  }
}

TEST_CASE("a node that uses a pool is named, once, and who starts a thread elsewhere is not") {
  NodeRig rig;
  auto node = std::make_shared<Node>("n");
  std::thread([] {}).join();
  CHECK(rig.log.empty());
  auto timer = node->create_wall_timer(1ns, [&] { pool_sample::run([] {}); });
  REQUIRE(rig.run_until(3));
  CHECK(rig.log ==
        Lines{"30 convoy: /n: callback of a timer uses a pool of threads (" + kPool +
              "): what they compute has to be the same whoever computes it (--strict-threads gives pools one)"});
}
#endif
