// A component alone in a program: what rclcpp_components_register_node() makes an executable of.
#pragma once

namespace rclcpp_components {

// Until shutdown(), or until nothing is left to happen. The library that holds the class is linked or loaded already.
// Returns main()'s exit code: 1, and a line on stderr, when there is no such class or anything throws.
int run_component(const char* class_name, int argc, char** argv);

}  // namespace rclcpp_components
