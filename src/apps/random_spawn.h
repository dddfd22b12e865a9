// What `convoy ros2 random-spawn` is told: options of its own, and parameters as ROS 2's programs take them.
//
//   -p robot_num:=3 -p "x_lim:=[-2.0, 2.0]" -p service_namespace:=NetworkPC2
#pragma once

#include <string>
#include <vector>

#include "convoy/result.h"

namespace convoy::apps {

struct Range {
  double low = 0, high = 0;
};

// Where robots appear, and how they are driven; names and defaults are those of examples/ros/random_spawn.py.
struct RandomSpawn {
  std::string ns;                            // of the services; empty: the root
  std::string name = "amr";                  // of several the beginning
  std::uint32_t count = 1, start_index = 1;  // amr1, amr2, ...
  std::vector<std::string> models{"turtlebot3_burger", "turtlebot3_waffle"};
  Range x{-2.5, 2.5}, y{-2.5, 2.5};               // m, in the world
  Range linear{-0.2, 0.2}, angular{-1.57, 1.57};  // m/s, rad/s, of the robot's frame
  double duration = 0;                            // s of real time; 0: until interrupted
  std::uint64_t seed = 0;                         // 0: another one each time
};

// Sets what "NAME:=VALUE" says. kInvalid: it is no such thing, there is no such parameter, or its value is none.
Status set_parameter(RandomSpawn& out, const std::string& text);

std::vector<std::string> names_of(const RandomSpawn& plan);

}  // namespace convoy::apps
