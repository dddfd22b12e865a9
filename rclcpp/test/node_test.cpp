#include <std_msgs/msg/u_int64.hpp>
#include <std_srvs/srv/trigger.hpp>

#include "node_rig.hpp"

using namespace std::chrono_literals;
using convoy::Status;
using std_msgs::msg::UInt64;
using std_srvs::srv::Trigger;

namespace {

using std::placeholders::_1;
using std::placeholders::_2;

std::unique_ptr<UInt64> owned(std::uint64_t data) {
  auto message = std::make_unique<UInt64>();
  message->data = data;
  return message;
}

// Member functions of each shape, for std::bind.
struct Listener {
  explicit Listener(NodeRig& r) : rig(r) {}
  void by_ref(const UInt64& m) { rig.tell("by_ref " + std::to_string(m.data)); }
  void by_shared(const UInt64::SharedPtr m) { rig.tell("by_shared " + std::to_string(m->data)); }
  void by_const_shared(UInt64::ConstSharedPtr m) { rig.tell("by_const_shared " + std::to_string(m->data)); }
  void by_const_shared_ref(const UInt64::ConstSharedPtr& m) {
    rig.tell("by_const_shared_ref " + std::to_string(m->data));
  }
  void by_unique(UInt64::UniquePtr m) { rig.tell("by_unique " + std::to_string(m->data)); }
  void with_info(const UInt64& m, const rclcpp::MessageInfo& info) {
    rig.tell("with_info " + std::to_string(m.data) + " of " +
             std::to_string(info.get_rmw_message_info().source_timestamp));
  }
  void serialized(std::shared_ptr<rclcpp::SerializedMessage> m) { rig.tell("serialized " + std::to_string(m->size())); }
  NodeRig& rig;
};

}  // namespace

TEST_CASE("a callback takes its message in any of rclcpp's shapes") {
  NodeRig rig;
  Listener listener(rig);
  auto node = std::make_shared<rclcpp::Node>("n");
  auto out = node->create_publisher<UInt64>("t", 10);
  std::vector<rclcpp::SubscriptionBase::SharedPtr> all;
  const auto hear = [&](auto callback) { all.push_back(node->create_subscription<UInt64>("t", 10, callback)); };
  hear(std::bind(&Listener::by_ref, &listener, _1));
  hear(std::bind(&Listener::by_shared, &listener, _1));
  hear(std::bind(&Listener::by_const_shared, &listener, _1));
  hear(std::bind(&Listener::by_const_shared_ref, &listener, _1));
  hear(std::bind(&Listener::by_unique, &listener, _1));
  hear(std::bind(&Listener::with_info, &listener, _1, _2));
  hear(std::bind(&Listener::serialized, &listener, _1));
  hear([&](const UInt64& m) { rig.tell("lambda " + std::to_string(m.data)); });
  hear([&](std::unique_ptr<UInt64> m, const rclcpp::MessageInfo&) {
    rig.tell("unique lambda " + std::to_string(m->data));
  });
  hear(std::function<void(std::shared_ptr<const UInt64>)>(
      [&](auto m) { rig.tell("function " + std::to_string(m->data)); }));

  out->publish(*owned(7));
  REQUIRE(rig.run_until(0));

  CHECK(rig.story == Lines{"0: by_ref 7", "0: by_shared 7", "0: by_const_shared 7", "0: by_const_shared_ref 7",
                           "0: by_unique 7", "0: with_info 7 of 0", "0: serialized 12", "0: lambda 7",
                           "0: unique lambda 7", "0: function 7"});
  CHECK(out->get_subscription_count() == 10);
  CHECK(all[0]->get_publisher_count() == 1);
  CHECK(std::string(out->get_topic_name()) == "/t");
}

TEST_CASE("a published unique_ptr arrives as the same object") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto out = node->create_publisher<UInt64>("t", 10);
  const UInt64* got = nullptr;
  auto in = node->create_subscription<UInt64>("t", 10, [&](UInt64::UniquePtr m) { got = m.get(); });
  auto message = owned(1);
  const UInt64* sent = message.get();
  out->publish(std::move(message));
  REQUIRE(rig.run_until(0));

  CHECK(got == sent);
}

TEST_CASE("bytes can be published, and bytes that are no message throw") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto out = node->create_publisher<UInt64>("t", 10);
  std::vector<std::uint8_t> bytes;
  auto tap = node->create_subscription<UInt64>("t", 10, [&](std::shared_ptr<rclcpp::SerializedMessage> m) {
    bytes.assign(m->bytes().begin(), m->bytes().end());
  });
  out->publish(*owned(5));
  REQUIRE(rig.run_until(0));
  std::uint64_t received = 0;
  auto in = node->create_subscription<UInt64>("t", 10, [&](const UInt64& m) { received = m.data; });
  out->publish(rclcpp::SerializedMessage(bytes));
  REQUIRE(rig.run_until(0));
  CHECK(received == 5);
  bytes.resize(6);
  CHECK_THROWS_AS(out->publish(rclcpp::SerializedMessage(bytes)), std::runtime_error);
}

TEST_CASE("wall timers run on simulated time and can be cancelled, reset and asked") {
  NodeRig rig({}, {.now = convoy::instant(100)});
  auto node = std::make_shared<rclcpp::Node>("n");
  int ticks = 0;
  auto timer = node->create_wall_timer(10ns, [&](rclcpp::TimerBase& self) {
    rig.tell("tick");
    if (++ticks == 2) self.cancel();
  });
  auto informed = node->create_timer(15ns, [&](const rclcpp::TimerInfo& info) {
    rig.tell("expected " + std::to_string(info.expected_call_time.nanoseconds()));
  });
  CHECK(timer->time_until_trigger() == 10ns);
  REQUIRE(rig.run_until(130));
  CHECK(rig.story == Lines{"110: tick", "115: expected 115", "120: tick", "130: expected 130"});
  CHECK(timer->is_canceled());
  CHECK(timer->time_until_trigger() == std::chrono::nanoseconds::max());
  CHECK_THROWS_AS(node->create_wall_timer(-1ns, [] {}), std::invalid_argument);
}

TEST_CASE("a service answers at once or later, a client gets it by callback or future") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto now = node->create_service<Trigger>("now", [&](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr r) {
    r->success = true, r->message = "at once";
  });
  std::shared_ptr<rmw_request_id_t> open;
  auto later = node->create_service<Trigger>(
      "later", [&](std::shared_ptr<rmw_request_id_t> id, Trigger::Request::SharedPtr) { open = id; });
  auto to_now = node->create_client<Trigger>("now"), to_later = node->create_client<Trigger>("later");
  CHECK(to_now->service_is_ready());
  CHECK_FALSE(node->create_client<Trigger>("nowhere")->wait_for_service(0s));

  to_now->async_send_request(std::make_shared<Trigger::Request>(),
                             [&](rclcpp::Client<Trigger>::SharedFuture f) { rig.tell(f.get()->message); });
  auto future = to_later->async_send_request(std::make_shared<Trigger::Request>());
  REQUIRE(rig.run_until(0));
  CHECK(rig.story == Lines{"0: at once"});
  REQUIRE(open);
  CHECK(future.wait_for(0s) == std::future_status::timeout);
  Trigger::Response response;
  response.message = "later";
  later->send_response(*open, response);
  REQUIRE(rig.run_until(0));
  CHECK(future.get()->message == "later");
  CHECK(to_later->prune_pending_requests() == 0);
}

TEST_CASE("an answer that its caller has forgotten goes nowhere") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto service = node->create_service<Trigger>("s", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr) {});
  auto client = node->create_client<Trigger>("s");
  auto call = client->async_send_request(std::make_shared<Trigger::Request>(),
                                         [&](rclcpp::Client<Trigger>::SharedFuture) { rig.tell("heard"); });
  CHECK(client->remove_pending_request(call.request_id));
  REQUIRE(rig.run_until(0));
  CHECK(rig.story.empty());
}

TEST_CASE("callbacks may block: rates, sleeps, services that come later, futures") {
  NodeRig rig;
  auto a = std::make_shared<rclcpp::Node>("a"), b = std::make_shared<rclcpp::Node>("b");
  rclcpp::Service<Trigger>::SharedPtr service;
  auto client = a->create_client<Trigger>("s");
  rclcpp::TimerBase::SharedPtr begin, late;
  begin = a->create_wall_timer(10ns, [&] {
    begin->cancel();
    rclcpp::Rate rate(rclcpp::Duration(4ns));
    for (int i = 0; i < 2; ++i) rate.sleep(), rig.tell("rate");
    rclcpp::sleep_for(2ns);
    rig.tell("slept");
    rig.tell(client->wait_for_service(5ns) ? "there" : "not yet");
    client->wait_for_service();
    rig.tell("there");
    auto future = client->async_send_request(std::make_shared<Trigger::Request>());
    // A spin in a callback waits; the node's own events would wait with it, so the client is in a group of its own
    // there.
    rig.tell(rclcpp::to_string(rclcpp::spin_until_future_complete(a, future, 7ns)));
  });
  late = b->create_wall_timer(30ns, [&] {
    if (!service)
      service = b->create_service<Trigger>("s", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr) {});
  });
  REQUIRE(rig.run_until(50));

  CHECK(rig.story == Lines{"14: rate", "18: rate", "20: slept", "25: not yet", "30: there", "37: TIMEOUT (2)"});

  // With the client in another group, the answer comes in between.
  rig.story.clear();
  auto group = a->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto other = a->create_client<Trigger>("s", rclcpp::ServicesQoS(), group);
  begin = a->create_wall_timer(10ns, [&] {
    begin->cancel();
    auto future = other->async_send_request(std::make_shared<Trigger::Request>());
    rig.tell(rclcpp::to_string(rclcpp::spin_until_future_complete(a, future)));
  });
  REQUIRE(rig.run_until(80));
  CHECK(rig.story == Lines{"47: SUCCESS (0)"});
}

TEST_CASE("a future of a call waits in simulated time: get(), wait() and wait_for()") {
  NodeRig rig;
  auto a = std::make_shared<rclcpp::Node>("a"), b = std::make_shared<rclcpp::Node>("b");
  auto group = a->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto client = a->create_client<Trigger>("s", rclcpp::ServicesQoS(), group);
  auto service = b->create_service<Trigger>("s", [&](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr r) {
    rclcpp::sleep_for(20ns);
    r->message = "yes";
  });
  rclcpp::TimerBase::SharedPtr timer;
  timer = a->create_wall_timer(5ns, [&] {
    timer->cancel();
    rig.tell(client->async_send_request(std::make_shared<Trigger::Request>()).get()->message);
    auto second = client->async_send_request(std::make_shared<Trigger::Request>());
    rig.tell(second.wait_for(7ns) == std::future_status::timeout ? "not yet" : "too early");
    second.wait();
    rig.tell(second.get()->message);
    auto shared = client->async_send_request(std::make_shared<Trigger::Request>()).share();
    rig.tell(shared.get()->message + shared.get()->message);
  });
  REQUIRE(rig.run_until(100));
  CHECK(rig.story == Lines{"25: yes", "32: not yet", "45: yes", "65: yesyes"});
}

TEST_CASE("shutdown wakes who waits, and ends the run after its instant") {
  NodeRig rig;
  auto a = std::make_shared<rclcpp::Node>("a"), b = std::make_shared<rclcpp::Node>("b");
  rclcpp::TimerBase::SharedPtr t1;
  t1 = a->create_wall_timer(1ns, [&] {
    t1->cancel();
    while (rclcpp::ok()) rclcpp::sleep_for(1h);
    rig.tell("done");
  });
  auto t2 = b->create_wall_timer(5ns, [&] { rclcpp::shutdown(); });
  rclcpp::on_shutdown([&] { rig.tell("stopping"); });
  REQUIRE(rig.run_until(100));
  CHECK(rig.story == Lines{"5: stopping", "5: done"});
  CHECK_FALSE(rclcpp::ok());
}

TEST_CASE("what a callback throws ends the run with an error that names it") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n", "space");
  auto out = node->create_publisher<UInt64>("t", 10);
  auto in = node->create_subscription<UInt64>("t", 10, [](const UInt64&) { throw std::runtime_error("no"); });
  out->publish(*owned(1));
  const Status ran = rig.run_until(0);
  REQUIRE_FALSE(ran);
  CHECK(ran.error().text == "/space/n: callback of topic 't' threw: no");
}

TEST_CASE("names, namespaces, sub-nodes and bad names are rclcpp's") {
  NodeRig rig;
  rclcpp::Node node("n", "space");
  CHECK(std::string(node.get_fully_qualified_name()) == "/space/n");
  CHECK(std::string(node.get_logger().get_name()) == "space.n");
  auto sub = node.create_sub_node("arm");
  CHECK(sub->get_effective_namespace() == "/space/arm");
  CHECK(std::string(sub->create_publisher<UInt64>("t", 1)->get_topic_name()) == "/space/arm/t");
  CHECK(std::string(node.create_publisher<UInt64>("~/t", 1)->get_topic_name()) == "/space/n/t");
  CHECK_THROWS_AS(rclcpp::Node("1n"), rclcpp::exceptions::InvalidNodeNameError);
  CHECK_THROWS_AS(rclcpp::Node("n", "a//b"), rclcpp::exceptions::InvalidNamespaceError);
  CHECK_THROWS_AS(node.create_publisher<UInt64>("a b", 1), rclcpp::exceptions::InvalidTopicNameError);
  CHECK_THROWS_AS(node.create_client<Trigger>("/"), rclcpp::exceptions::InvalidServiceNameError);
}

TEST_CASE("without a simulation a node cannot be made") {
  CHECK_THROWS_AS(rclcpp::Node("n"), std::runtime_error);
  CHECK_FALSE(rclcpp::ok());
}

TEST_CASE("a delay is the same for components") {
  NodeRig rig({}, {.delays = {{.name = "/t", .delay = {.low = convoy::Duration(1500)}}}});
  auto node = std::make_shared<rclcpp::Node>("n");
  auto out = node->create_publisher<UInt64>("t", 10);
  auto in = node->create_subscription<UInt64>("t", 10, [&](const UInt64&, const rclcpp::MessageInfo& info) {
    rig.tell("sent at " + std::to_string(info.get_rmw_message_info().source_timestamp));
  });
  out->publish(*owned(1));
  REQUIRE(rig.run_until(2000));
  CHECK(rig.story == Lines{"1500: sent at 0"});
}
