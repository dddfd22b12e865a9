#include "convoy_system.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/rclcpp.hpp>

using namespace std::chrono_literals;

namespace convoy_ros2_control {

namespace {

using hardware_interface::return_type;

constexpr const char* kModeNames[] = {hardware_interface::HW_IF_POSITION, hardware_interface::HW_IF_VELOCITY,
                                      hardware_interface::HW_IF_EFFORT};

rclcpp::Logger logger() { return rclcpp::get_logger("convoy_ros2_control"); }

std::string parameter(const std::unordered_map<std::string, std::string>& all, const std::string& name,
                      const std::string& otherwise) {
  const auto at = all.find(name);
  return at == all.end() ? otherwise : at->second;
}

}  // namespace

ConvoySystem::CallbackReturn ConvoySystem::failed(const std::string& why) {
  RCLCPP_ERROR(logger(), "%s: %s", robot_.c_str(), why.c_str());
  return CallbackReturn::ERROR;
}

ConvoySystem::CallbackReturn ConvoySystem::on_init(const hardware_interface::HardwareInfo& info) {
  if (SystemInterface::on_init(info) != CallbackReturn::SUCCESS) return CallbackReturn::ERROR;
  server_ = parameter(info.hardware_parameters, "server", "127.0.0.1:7447");
  robot_ = parameter(info.hardware_parameters, "robot", info.name);
  joints_.clear();
  for (const auto& described : info.joints) {
    Joint joint;
    joint.name = described.name;
    for (const auto& command : described.command_interfaces) {
      const auto mode = std::find(std::begin(kModeNames), std::end(kModeNames), command.name);
      if (mode == std::end(kModeNames)) return failed(joint.name + " has no command interface " + command.name);
      joint.actuators[mode - std::begin(kModeNames)] = parameter(described.parameters, command.name, "?");
    }
    for (const auto& state : described.state_interfaces)
      if (state.name != kModeNames[0] && state.name != kModeNames[1])
        return failed(joint.name + " has no state interface " + state.name);
    joints_.push_back(joint);
  }
  return CallbackReturn::SUCCESS;
}

ConvoySystem::CallbackReturn ConvoySystem::on_configure(const rclcpp_lifecycle::State&) {
  convoy::Client::Options options;
  options.address = server_;
  auto client = convoy::Client::connect(options);
  if (!client) return failed(client.error().message());
  client_.emplace(std::move(*client));
  for (int i = 0; i < 1000 && !client_->running(); ++i)
    if (const auto ok = client_->poll(10ms); !ok) return failed(ok.error().message());
  return find_parts() ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

// Where each joint stands among the robot's, and which actuators drive it.
bool ConvoySystem::find_parts() {
  const auto about = client_->describe(robot_), drives = client_->actuators(robot_);
  if (!about) return failed(about.error().message()), false;
  if (!drives) return failed(drives.error().message()), false;
  const auto parts = nlohmann::ordered_json::parse(*about), actuators = nlohmann::ordered_json::parse(*drives);
  std::vector<std::string> names;
  for (const auto& [name, state] : parts["joints"].items()) names.push_back(name);
  for (Joint& joint : joints_) {
    const auto at = std::find(names.begin(), names.end(), joint.name);
    if (at == names.end()) return failed("it has no joint " + joint.name), false;
    joint.place = static_cast<std::size_t>(at - names.begin());
    for (std::string& actuator : joint.actuators) {
      if (actuator.empty()) continue;
      std::vector<std::string> fitting;
      for (const auto& one : actuators["actuators"])
        if (actuator == "?" ? one["joint"] == joint.name : one["name"] == actuator) fitting.push_back(one["name"]);
      if (fitting.size() != 1)
        return failed(joint.name + ": " + std::to_string(fitting.size()) +
                      " actuators drive it; its parameters name one"),
               false;
      actuator = fitting[0];
    }
  }
  return true;
}

ConvoySystem::CallbackReturn ConvoySystem::on_cleanup(const rclcpp_lifecycle::State&) {
  client_.reset();
  return CallbackReturn::SUCCESS;
}

ConvoySystem::CallbackReturn ConvoySystem::on_activate(const rclcpp_lifecycle::State&) {
  if (const auto ok = client_->lease({&robot_, 1}); !ok) return failed(ok.error().message());
  if (read(rclcpp::Time(), rclcpp::Duration(0, 0)) != return_type::OK) return CallbackReturn::ERROR;
  for (Joint& joint : joints_) joint.commands[0] = joint.position, joint.commands[1] = joint.commands[2] = 0;
  return CallbackReturn::SUCCESS;
}

ConvoySystem::CallbackReturn ConvoySystem::on_deactivate(const rclcpp_lifecycle::State&) {
  if (client_) (void)client_->release({&robot_, 1});
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::StateInterface> ConvoySystem::export_state_interfaces() {
  std::vector<hardware_interface::StateInterface> out;
  for (std::size_t i = 0; i < joints_.size(); ++i)
    for (const auto& state : info_.joints[i].state_interfaces)
      out.emplace_back(joints_[i].name, state.name,
                       state.name == kModeNames[0] ? &joints_[i].position : &joints_[i].velocity);
  return out;
}

std::vector<hardware_interface::CommandInterface> ConvoySystem::export_command_interfaces() {
  std::vector<hardware_interface::CommandInterface> out;
  for (Joint& joint : joints_)
    for (std::size_t mode = 0; mode < kModes; ++mode)
      if (!joint.actuators[mode].empty()) out.emplace_back(joint.name, kModeNames[mode], &joint.commands[mode]);
  return out;
}

std::optional<ConvoySystem::Interface> ConvoySystem::find(const std::string& key) {
  for (Joint& joint : joints_)
    for (std::size_t mode = 0; mode < kModes; ++mode)
      if (!joint.actuators[mode].empty() && key == joint.name + "/" + kModeNames[mode]) return Interface{&joint, mode};
  return {};
}

return_type ConvoySystem::prepare_command_mode_switch(const Names& start, const Names& stop) {
  // How it would be afterwards.
  std::vector<std::optional<std::size_t>> modes;
  for (const Joint& joint : joints_) modes.push_back(joint.mode);
  for (const std::string& key : stop)
    if (const auto at = find(key)) {
      auto& mode = modes[static_cast<std::size_t>(at->joint - joints_.data())];
      if (mode == at->mode) mode.reset();
    }
  for (const std::string& key : start) {
    const auto at = find(key);
    if (!at) continue;  // another hardware's
    auto& mode = modes[static_cast<std::size_t>(at->joint - joints_.data())];
    if (mode && *mode != at->mode) {
      RCLCPP_ERROR(logger(), "%s: %s already takes %s", robot_.c_str(), at->joint->name.c_str(), kModeNames[*mode]);
      return return_type::ERROR;
    }
    mode = at->mode;
  }
  return return_type::OK;
}

return_type ConvoySystem::perform_command_mode_switch(const Names& start, const Names& stop) {
  std::vector<convoy::ClientCalls::Control> rest;
  for (const std::string& key : stop)
    if (const auto at = find(key); at && at->joint->mode == at->mode) {
      at->joint->mode.reset();
      if (at->mode != 0) rest.push_back({at->joint->actuators[at->mode], 0});
    }
  for (const std::string& key : start)
    if (const auto at = find(key)) {
      at->joint->mode = at->mode;
      at->joint->commands[at->mode] = at->mode == 0 ? at->joint->position : 0;  // until a controller says more
    }
  if (rest.empty()) return return_type::OK;
  const auto ok = client_->control(robot_, rest);
  return ok ? return_type::OK : (failed(ok.error().message()), return_type::ERROR);
}

return_type ConvoySystem::read(const rclcpp::Time&, const rclcpp::Duration&) {
  if (const auto ok = client_->poll(0ms); !ok) return failed(ok.error().message()), return_type::ERROR;
  const convoy::EntityState* state = client_->find(robot_);
  if (!state) return failed("it is not there any more"), return_type::ERROR;
  for (Joint& joint : joints_) {
    if (joint.place < state->joints.size()) joint.position = state->joints[joint.place];
    if (joint.place < state->joint_velocities.size()) joint.velocity = state->joint_velocities[joint.place];
  }
  return return_type::OK;
}

// One call for all joints; it acts in the next tick.
return_type ConvoySystem::write(const rclcpp::Time&, const rclcpp::Duration&) {
  std::vector<convoy::ClientCalls::Control> controls;
  for (const Joint& joint : joints_)
    if (joint.mode && std::isfinite(joint.commands[*joint.mode]))
      controls.push_back({joint.actuators[*joint.mode], joint.commands[*joint.mode]});
  if (controls.empty()) return return_type::OK;
  const auto ok = client_->control(robot_, controls);
  return ok ? return_type::OK : (failed(ok.error().message()), return_type::ERROR);
}

}  // namespace convoy_ros2_control

PLUGINLIB_EXPORT_CLASS(convoy_ros2_control::ConvoySystem, hardware_interface::SystemInterface)
