// Round trips of components on the rclcpp-shaped library: a message to another node and one back.
//
//   bench_rclcpp [--callbacks N]     one JSON object: nanoseconds of CPU time for one round trip of each kind
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>

using std_msgs::msg::UInt64;

namespace {

// `In` is what callbacks take, by which the object itself goes round or is shared.
template <class In>
double round_trip(std::uint64_t n) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    convoy::ros::Simulation simulation({});
    const convoy::ros::Simulation::Scope scope(simulation);
    auto a = std::make_shared<rclcpp::Node>("a"), b = std::make_shared<rclcpp::Node>("b");
    auto ping = a->create_publisher<UInt64>("ping", 10), pong = b->create_publisher<UInt64>("pong", 10);
    auto answer = b->create_subscription<UInt64>("ping", 10, [&](In m) {
      auto back = std::make_unique<UInt64>();
      back->data = m->data;
      pong->publish(std::move(back));
    });
    auto again = a->create_subscription<UInt64>("pong", 10, [&](In m) {
      if (m->data == 0) return;
      auto next = std::make_unique<UInt64>();
      next->data = m->data - 1;
      ping->publish(std::move(next));
    });
    auto timer = a->create_wall_timer(std::chrono::microseconds(100), [&] {
      auto first = std::make_unique<UInt64>();
      first->data = 100;
      ping->publish(std::move(first));
    });
    const std::clock_t begin = std::clock();
    while (simulation.graph().callbacks() < 2 * n)
      if (!simulation.run_instant(simulation.next())) std::abort();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * 1e9 / static_cast<double>(n));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t n = 1'000'000;
  for (int i = 1; i + 1 < argc; i += 2)
    if (!std::strcmp(argv[i], "--callbacks")) n = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
  std::printf("{\"unique\": %.1f, \"shared\": %.1f}\n", round_trip<UInt64::UniquePtr>(n),
              round_trip<UInt64::ConstSharedPtr>(n));
}
