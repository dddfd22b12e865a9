// A program with a main() of its own that leaves its node to a thread, for tests.
#include <cstring>
#include <future>

#include <rclcpp/rclcpp.hpp>

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("odd_main");
  std::async(std::launch::async, [node] { rclcpp::spin(node); }).get();
  return 0;
}
