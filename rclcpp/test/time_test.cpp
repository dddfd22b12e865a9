#include "node_rig.hpp"

using namespace rclcpp;
using namespace std::chrono_literals;

TEST_CASE("time and duration convert, add and overflow as in rclcpp") {
  const Time t(3, 500'000'000, RCL_ROS_TIME);
  CHECK(t.nanoseconds() == 3'500'000'000);
  CHECK((t + Duration::from_seconds(0.25)).seconds() == 3.75);
  CHECK((t - Time(1, 0, RCL_ROS_TIME)).nanoseconds() == 2'500'000'000);
  const builtin_interfaces::msg::Time msg = t;
  CHECK(msg.sec == 3);
  CHECK(msg.nanosec == 500'000'000);
  CHECK(Time(msg) == t);
  const builtin_interfaces::msg::Duration back = Duration(-1'500'000'000ns);
  CHECK(back.sec == -2);
  CHECK(back.nanosec == 500'000'000);
  CHECK(Duration(back).nanoseconds() == -1'500'000'000);
  CHECK((Duration(3, 0) * 0.5).nanoseconds() == 1'500'000'000);

  CHECK_THROWS_AS(Time::max(RCL_ROS_TIME) + Duration(1ns), std::overflow_error);
  CHECK_THROWS_AS(Duration::max() * 2, std::overflow_error);
  CHECK_THROWS_AS((void)(t == Time(3, 500'000'000, RCL_SYSTEM_TIME)), std::runtime_error);
  CHECK_THROWS_AS((void)(t - Time(0, 0, RCL_SYSTEM_TIME)), std::runtime_error);
  CHECK_THROWS_AS(Time(-1, 0), std::runtime_error);
  NodeRig rig;
  CHECK_THROWS_AS(Rate(0.0), std::invalid_argument);
}

TEST_CASE("log lines have level, name and simulated throttling") {
  NodeRig rig;
  auto node = std::make_shared<Node>("n", "a");
  int calls = 0;
  auto timer = node->create_wall_timer(1ms, [&] {
    ++calls;
    RCLCPP_INFO_THROTTLE(node->get_logger(), *node->get_clock(), 3, "throttled %d", calls);
    RCLCPP_WARN_STREAM_ONCE(node->get_logger(), "once " << calls);
    RCLCPP_ERROR_SKIPFIRST(node->get_logger(), "%s", calls == 2 ? "second" : "later");
    RCLCPP_DEBUG(node->get_logger(), "never");
    RCLCPP_INFO_EXPRESSION(node->get_logger(), calls == 4, "four");
  });
  REQUIRE(rig.run_until(4'000'000));
  CHECK(rig.log == Lines{"20 a.n: throttled 1", "30 a.n: once 1", "40 a.n: second", "40 a.n: later",
                         "20 a.n: throttled 4", "40 a.n: later", "20 a.n: four"});
  node->get_logger().set_level(Logger::Level::Debug);
  RCLCPP_DEBUG_STREAM(node->get_logger().get_child("part"), "now " << 1);
  CHECK(rig.log.back() == "10 a.n.part: now 1");
}

TEST_CASE("qos profiles are rclcpp's") {
  CHECK(SensorDataQoS().depth() == 5);
  CHECK(SensorDataQoS().reliability() == ReliabilityPolicy::BestEffort);
  CHECK(QoS(7).transient_local().durability() == DurabilityPolicy::TransientLocal);
  CHECK(QoS(KeepAll()).history() == HistoryPolicy::KeepAll);
  CHECK(QoS(10) == QoS(KeepLast(10)));
  CHECK(QoS(10) != QoS(10).best_effort());
  CHECK(QoS(10).deadline(100ms).deadline() == Duration(100ms));
}
