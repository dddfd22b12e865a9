// The section `ros2`: how robots and clients are seen from ROS 2.
#include <algorithm>
#include <array>
#include <iterator>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr std::array<Choice<RosDistro>, 5> kDistros{{{"humble", RosDistro::kHumble},
                                                     {"iron", RosDistro::kIron},
                                                     {"jazzy", RosDistro::kJazzy},
                                                     {"kilted", RosDistro::kKilted},
                                                     {"rolling", RosDistro::kRolling}}};

constexpr std::array<Choice<RosTfMode>, 3> kTfModes{
    {{"namespaced", RosTfMode::kNamespaced}, {"prefixed", RosTfMode::kPrefixed}, {"both", RosTfMode::kBoth}}};

}  // namespace

void read_ros2(Section& s, RunOptions& run) {
  Ros2Options ros2;
  std::uint16_t domain = 0;
  const bool named = s.has("domain");
  s.integer("domain", domain, 0, kMaxRosDomain);
  if (named) ros2.domain = domain;
  s.choice<RosDistro>("distro", ros2.distro, kDistros);
  s.text("namespace", ros2.ns);
  s.choice<RosTfMode>("tf_mode", ros2.tf_mode, kTfModes);
  s.number("state_rate", ros2.state_rate, {0.1, 1000});
  s.text("trajectory_controller", ros2.trajectory_controller);
  s.integer("simulation_interfaces", ros2.simulation_interfaces, 1, 2);
  s.flag("nodes", ros2.nodes);
  s.texts("obstacles", ros2.obstacles, TextRule::kName);
  for (const std::string& one : ros2.obstacles)
    if (std::find(std::begin(kRosObstacles), std::end(kRosObstacles), one) == std::end(kRosObstacles))
      s.unknown("obstacles", "form of obstacles", one, {std::begin(kRosObstacles), std::end(kRosObstacles)});
  if (s.sound()) run.ros2 = ros2;
}

}  // namespace convoy::scenario
