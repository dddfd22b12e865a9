// A program with a main() of its own that leaves its node to a thread and waits for what that hears, for tests.
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int64.hpp>

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("odd_main");
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t count = 0;
  const auto out = node->create_publisher<std_msgs::msg::UInt64>("count", 10);
  const auto timer = node->create_wall_timer(std::chrono::milliseconds(100), [&] {
    const std::lock_guard lock(mutex);
    std_msgs::msg::UInt64 message;
    message.data = ++count;
    out->publish(message);
    changed.notify_one();
  });
  auto spinning = std::async(std::launch::async, [node] { rclcpp::spin(node); });
  {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, std::chrono::seconds(10), [&] { return count >= 5; })) return 3;
  }
  const rclcpp::Time before = node->now();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  RCLCPP_INFO(node->get_logger(), "five, then %d ms",
              static_cast<int>((node->now() - before).nanoseconds() / 1'000'000));
  rclcpp::shutdown();
  spinning.get();
  return 0;
}
