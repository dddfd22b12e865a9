// A robot of a running simulation as hardware of ros2_control: a SystemInterface that a controller manager loads.
//
//   <ros2_control name="arm" type="system">
//     <hardware>
//       <plugin>convoy_ros2_control/ConvoySystem</plugin>
//       <param name="server">127.0.0.1:7447</param>
//       <param name="robot">arm</param>                      an entity of the run; default: the name of the element above
//     </hardware>
//     <joint name="joint_1">
//       <command_interface name="position"/>
//       <state_interface name="position"/> <state_interface name="velocity"/>
//     </joint>
//   </ros2_control>
//
// A joint's commands go to the actuator that drives it; where there are several, a joint's parameters `position`, `velocity`
// and `effort` name the one for each. Positions are rad or m, velocities per second, efforts N m or N. A joint has one mode at
// a time. What is switched off is told 0 once, but for positions, which hold. Credentials are found as by every client of the
// server's user.
#pragma once

#include <convoy/client.h>

#include <hardware_interface/system_interface.hpp>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace convoy_ros2_control {

class ConvoySystem : public hardware_interface::SystemInterface {
 public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using Names = std::vector<std::string>;

  CallbackReturn on_init(const hardware_interface::HardwareInfo& info) override;
  // Joins the run, and finds the robot's joints and actuators in it.
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) override;
  // The robot is this program's alone from then on, and stays where it is.
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;

  std::vector<hardware_interface::StateInterface> export_state_interfaces() override;
  std::vector<hardware_interface::CommandInterface> export_command_interfaces() override;
  // Refuses two modes of one joint at once, and interfaces that there are not.
  hardware_interface::return_type prepare_command_mode_switch(const Names& start, const Names& stop) override;
  hardware_interface::return_type perform_command_mode_switch(const Names& start, const Names& stop) override;
  // ERROR: the run is over, or the server gone.
  hardware_interface::return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  hardware_interface::return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::size_t kModes = 3;  // position, velocity, effort
  struct Joint {
    std::string name;
    std::size_t place = 0;  // among the robot's
    double position = kNone, velocity = kNone;
    std::string actuators[kModes];  // empty: no such command
    double commands[kModes] = {kNone, kNone, kNone};
    std::optional<std::size_t> mode;
  };
  struct Interface {
    Joint* joint = nullptr;
    std::size_t mode = 0;
  };
  std::optional<Interface> find(const std::string& key);  // "joint_1/position"
  bool find_parts();
  CallbackReturn failed(const std::string& why);

  std::string server_, robot_;
  std::vector<Joint> joints_;
  std::optional<convoy::Client> client_;
};

}  // namespace convoy_ros2_control
