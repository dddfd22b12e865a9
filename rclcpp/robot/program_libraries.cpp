#include "convoy_ros/robot.hpp"
#include "joining.hpp"
#include "library.hpp"

namespace convoy::ros {

std::vector<std::string> program_libraries() {
  std::vector<std::string> libraries{"libconvoy_rclcpp.so", "libconvoy_robot.so", kJoinLibrary};
  for (std::string& library : libraries) library = own_folder() + "/" + library;
  return libraries;
}

}  // namespace convoy::ros
