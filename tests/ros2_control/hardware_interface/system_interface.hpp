// Declarations that stand in for ros2_control's, in words of our own: as much as a SystemInterface of Jazzy needs, for a test
// host. Not ros2_control: what compiles here was not run against it.
#pragma once

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace hardware_interface {

struct InterfaceInfo {
  std::string name, min, max, initial_value, data_type;
  int size = 1;
};
struct ComponentInfo {
  std::string name, type;
  std::vector<InterfaceInfo> command_interfaces, state_interfaces;
  std::unordered_map<std::string, std::string> parameters;
};
struct HardwareInfo {
  std::string name, type, hardware_plugin_name;
  std::unordered_map<std::string, std::string> hardware_parameters;
  std::vector<ComponentInfo> joints, sensors, gpios;
};

enum class return_type : std::uint8_t { OK = 0, ERROR = 1, DEACTIVATE = 2 };
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

// A value of the hardware's own, by "prefix/interface".
class Handle {
 public:
  Handle(std::string prefix, std::string interface, double* value)
      : prefix_(std::move(prefix)), interface_(std::move(interface)), value_(value) {}
  std::string get_name() const { return prefix_ + "/" + interface_; }
  double get_value() const { return *value_; }
  void set_value(double value) { *value_ = value; }

 private:
  std::string prefix_, interface_;
  double* value_;
};
class StateInterface : public Handle {
 public:
  using Handle::Handle;
};
class CommandInterface : public Handle {
 public:
  using Handle::Handle;
};

class SystemInterface {
 public:
  virtual ~SystemInterface() = default;
  virtual CallbackReturn on_init(const HardwareInfo& info) {
    info_ = info;
    return CallbackReturn::SUCCESS;
  }
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_cleanup(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State&) { return CallbackReturn::SUCCESS; }
  virtual std::vector<StateInterface> export_state_interfaces() = 0;
  virtual std::vector<CommandInterface> export_command_interfaces() = 0;
  virtual return_type prepare_command_mode_switch(const std::vector<std::string>&, const std::vector<std::string>&) {
    return return_type::OK;
  }
  virtual return_type perform_command_mode_switch(const std::vector<std::string>&, const std::vector<std::string>&) {
    return return_type::OK;
  }
  virtual return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;
  virtual return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;

 protected:
  HardwareInfo info_;
};

}  // namespace hardware_interface
