// A ROS 2 program as people write them, with a main() of its own: rates, spin_some, a blocking call, spin until shutdown.
// Ends with 0 if all that it saw was right.
#include <cstdio>

#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <std_srvs/srv/trigger.hpp>

using namespace std::chrono_literals;
using std_msgs::msg::UInt64;
using std_srvs::srv::Trigger;

namespace {
int failures = 0;
void check(bool ok, const char* what) {
  if (ok) return;
  ++failures;
  std::printf("FAILED: %s\n", what);
}
}  // namespace

int main(int argc, char** argv) {
  check(!rclcpp::ok(), "nothing runs before init()");
  rclcpp::init(argc, argv);
  auto node = rclcpp::Node::make_shared("program");
  check(std::string(node->get_fully_qualified_name()) == "/robot/program", "arguments name the node");
  const int count = node->declare_parameter("count", 10);

  auto out = node->create_publisher<UInt64>("t", 10);
  std::vector<std::int64_t> received;
  auto in =
      node->create_subscription<UInt64>("t", 10, [&](const UInt64&) { received.push_back(node->now().nanoseconds()); });
  int ticks = 0;
  auto timer = node->create_wall_timer(100ms, [&] { ++ticks; });

  rclcpp::Rate rate(2.0);
  for (int i = 0; i < count && rclcpp::ok(); ++i) {
    out->publish(UInt64());
    check(received.size() == static_cast<std::size_t>(i), "nothing is heard before the program spins");
    rclcpp::spin_some(node);
    check(rate.sleep(), "the rate is kept");
  }
  check(received == std::vector<std::int64_t>{0, 500'000'000, 1'000'000'000},
        "messages are heard when the program spins");
  check(ticks == 2, "a timer that is late fires once");
  check(node->now().nanoseconds() == 1'500'000'000, "time is simulated");

  auto service = node->create_service<Trigger>(
      "s", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr r) { r->message = "yes"; });
  auto client = node->create_client<Trigger>("s");
  check(client->wait_for_service(1s), "the service is there");
  auto future = client->async_send_request(std::make_shared<Trigger::Request>());
  check(rclcpp::spin_until_future_complete(node, future) == rclcpp::FutureReturnCode::SUCCESS, "the call is answered");
  check(future.get()->message == "yes", "and rightly");
  rclcpp::SyncParametersClient parameters(node);
  check(parameters.wait_for_service(1s), "a node has services for its parameters");
  check(parameters.get_parameter<int>("count") == count, "they say what the parameter is");
  check(parameters.set_parameters({rclcpp::Parameter("count", 7)})[0].successful, "and set it");
  check(node->get_parameter("count").as_int() == 7, "to the new value");
  std::promise<void> never;
  check(rclcpp::spin_until_future_complete(node, never.get_future(), 1s) == rclcpp::FutureReturnCode::TIMEOUT,
        "a timeout");
  check(node->now().nanoseconds() == 2'500'000'000, "of simulated time");

  // Instead of spinning: main() waits until something is ready, and takes it.
  rclcpp::WaitSet waits({{in}}, {}, {timer});
  auto ready = waits.wait(1s);
  check(ready.kind() == rclcpp::WaitResultKind::Ready && ready.peek_next_ready_timer().first == timer,
        "a timer is due");
  check(!ready.next_ready_subscription() && timer->call() != nullptr, "and is taken");
  check(node->now().nanoseconds() == 2'600'000'000, "when it is due");

  auto end = node->create_wall_timer(3s, [] { rclcpp::shutdown(); });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.spin();
  check(!rclcpp::ok(), "spin() ends with shutdown()");
  check(node->now().nanoseconds() == 5'600'000'000, "in its instant");
  return failures;
}
