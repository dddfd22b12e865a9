#include "rclcpp_components/run_component.hpp"

#include <cstdio>

#include "rclcpp/executors.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp_components/register_node_macro.hpp"

namespace rclcpp_components {
namespace {

int complain(const char* class_name, const char* what) {
  std::fprintf(stderr, "%s: %s\n", class_name, what);
  return 1;
}

}  // namespace

int run_component(const char* class_name, int argc, char** argv) {
  NodeFactory* factory = find_component(class_name);
  if (!factory) return complain(class_name, "no library here has this component");
  try {
    rclcpp::init(argc, argv);
    NodeInstanceWrapper node = factory->create_node_instance(rclcpp::NodeOptions());
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(node.get_node_base_interface());
    executor.spin();
    rclcpp::shutdown();
    return 0;
  } catch (const std::exception& e) { return complain(class_name, e.what()); }
}

}  // namespace rclcpp_components
