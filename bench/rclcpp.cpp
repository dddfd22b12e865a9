// Round trips of components on the rclcpp-shaped library: a message to another node and one back.
//
//   bench_rclcpp [--callbacks N]     one JSON object: nanoseconds of CPU time for one round trip of each kind, and of real
//                                    time for one hand-over between two threads of a node, and between two plain ones
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "os/fibres.h"

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

// Two threads that wait for each other by a condition variable, n times each.
double hand_over(std::uint64_t n) {
  std::mutex mutex;
  std::condition_variable changed;
  bool first = true;
  const auto play = [&](bool mine) {
    for (std::uint64_t i = 0; i < n; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return first == mine; });
      first = !mine;
      changed.notify_one();
    }
  };
  std::thread one(play, true), other(play, false);
  one.join(), other.join();
  return static_cast<double>(2 * n);
}

double plain_hand_over(std::uint64_t n) {
  const auto begin = std::chrono::steady_clock::now();
  const double times = hand_over(n);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / times;
}

double ordered_hand_over(std::uint64_t n) {
  convoy::os::Fibres fibres;
  convoy::ros::Simulation simulation({.graph = {.execution = &fibres}});
  const convoy::ros::Simulation::Scope scope(simulation);
  auto node = std::make_shared<rclcpp::Node>("n");
  double times = 0;
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(std::chrono::microseconds(1), [&] {
    timer->cancel();
    times = hand_over(n);
  });
  const auto begin = std::chrono::steady_clock::now();
  while (times == 0)
    if (!simulation.run_instant(simulation.next())) std::abort();
  const auto end = std::chrono::steady_clock::now();
  simulation.unwind();
  return std::chrono::duration<double, std::nano>(end - begin).count() / times;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t n = 1'000'000;
  for (int i = 1; i + 1 < argc; i += 2)
    if (!std::strcmp(argv[i], "--callbacks")) n = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
  std::printf("{\"unique\": %.1f, \"shared\": %.1f, ", round_trip<UInt64::UniquePtr>(n),
              round_trip<UInt64::ConstSharedPtr>(n));
  std::printf("\"plain_hand_over\": %.0f, \"ordered_hand_over\": %.0f}\n", plain_hand_over(n / 50),
              ordered_hand_over(n / 50));
}
