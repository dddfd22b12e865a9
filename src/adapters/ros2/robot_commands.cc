#include "adapters/ros2/robot_commands.h"

#include <fmt/format.h>

#include <geometry_msgs/msg/twist_stamped.hpp>
#include <sensor_msgs/msg/joint_state.hpp>

#include "adapters/ros2/joint_command.h"
#include "messages/geometry.h"

namespace convoy::ros2 {

RobotCommands::RobotCommands(DoorHere& here, Node& node, const control::RobotEntry& robot, Names& names)
    : here_(here), number_(robot.number), claim_(here, node, robot.number, robot.name) {
  open(node, robot, names);
  trajectories_ = TrajectoryController::make(here, node, claim_, robot);
}

void RobotCommands::open(Node& node, const control::RobotEntry& robot, Names& names) {
  const auto add = [&](std::string_view topic, const ros::TypeSupport& type, Node::Hears hears) {
    auto made = node.subscription(topic, type, {}, std::move(hears));
    names.insert(node.ns() + "/" + std::string(topic));
    if (made) subscriptions_.push_back(std::move(*made));
    else here_.log.line(LogLevel::kWarn, fmt::format("ROS 2, robot {}: {}", robot.name, made.error().message()));
  };
  using geometry_msgs::msg::Twist;
  using geometry_msgs::msg::TwistStamped;
  if (robot.has_drive) {
    add("cmd_vel", ros::TypeSupport::of<Twist>(), [this](const Received& sample) {
      if (const auto m = message_in<Twist>(here_.domain, sample.cdr)) drive(sample.writer, ros::twist_of(*m));
    });
    add("cmd_vel", ros::TypeSupport::of<TwistStamped>(), [this](const Received& sample) {
      if (const auto m = message_in<TwistStamped>(here_.domain, sample.cdr)) drive(sample.writer, ros::twist_of(*m));
    });
  }
  if (!robot.panel.actuators.empty())
    add("joint_command", ros::TypeSupport::of<sensor_msgs::msg::JointState>(),
        [this](const Received& sample) { move_joints(sample); });
}

void RobotCommands::command() {
  if (trajectories_) trajectories_->command();
}

void RobotCommands::reached(Instant now) {
  if (trajectories_) trajectories_->reached(now);
}

void RobotCommands::keep(Moment now) {
  claim_.keep(now);
  if (trajectories_) trajectories_->look();
}

void RobotCommands::restart() {
  if (trajectories_) trajectories_->restart();
}

void RobotCommands::drive(const Guid& sender, const Twist& v_B) {
  if (!claim_.may_command(sender)) return;
  if (!is_finite(v_B.v) || !is_finite(v_B.w)) ++here_.counts.not_finite;
  else here_.control.commands().drive(number_, v_B);
}

void RobotCommands::move_joints(const Received& sample) {
  const auto message = message_in<sensor_msgs::msg::JointState>(here_.domain, sample.cdr);
  const control::RobotEntry* robot = here_.control.roster().find(number_);
  if (!message || !robot || !claim_.may_command(sample.writer)) return;
  if (const auto controls = controls_of(*message, robot->panel, here_.counts))
    here_.control.commands().set_controls(number_, *controls);
}

}  // namespace convoy::ros2
