// What a controller manager does with a SystemInterface, by lines of stdin; what came of it is printed.
//
//   host SERVER ROBOT JOINT[:INTERFACE,...]...      commands that each joint has; all have position and velocity as states
//   configure | activate | deactivate | cleanup | switch +j/position -j/velocity | set j/position 0.5 | cycle N | states
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "../../examples/ros2_control/convoy_system.hpp"

namespace {

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

hardware_interface::HardwareInfo info_of(int count, char** words) {
  hardware_interface::HardwareInfo info;
  info.name = words[2], info.type = "system";
  info.hardware_parameters = {{"server", words[1]}};
  for (int i = 3; i < count; ++i) {
    hardware_interface::ComponentInfo joint;
    std::istringstream word(words[i]);
    std::getline(word, joint.name, ':');
    for (std::string command; std::getline(word, command, ',');) {
      const std::size_t equals = command.find('=');  // position=ACTUATOR
      const std::string name = command.substr(0, equals);
      joint.command_interfaces.push_back({name, "", "", "", "double"});
      if (equals != command.npos) joint.parameters[name] = command.substr(equals + 1);
    }
    joint.state_interfaces = {{"position", "", "", "", "double"}, {"velocity", "", "", "", "double"}};
    info.joints.push_back(joint);
  }
  return info;
}

const char* word_of(CallbackReturn done) { return done == CallbackReturn::SUCCESS ? "success" : "error"; }
const char* word_of(return_type done) { return done == return_type::OK ? "ok" : "error"; }

}  // namespace

int main(int count, char** words) {
  convoy_ros2_control::ConvoySystem system;
  const rclcpp_lifecycle::State state;
  std::printf("init %s\n", word_of(system.on_init(info_of(count, words))));
  auto states = system.export_state_interfaces();
  auto commands = system.export_command_interfaces();
  for (std::string line; std::fflush(stdout), std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what, key;
    in >> what;
    if (what == "configure") std::printf("configure %s\n", word_of(system.on_configure(state)));
    if (what == "activate") std::printf("activate %s\n", word_of(system.on_activate(state)));
    if (what == "deactivate") std::printf("deactivate %s\n", word_of(system.on_deactivate(state)));
    if (what == "cleanup") std::printf("cleanup %s\n", word_of(system.on_cleanup(state)));
    if (what == "switch") {
      std::vector<std::string> start, stop;
      while (in >> key) (key[0] == '+' ? start : stop).push_back(key.substr(1));
      auto done = system.prepare_command_mode_switch(start, stop);
      if (done == return_type::OK) done = system.perform_command_mode_switch(start, stop);
      std::printf("switch %s\n", word_of(done));
    }
    if (what == "set") {
      double value = 0;
      in >> key >> value;
      for (auto& command : commands)
        if (command.get_name() == key) command.set_value(value), std::printf("set %s\n", key.c_str());
    }
    if (what == "cycle") {
      int cycles = 0;
      in >> cycles;
      auto done = return_type::OK;
      const rclcpp::Duration period(0, 20'000'000);
      for (int i = 0; i < cycles && done == return_type::OK; ++i) {
        done = system.read(rclcpp::Time(), period);
        if (done == return_type::OK) done = system.write(rclcpp::Time(), period);
        std::this_thread::sleep_for(period.to_chrono<std::chrono::nanoseconds>());
      }
      std::printf("cycle %s\n", word_of(done));
    }
    if (what == "states")
      for (const auto& one : states) std::printf("%s %.6f\n", one.get_name().c_str(), one.get_value());
    std::printf("done\n");
  }
}
