#include <array>

#include "convoy_ros/robot.hpp"
#include "joining.hpp"
#include "library.hpp"
#include "os/identity.h"

namespace convoy::ros {

std::string program_build() {
  std::array<std::string, 3> libraries{"libconvoy_rclcpp.so", "libconvoy_robot.so", kJoinLibrary};
  for (std::string& library : libraries) library = own_folder() + "/" + library;
  return os::build_text_of(libraries);
}

}  // namespace convoy::ros
