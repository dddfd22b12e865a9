// rclcpp::Logger: a name and a level in the simulation of its node.
#pragma once

#include <string>

#include "rclcpp/context.hpp"

namespace rclcpp {

class Logger {
 public:
  enum class Level { Unset = 0, Debug = 10, Info = 20, Warn = 30, Error = 40, Fatal = 50 };
  Logger(std::string name, convoy::ros::Simulation* simulation) : name_(std::move(name)), simulation_(simulation) {}

  const char* get_name() const { return name_.c_str(); }
  Logger get_child(const std::string& suffix) const { return {name_ + "." + suffix, simulation_}; }
  void set_level(Level level);
  Level get_effective_level() const;
  convoy::ros::Simulation* simulation() const { return simulation_; }

 private:
  std::string name_;
  convoy::ros::Simulation* simulation_;  // null: the current one
};

Logger get_logger(const std::string& name);

}  // namespace rclcpp
