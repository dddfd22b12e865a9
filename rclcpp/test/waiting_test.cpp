// Wait sets, waitables, guard conditions, groups that are given to executors, and changes of the graph.
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <std_srvs/srv/trigger.hpp>

#include "node_rig.hpp"
#include "rclcpp/wait_for_message.hpp"

using namespace std::chrono_literals;
using rclcpp::WaitResultKind;
using std_msgs::msg::String;
using std_msgs::msg::UInt64;
using std_srvs::srv::Trigger;

namespace {

UInt64 number(std::uint64_t n) {
  UInt64 message;
  message.data = n;
  return message;
}

// A node with a group that no executor has, and a callback of its own that runs once, at 1 ns.
struct Waiter {
  explicit Waiter(const std::string& name)
      : node(std::make_shared<rclcpp::Node>(name)),
        group(node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false)) {
    options.callback_group = group;
  }
  void once(std::function<void()> work) {
    timer = node->create_wall_timer(1ns, [this, work = std::move(work)] {
      timer->cancel();
      work();
    });
  }
  template <class T>
  auto hear(
      const std::string& topic, std::function<void(const T&)> callback = [](const T&) {}, int depth = 10) {
    return node->create_subscription<T>(topic, depth, std::move(callback), options);
  }
  rclcpp::Node::SharedPtr node;
  rclcpp::CallbackGroup::SharedPtr group;
  rclcpp::SubscriptionOptions options;
  rclcpp::TimerBase::SharedPtr timer;
};

// Records what it was woken by.
class Bell : public rclcpp::Waitable {
 public:
  explicit Bell(NodeRig& r) : rig(r) {}
  void add_to_wait_set(rcl_wait_set_t& set) override {
    condition->add_to_wait_set(set);
    if (subscription) rcl_wait_set_add_subscription(&set, subscription->get_subscription_handle().get());
    if (timer) rcl_wait_set_add_timer(&set, timer->get_timer_handle().get());
  }
  bool is_ready(const rcl_wait_set_t& set) override {
    rung = false;
    for (std::size_t i = 0; i < set.size_of_guard_conditions; ++i)
      rung = rung || set.guard_conditions[i] == &condition->get_rcl_guard_condition();
    return rung || (set.size_of_subscriptions > 0 && set.subscriptions[0]) || (set.size_of_timers > 0 && set.timers[0]);
  }
  std::shared_ptr<void> take_data() override {
    auto text = std::make_shared<std::string>(rung ? "rung" : "");
    UInt64 message;
    rclcpp::MessageInfo info;
    if (subscription && subscription->take(message, info)) *text += " heard " + std::to_string(message.data);
    if (timer && timer->is_ready() && timer->call()) *text += " timer";
    return text;
  }
  void execute(const std::shared_ptr<void>& data) override { rig.tell(*std::static_pointer_cast<std::string>(data)); }

  NodeRig& rig;
  rclcpp::GuardCondition::SharedPtr condition = std::make_shared<rclcpp::GuardCondition>();
  rclcpp::Subscription<UInt64>::SharedPtr subscription;
  rclcpp::TimerBase::SharedPtr timer;
  bool rung = false;
};

}  // namespace

TEST_CASE("a group that is not added with its node runs while an executor that was given it spins") {
  NodeRig rig;
  Waiter a("a");
  auto out = a.node->create_publisher<UInt64>("t", 10);
  auto in = a.hear<UInt64>("t", [&](const UInt64& m) { rig.tell("heard " + std::to_string(m.data)); });
  auto tick = a.node->create_wall_timer(
      4ns, [&] { rig.tell("tick"); }, a.group);
  rclcpp::executors::SingleThreadedExecutor executor, other;
  executor.add_callback_group(a.group, a.node->get_node_base_interface());
  CHECK_THROWS_AS(other.add_callback_group(a.group, a.node->get_node_base_interface()), std::runtime_error);
  CHECK(executor.get_all_callback_groups().size() == 1);
  CHECK_FALSE(a.group->automatically_add_to_executor_with_node());
  a.once([&] {
    out->publish(number(1));
    rclcpp::sleep_for(8ns);
    rig.tell("nothing so far");
    executor.spin_some();
    rig.tell("spun");
    out->publish(number(2));
    rclcpp::sleep_for(1ns);
    executor.spin_once(5ns);
    rig.tell("once");
    executor.spin_once(1ns);
    rig.tell("in vain");
    executor.remove_callback_group(a.group);
    out->publish(number(3));
    executor.spin_some();
    CHECK_THROWS_AS(executor.remove_callback_group(a.group), std::runtime_error);
  });
  REQUIRE(rig.run_until(30));

  CHECK(rig.story ==
        Lines{"9: nothing so far", "9: heard 1", "9: tick", "9: spun", "10: heard 2", "10: once", "11: in vain"});
}

TEST_CASE("a call is answered while an executor spins the client's group until the future is complete") {
  NodeRig rig;
  Waiter a("a"), b("b");
  auto client = a.node->create_client<Trigger>("s", rclcpp::ServicesQoS(), a.group);
  auto service = b.node->create_service<Trigger>("s", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr r) {
    rclcpp::sleep_for(5ns);
    r->message = "yes";
  });
  a.once([&] {
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_callback_group(a.group, a.node->get_node_base_interface());
    auto future = client->async_send_request(std::make_shared<Trigger::Request>());
    CHECK(executor.spin_until_future_complete(future.future, 2ns) == rclcpp::FutureReturnCode::TIMEOUT);
    CHECK(executor.spin_until_future_complete(future.future) == rclcpp::FutureReturnCode::SUCCESS);
    rig.tell(future.get()->message);
  });
  REQUIRE(rig.run_until(20));
  CHECK(rig.story == Lines{"6: yes"});
}

TEST_CASE("a wait set suspends its callback until something is ready, which the callback then takes") {
  const auto run = [](std::vector<convoy::DelayRule> delays) {
    convoy::nodes::GraphOptions options;
    options.delays = std::move(delays);
    NodeRig rig({}, std::move(options));
    Waiter a("a"), b("b");
    auto in = a.hear<UInt64>("t");
    auto bytes = a.node->create_generic_subscription(
        "t", "std_msgs/msg/UInt64", 10, [](std::shared_ptr<rclcpp::SerializedMessage>) {}, a.options);
    auto stop = std::make_shared<rclcpp::GuardCondition>();
    auto tick = a.node->create_wall_timer(
        7ns, [&] { rig.tell("tick"); }, a.group);
    auto out = b.node->create_publisher<UInt64>("t", 10);
    rclcpp::TimerBase::SharedPtr talk;
    talk = b.node->create_wall_timer(5ns, [&] {
      out->publish(number(static_cast<std::uint64_t>(convoy::nanos(rig.simulation.now()))));
      if (rig.simulation.now() == convoy::instant(15)) talk->cancel(), stop->trigger(), stop->trigger();
      rig.tell("published");
    });
    a.once([&] {
      rclcpp::WaitSet waits({{in}, {bytes}}, {stop}, {tick});
      for (;;) {
        auto result = waits.wait(20ns);
        if (result.kind() != WaitResultKind::Ready)
          return rig.tell(result.kind() == WaitResultKind::Timeout ? "timeout" : "?");
        const rcl_wait_set_t& ready = result.get_wait_set().get_rcl_wait_set();
        rclcpp::MessageInfo info;
        UInt64 message;
        rclcpp::SerializedMessage serialized;
        if (ready.guard_conditions[0]) rig.tell("stop");
        if (ready.subscriptions[0] && in->take(message, info))
          rig.tell("took " + std::to_string(message.data) + " of " +
                   std::to_string(info.get_rmw_message_info().source_timestamp));
        if (ready.subscriptions[1] && bytes->take_serialized(serialized, info))
          rig.tell("took " + std::to_string(serialized.size()) + " bytes");
        if (const auto [timer, at] = result.peek_next_ready_timer(); timer && timer->call()) {
          timer->execute_callback();
          if (rig.simulation.now() >= convoy::instant(14)) timer->cancel();
        }
        CHECK_FALSE(in->take(message, info));
      }
    });
    REQUIRE(rig.run_until(100));
    return std::pair(rig.story, rig.simulation.graph().digest());
  };

  const auto plain = run({});
  CHECK(plain.first == Lines{"5: published", "5: took 5 of 5", "5: took 12 bytes", "7: tick", "10: published",
                             "10: took 10 of 10", "10: took 12 bytes", "14: tick", "15: published", "15: stop",
                             "15: took 15 of 15", "15: took 12 bytes", "35: timeout"});
  CHECK(run({}).second == plain.second);
  // A message that time brings wakes as one that is published now.
  const auto delayed = run(std::vector<convoy::DelayRule>{{.name = "/t", .delay = {.low = 2ns}}});
  CHECK(std::vector(delayed.first.begin(), delayed.first.begin() + 4) ==
        Lines{"5: published", "7: took 5 of 5", "7: took 12 bytes", "7: tick"});
  CHECK(delayed.second != plain.second);
}

TEST_CASE("the result of a wait gives one by one what is ready") {
  NodeRig rig;
  Waiter a("a"), b("b");
  auto one = a.hear<UInt64>("one"), two = a.hear<UInt64>("two");
  auto service = a.node->create_service<Trigger>(
      "s", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr r) { r->message = "by hand"; },
      rclcpp::ServicesQoS(), a.group);
  auto client = b.node->create_client<Trigger>("s", rclcpp::ServicesQoS(), b.group);
  auto bell = std::make_shared<Bell>(rig);
  a.once([&] {
    rclcpp::ThreadSafeWaitSet waits;
    CHECK(waits.wait(5s).kind() == WaitResultKind::Empty);
    CHECK_THROWS_AS(waits.wait(0s).get_wait_set(), std::runtime_error);
    waits.add_subscription(one), waits.add_subscription(two), waits.add_service(service), waits.add_waitable(bell);
    rclcpp::WaitSet other;
    CHECK_THROWS_AS(other.add_subscription(one), std::runtime_error);
    CHECK_THROWS_AS(other.remove_service(service), std::runtime_error);
    {
      auto result = waits.wait(10ns);  // a request, a message on "two", and the bell, all at 5 ns
      REQUIRE(result.kind() == WaitResultKind::Ready);
      CHECK_THROWS_AS(static_cast<void>(waits.wait(0s)), std::runtime_error);
      CHECK(result.next_ready_subscription() == two);
      CHECK(result.next_ready_subscription() == nullptr);
      CHECK(result.next_ready_waitable() == bell);
      CHECK(result.next_ready_client() == nullptr);
      REQUIRE(result.next_ready_service() == service);
      rmw_request_id_t id;
      Trigger::Request request;
      Trigger::Response response;
      REQUIRE(service->take_request(request, id));
      CHECK_FALSE(service->take_request(request, id));
      response.message = "taken";
      service->send_response(id, response);
      waits.remove_subscription(two);
      CHECK(result.next_ready_subscription() == nullptr);
      CHECK(result.kind() == WaitResultKind::Invalid);
    }
    // What its owner has let go is forgotten.
    one.reset(), service.reset();
    rclcpp::StaticWaitSet<0, 1, 0, 0, 0, 0> fixed(
        std::array<rclcpp::StaticWaitSet<0, 1, 0, 0, 0, 0>::SubscriptionEntry, 0>{},
        std::array<rclcpp::GuardCondition::SharedPtr, 1>{{bell->condition}});
    CHECK(fixed.wait(1ns).kind() == WaitResultKind::Timeout);  // its trigger has woken a waiter
    bell->condition->trigger();
    CHECK(waits.wait(0s).kind() == WaitResultKind::Ready);
    waits.prune_deleted_entities();
    waits.remove_waitable(bell);
    CHECK(waits.wait(1ns).kind() == WaitResultKind::Empty);
  });
  auto out = b.node->create_publisher<UInt64>("two", 10);
  rclcpp::TimerBase::SharedPtr late;
  late = b.node->create_wall_timer(5ns, [&] {
    late->cancel();
    auto future = client->async_send_request(std::make_shared<Trigger::Request>());
    out->publish(number(1)), bell->condition->trigger();
    rclcpp::WaitSet waits({}, {}, {}, {client});
    REQUIRE(waits.wait(5ns).kind() == WaitResultKind::Ready);
    rmw_request_id_t id;
    auto response = std::make_shared<Trigger::Response>();
    REQUIRE(client->take_response(*response, id));
    CHECK(id.sequence_number == future.request_id);
    client->handle_response(std::make_shared<rmw_request_id_t>(id), response);
    rig.tell(future.get()->message);
  });
  REQUIRE(rig.run_until(50));
  CHECK(rig.story == Lines{"5: taken"});
}

TEST_CASE("a callback runs with a message that was taken, and one waits for a single message of a topic") {
  NodeRig rig;
  Waiter a("a"), b("b");
  auto in = a.hear<UInt64>(
      "t", [&](const UInt64& m) { rig.tell("callback " + std::to_string(m.data)); }, 2);
  a.once([&] {
    UInt64 message;
    CHECK_FALSE(rclcpp::wait_for_message(message, a.node, "t", 3ns));
    CHECK(rclcpp::wait_for_message(message, a.node, "t", 3ns));
    rig.tell("waited for " + std::to_string(message.data));
    rclcpp::sleep_for(10ns);
    rclcpp::MessageInfo info;
    auto taken = in->create_message();
    while (in->take_type_erased(taken.get(), info)) in->handle_message(taken, info);  // the depth holds for them, too
  });
  auto out = b.node->create_publisher<UInt64>("t", 10);
  rclcpp::TimerBase::SharedPtr talk;
  talk = b.node->create_wall_timer(
      6ns, [&] { out->publish(number(static_cast<std::uint64_t>(convoy::nanos(rig.simulation.now())))); });
  REQUIRE(rig.run_until(20));
  CHECK(rig.story == Lines{"6: waited for 6", "16: callback 6", "16: callback 12"});
}

TEST_CASE("a waitable runs as an event of its group when its condition, subscription or timer is ready") {
  NodeRig rig;
  Waiter a("a"), b("b");
  auto bell = std::make_shared<Bell>(rig), other = std::make_shared<Bell>(rig);
  bell->subscription = a.hear<UInt64>("t");
  bell->timer = a.node->create_wall_timer(
      10ns, [] {}, a.group);
  const auto waitables = a.node->get_node_waitables_interface();
  waitables->add_waitable(bell, nullptr);
  CHECK_THROWS_AS(waitables->add_waitable(other, b.group), std::runtime_error);
  b.node->get_node_waitables_interface()->add_waitable(other, nullptr);
  other->condition = bell->condition;
  auto out = b.node->create_publisher<UInt64>("t", 10);
  auto direct = b.node->create_subscription<UInt64>("t", 10, [&](const UInt64&) { rig.tell("direct"); });
  b.once([&] {
    bell->condition->trigger(), bell->condition->trigger();
    rig.tell("triggered");
  });
  rclcpp::TimerBase::SharedPtr talk;
  talk = b.node->create_wall_timer(4ns, [&] {
    talk->cancel();
    out->publish(number(1)), out->publish(number(2));
    rig.tell("published");
  });
  REQUIRE(rig.run_until(9));
  // Its event comes after what the callback that woke it has published, and it is asked again until all is taken. Two
  // triggers at once are one.
  CHECK(rig.story == Lines{"1: triggered", "1: rung", "1: rung", "4: published", "4: direct", "4: direct",
                           "4:  heard 1", "4:  heard 2"});

  rig.story.clear();
  REQUIRE(rig.run_until(10));
  CHECK(rig.story == Lines{"10:  timer"});
  rig.story.clear();
  waitables->remove_waitable(bell, nullptr);
  other.reset();
  bell->condition->trigger();
  REQUIRE(rig.run_until(40));
  CHECK(rig.story.empty());
}

TEST_CASE("a waitable that never takes what it is woken by stops the run, and so does one that throws") {
  struct Idle : Bell {
    using Bell::Bell;
    std::shared_ptr<void> take_data() override { return std::make_shared<std::string>(); }
  };
  struct Bad : Bell {
    using Bell::Bell;
    void execute(const std::shared_ptr<void>&) override { throw std::runtime_error("no bell"); }
  };
  const auto run = [](auto make, bool publish) {
    NodeRig rig;
    Waiter a("a");
    auto bell = make(rig);
    bell->subscription = a.template hear<UInt64>("t");
    a.node->get_node_waitables_interface()->add_waitable(bell, nullptr);
    auto out = a.node->create_publisher<UInt64>("t", 10);
    a.once([&] {
      if (publish) out->publish(number(1));
      else bell->condition->trigger();
    });
    const auto ok = rig.run_until(5);
    return ok ? std::string() : ok.error().text;
  };
  CHECK(run([](NodeRig& rig) { return std::make_shared<Idle>(rig); }, true).find("messages follow from each other") !=
        std::string::npos);
  CHECK(run([](NodeRig& rig) { return std::make_shared<Bad>(rig); }, false) ==
        "/a: callback of a waitable threw: no bell");
}

TEST_CASE("a guard condition calls its callback for each trigger, and of those before it had one") {
  NodeRig rig;
  rclcpp::GuardCondition condition;
  condition.trigger(), condition.trigger();
  condition.set_on_trigger_callback([&](std::size_t count) { rig.tell(std::to_string(count)); });
  condition.trigger();
  condition.set_on_trigger_callback(nullptr);
  condition.trigger();
  CHECK(rig.story == Lines{"0: 2", "0: 1"});
  CHECK_FALSE(condition.exchange_in_use_by_wait_set_state(true));
  CHECK(condition.exchange_in_use_by_wait_set_state(false));
}

TEST_CASE("an event of the graph is set when a node comes or goes, and can be waited for") {
  NodeRig rig;
  Waiter a("a"), b("b");
  rclcpp::Publisher<UInt64>::SharedPtr out;
  rclcpp::TimerBase::SharedPtr come;
  come = b.node->create_wall_timer(6ns, [&] {
    if (!out) out = b.node->create_publisher<UInt64>("t", 10);
    else out.reset(), come->cancel();
  });
  a.once([&] {
    const auto event = a.node->get_graph_event();
    a.node->wait_for_graph_change(event, 2ns);
    rig.tell(event->check() ? "changed" : "as it was");
    for (int i = 0; i < 2; ++i) {
      a.node->wait_for_graph_change(event, 1s);
      rig.tell("changed: " + std::to_string(a.node->count_publishers("t")));
      CHECK(event->check());
      CHECK(event->check_and_clear());
      CHECK_FALSE(event->check());
    }
    CHECK(a.node->count_graph_users() == 1);
    CHECK_THROWS_AS(a.node->wait_for_graph_change(nullptr, 1s), rclcpp::exceptions::InvalidEventError);
    CHECK_THROWS_AS(a.node->wait_for_graph_change(std::make_shared<rclcpp::Event>(), 1s),
                    rclcpp::exceptions::EventNotRegisteredError);
    a.node->wait_for_graph_change(event, -1ns);
    rig.tell("never");
  });
  REQUIRE(rig.run_until(100));
  CHECK(rig.story == Lines{"3: as it was", "6: changed: 1", "12: changed: 0"});
}
