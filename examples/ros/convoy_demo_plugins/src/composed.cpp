// All components of the libraries that are named on the command line, in one process: composition as ROS 2 has it.
#include <memory>
#include <string>
#include <vector>

#include <class_loader/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/node_factory.hpp>

int main(int argc, char** argv) {
  const std::vector<std::string> libraries = rclcpp::init_and_remove_ros_arguments(argc, argv);
  const auto logger = rclcpp::get_logger("composed");
  rclcpp::executors::SingleThreadedExecutor executor;
  std::vector<std::unique_ptr<class_loader::ClassLoader>> loaders;
  std::vector<rclcpp_components::NodeInstanceWrapper> nodes;
  for (std::size_t i = 1; i < libraries.size(); ++i) {
    RCLCPP_INFO(logger, "Load library %s", libraries[i].substr(libraries[i].rfind('/') + 1).c_str());
    auto& loader = loaders.emplace_back(std::make_unique<class_loader::ClassLoader>(libraries[i]));
    for (const std::string& name : loader->getAvailableClasses<rclcpp_components::NodeFactory>()) {
      RCLCPP_INFO(logger, "Instantiate class %s", name.c_str());
      auto factory = loader->createInstance<rclcpp_components::NodeFactory>(name);
      executor.add_node(
          nodes.emplace_back(factory->create_node_instance(rclcpp::NodeOptions())).get_node_base_interface());
    }
  }
  executor.spin();
  nodes.clear();
  rclcpp::shutdown();
  return 0;
}
