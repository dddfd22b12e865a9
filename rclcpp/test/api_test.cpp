// Node interfaces, the graph, qualities and events, adapted types, logs and the clock as topics.
#include <rcl_interfaces/msg/log.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <std_srvs/srv/trigger.hpp>

#include "node_rig.hpp"
#include "rclcpp/parameter_events_filter.hpp"
#include "rclcpp/parameter_service.hpp"
#include "rclcpp/time_source.hpp"

using namespace std::chrono_literals;
using std_msgs::msg::String;
using std_msgs::msg::UInt64;
using std_srvs::srv::Trigger;
namespace interfaces = rclcpp::node_interfaces;

namespace {

struct Celsius {
  double degrees = 0;
};
struct Minutes {
  std::uint64_t count = 0;
};

}  // namespace

template <>
struct rclcpp::TypeAdapter<Celsius, String> {
  using is_specialized = std::true_type;
  using custom_type = Celsius;
  using ros_message_type = String;
  static void convert_to_ros_message(const Celsius& from, String& to) { to.data = std::to_string(from.degrees); }
  static void convert_to_custom(const String& from, Celsius& to) { to.degrees = std::stod(from.data); }
};
template <>
struct rclcpp::TypeAdapter<Minutes, UInt64> {
  using is_specialized = std::true_type;
  using custom_type = Minutes;
  using ros_message_type = UInt64;
  static void convert_to_ros_message(const Minutes& from, UInt64& to) { to.data = from.count * 60; }
  static void convert_to_custom(const UInt64& from, Minutes& to) { to.count = from.data / 60; }
};
RCLCPP_USING_CUSTOM_TYPE_AS_ROS_MESSAGE_TYPE(Minutes, UInt64)

TEST_CASE("publishers, subscriptions, timers, services and clients are made over anything that has the interfaces") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n", "space");
  const auto base = node->get_node_base_interface();
  const auto topics = node->get_node_topics_interface();
  const auto services = node->get_node_services_interface();
  const auto timers = node->get_node_timers_interface();
  interfaces::NodeInterfaces<interfaces::NodeBaseInterface, interfaces::NodeTopicsInterface,
                             interfaces::NodeServicesInterface, interfaces::NodeTimersInterface>
      some(*node);
  interfaces::NodeInterfaces<ALL_RCLCPP_NODE_INTERFACES> all(node);

  auto out = rclcpp::create_publisher<UInt64>(*node, "t", 10);
  auto out2 = rclcpp::create_publisher<UInt64>(node->get_node_parameters_interface(), topics, "t", 10);
  std::vector<rclcpp::SubscriptionBase::SharedPtr> received;
  const auto hear = [&](auto of, const char* who) {
    received.push_back(rclcpp::create_subscription<UInt64>(of, "t", 10, [&rig, who](const UInt64&) { rig.tell(who); }));
  };
  hear(node, "pointer"), hear(node.get(), "plain pointer"), hear(topics, "interface"), hear(some, "set"),
      hear(all, "all");
  auto ros_timer = rclcpp::create_timer(node, node->get_clock(), 5ns, [&] { out->publish(UInt64()); });
  auto set_timer = rclcpp::create_timer(some, node->get_clock(), 7ns, [&] { rig.tell("timer"); });
  auto wall_timer = rclcpp::create_wall_timer(
      9ns, [&] { rig.tell("wall"); }, nullptr, base.get(), timers.get());
  auto service = rclcpp::create_service<Trigger>(
      some, "s", [&](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr) { rig.tell("served"); });
  auto client = rclcpp::create_client<Trigger>(base, node->get_node_graph_interface(), services, "s");
  client->async_send_request(std::make_shared<Trigger::Request>());
  REQUIRE(rig.run_until(9));

  CHECK(rig.story == Lines{"0: served", "5: pointer", "5: plain pointer", "5: interface", "5: set", "5: all",
                           "7: timer", "9: wall"});
  CHECK(topics->resolve_topic_name("t") == "/space/t");
  CHECK(services->resolve_service_name("~/s") == "/space/n/s");
  CHECK(std::string(some.get_node_base_interface()->get_name()) == "n");
  CHECK(all.get<interfaces::NodeLoggingInterface>()->get_logger_name() == std::string("space.n"));
  CHECK(all.get_node_clock_interface()->get_clock() == node->get_clock());
  CHECK(base->callback_group_in_node(base->get_default_callback_group()));
  CHECK_THROWS_AS(rclcpp::create_timer(node, node->get_clock(), rclcpp::Duration(-1ns), [] {}), std::invalid_argument);
}

TEST_CASE("a node sees who else is there, and the ends of a topic with their qualities") {
  NodeRig rig({"program", "--ros-args", "-r", "b:scan:=/front"});
  auto a = std::make_shared<rclcpp::Node>("a", "x");
  auto b = std::make_shared<rclcpp::Node>("b", rclcpp::NodeOptions().start_parameter_services(false));
  auto out = a->create_publisher<UInt64>("/front", rclcpp::QoS(3).best_effort().transient_local());
  auto in = b->create_subscription<UInt64>("scan", rclcpp::SensorDataQoS(), [](const UInt64&) {});
  auto client = b->create_client<Trigger>("/x/s");
  const auto graph = b->get_node_graph_interface();

  CHECK(a->get_node_names() == Lines{"/x/a", "/b"});
  CHECK(graph->get_node_names_and_namespaces()[0] == std::pair<std::string, std::string>{"a", "/x"});
  CHECK(a->get_topic_names_and_types().at("/front") == Lines{"std_msgs/msg/UInt64"});
  CHECK(b->count_publishers("scan") == 1);
  CHECK(b->count_clients("/x/s") == 1);
  CHECK(graph->get_publisher_names_and_types_by_node("a", "/x").count("/front") == 1);
  CHECK(graph->get_subscriber_names_and_types_by_node("b", "/").count("/front") == 1);
  CHECK(graph->get_client_names_and_types_by_node("b", "/").at("/x/s") == Lines{"std_srvs/srv/Trigger"});
  CHECK_THROWS_AS(graph->get_publisher_names_and_types_by_node("c", "/"), std::runtime_error);
  const auto ends = b->get_publishers_info_by_topic("scan");
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].node_name() == "a");
  CHECK(ends[0].node_namespace() == "/x");
  CHECK(ends[0].endpoint_type() == rclcpp::EndpointType::Publisher);
  CHECK(ends[0].qos_profile() == rclcpp::QoS(3).best_effort().transient_local());
  CHECK(std::memcmp(ends[0].endpoint_gid().data(), out->get_gid().data, RMW_GID_STORAGE_SIZE) == 0);
  CHECK(a->get_subscriptions_info_by_topic("/front")[0].node_name() == "b");
  CHECK(b->get_subscriptions_info_by_topic("scan", true).empty());
  // Services of parameters are listed before a client has asked for them, where a node offers them.
  CHECK(b->get_service_names_and_types().at("/x/a/get_parameters") == Lines{"rcl_interfaces/srv/GetParameters"});
  CHECK(graph->get_service_names_and_types_by_node("a", "/x").size() == 6);
  CHECK(graph->get_service_names_and_types_by_node("b", "/").empty());
  CHECK(b->count_services("/x/a/get_parameters") == 1);
  CHECK(rig.simulation.graph().services().count("/x/a/get_parameters") == 0);
}

TEST_CASE("qualities that a node lets users override are read-only parameters, and checked") {
  NodeRig rig({"program", "--ros-args", "-p", "qos_overrides./t.publisher.depth:=3", "-p",
               "qos_overrides./t.publisher.reliability:=best_effort", "-p",
               "qos_overrides./t.subscription_left.history:=keep_all"});
  rclcpp::Node node("n");
  rclcpp::PublisherOptions options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions::with_default_policies();
  auto out = node.create_publisher<UInt64>("t", 10, options);
  CHECK(out->get_actual_qos() == rclcpp::QoS(3).best_effort());
  CHECK(out->kernel().qos().depth == 3);
  CHECK(node.get_parameter("qos_overrides./t.publisher.history").as_string() == "keep_last");
  CHECK(node.describe_parameter("qos_overrides./t.publisher.depth").description ==
        "qos policy {depth} for publisher {/t}");
  CHECK_FALSE(node.set_parameter({"qos_overrides./t.publisher.depth", 4}).successful);
  CHECK_FALSE(node.has_parameter("qos_overrides./t.publisher.durability"));

  rclcpp::SubscriptionOptions left;
  left.qos_overriding_options = {
      {rclcpp::QosPolicyKind::History, rclcpp::QosPolicyKind::Deadline, rclcpp::QosPolicyKind::Lifespan},
      [](const rclcpp::QoS& qos) {
        return rclcpp::QosCallbackResult{qos.history() == rclcpp::HistoryPolicy::KeepAll, "keep all!"};
      },
      "left"};
  const auto hear = [](const UInt64&) {};
  CHECK(node.create_subscription<UInt64>("t", rclcpp::QoS(1).deadline(5ms), hear, left)->kernel().qos().keep_all);
  CHECK(node.get_parameter("qos_overrides./t.subscription_left.deadline").as_int() == 5'000'000);
  CHECK_FALSE(node.has_parameter("qos_overrides./t.subscription_left.lifespan"));
  CHECK_THROWS_AS(node.create_subscription<UInt64>("other", 1, hear, left),
                  rclcpp::exceptions::InvalidQosOverridesException);

  rclcpp::Node wrong(
      "w", rclcpp::NodeOptions().append_parameter_override("qos_overrides./t.publisher.reliability", "perhaps"));
  CHECK_THROWS_AS(wrong.create_publisher<UInt64>("t", 1, options), std::invalid_argument);
}

TEST_CASE("publishers and subscriptions are notified of matches, in the order of all events") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  const auto tells = [&](const char* who) {
    return [&rig, who](rclcpp::MatchedInfo& info) {
      rig.tell(who + std::string(" ") + std::to_string(info.total_count) + std::to_string(info.total_count_change) +
               std::to_string(info.current_count) + std::to_string(info.current_count_change));
    };
  };
  rclcpp::PublisherOptions of_out;
  of_out.event_callbacks.matched_callback = tells("out");
  of_out.event_callbacks.incompatible_qos_callback = [&](rclcpp::QOSOfferedIncompatibleQoSInfo& info) {
    rig.tell("unfit " + std::to_string(info.total_count) + " policy " + std::to_string(info.last_policy_kind));
  };
  rclcpp::SubscriptionOptions of_in;
  of_in.event_callbacks.matched_callback = tells("in");
  auto out = node->create_publisher<UInt64>("t", 10, of_out);
  auto first = node->create_subscription<UInt64>(
      "t", 10, [&](const UInt64&) { rig.tell("heard"); }, of_in);
  auto second = node->create_subscription<UInt64>("t", 10, [](const UInt64&) {});
  auto strict = node->create_subscription<UInt64>("t", rclcpp::QoS(1).transient_local(), [](const UInt64&) {});
  out->publish(UInt64());
  CHECK(rig.story.empty());
  REQUIRE(rig.run_until(0));
  CHECK(rig.story == Lines{"0: out 2222", "0: in 1111", "0: unfit 1 policy 2", "0: heard"});
  rig.story.clear();
  second.reset();
  out.reset();
  REQUIRE(rig.run_until(0));
  CHECK(rig.story == Lines{"0: in 100-1"});
}

TEST_CASE("own types replace messages by an adapter, named or implied") {
  using Adapted = rclcpp::adapt_type<Celsius>::as<String>;
  static_assert(rclcpp::is_type_adapter<Adapted>::value && !rclcpp::is_type_adapter<String>::value);
  NodeRig rig;
  rclcpp::Node node("n");
  auto out = node.create_publisher<Adapted>("heat", 10);
  auto own = node.create_subscription<Adapted>("heat", 10,
                                               [&](const Celsius& c) { rig.tell("own " + std::to_string(c.degrees)); });
  auto unique =
      node.create_subscription<Adapted>("heat", 10, [&](std::unique_ptr<Celsius> c, const rclcpp::MessageInfo&) {
        rig.tell("unique " + std::to_string(c->degrees));
      });
  auto shared = node.create_subscription<Adapted>(
      "heat", 10, [&](std::shared_ptr<const Celsius> c) { rig.tell("shared " + std::to_string(c->degrees)); });
  auto message =
      node.create_subscription<Adapted>("heat", 10, [&](String::UniquePtr m) { rig.tell("message " + m->data); });
  auto plain = node.create_subscription<String>("heat", 10, [&](const String& m) { rig.tell("plain " + m.data); });
  out->publish(Celsius{1.5});
  REQUIRE(rig.run_until(0));
  CHECK(rig.story == Lines{"0: own 1.500000", "0: unique 1.500000", "0: shared 1.500000", "0: message 1.500000",
                           "0: plain 1.500000"});
  rig.story.clear();
  String text;
  text.data = "-3";
  out->publish(text);
  out->publish(std::make_unique<Celsius>());
  REQUIRE(rig.run_until(0));
  CHECK(rig.story[0] == "0: own -3.000000");
  CHECK(rig.story[9] == "0: plain 0.000000");

  auto minutes = node.create_publisher<Minutes>("time", 1);
  std::uint64_t received = 0, sent = 0;
  auto in = node.create_subscription<Minutes>("time", 1, [&](const Minutes& m) { received = m.count; });
  auto raw = node.create_subscription<UInt64>("time", 1, [&](const UInt64& m) { sent = m.data; });
  minutes->publish(Minutes{2});
  REQUIRE(rig.run_until(0));
  CHECK(received == 2);
  CHECK(sent == 120);
}

TEST_CASE("log lines are on /rosout while it has a subscription, and count in no digest") {
  const auto run = [](bool talks) {
    NodeRig rig({}, {.digest_messages = true});
    auto quiet = std::make_shared<rclcpp::Node>("quiet", rclcpp::NodeOptions().enable_rosout(false));
    auto node = std::make_shared<rclcpp::Node>("n", "a");
    if (talks) RCLCPP_INFO(node->get_logger(), "nobody hears");
    auto in = quiet->create_subscription<rcl_interfaces::msg::Log>("/rosout", rclcpp::RosoutQoS(), [&](const auto& m) {
      rig.tell(std::to_string(m.level) + " " + m.name + " " + m.msg + " " + std::to_string(m.stamp.nanosec));
    });
    auto timer = node->create_wall_timer(5ns, [&] {
      if (!talks) return;
      RCLCPP_WARN(node->get_logger().get_child("part"), "hot");
      RCLCPP_ERROR(quiet->get_logger().get_child("part"), "kept back");
      RCLCPP_DEBUG(node->get_logger(), "below the level");
    });
    // What comes after the first line has the ranks that it would have without.
    auto late = node->create_wall_timer(
        6ns, [&] { static_cast<void>(node->create_publisher<UInt64>("late", 1)->publish(UInt64())); });
    REQUIRE(rig.run_until(12));
    if (talks) CHECK(rig.story == Lines{"5: 30 a.n.part hot 5", "10: 30 a.n.part hot 10"});
    else CHECK(rig.story.empty());
    CHECK(node->count_publishers("/rosout") == (talks ? 1 : 0));
    CHECK(node->get_node_names() == Lines{"/quiet", "/a/n"});
    return rig.simulation.graph().digest();
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("the clock is published to its subscriptions, once an instant, unless there is another clock") {
  NodeRig rig({}, {.now = convoy::instant(3)});
  auto node = std::make_shared<rclcpp::Node>("n");
  auto timer = node->create_wall_timer(10ns, [&] { rig.tell("tick"); });
  auto other = node->create_wall_timer(10ns, [] {});
  REQUIRE(rig.run_until(13));
  CHECK(rig.simulation.graph().topics().empty());
  using Clock = rosgraph_msgs::msg::Clock;
  auto in = node->create_subscription<Clock>(
      "/clock", rclcpp::ClockQoS(), [&](const Clock& m) { rig.tell("clock " + std::to_string(m.clock.nanosec)); });
  REQUIRE(rig.run_until(33));
  CHECK(rig.story == Lines{"13: tick", "23: clock 23", "23: tick", "33: clock 33", "33: tick"});
  auto mine = node->create_publisher<Clock>("/clock", rclcpp::ClockQoS());
  REQUIRE(rig.run_until(43));
  CHECK(rig.story.back() == "43: tick");
  CHECK(rig.story.size() == 6);
}
