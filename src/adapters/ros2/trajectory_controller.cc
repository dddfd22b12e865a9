#include "adapters/ros2/trajectory_controller.h"

#include <fmt/format.h>

#include <cmath>

#include "messages/geometry.h"

namespace convoy::ros2 {

namespace {

using Codes = FollowJointTrajectory::Result;

constexpr Duration kFeedback = std::chrono::milliseconds(50);  // of simulated time, from one to the next

trajectory_msgs::msg::JointTrajectoryPoint point_of(std::vector<double> positions, std::vector<double> velocities,
                                                    Duration at) {
  trajectory_msgs::msg::JointTrajectoryPoint out;
  out.positions = std::move(positions), out.velocities = std::move(velocities);
  out.time_from_start.sec = static_cast<std::int32_t>(nanos(at) / 1'000'000'000);
  out.time_from_start.nanosec = static_cast<std::uint32_t>(nanos(at) % 1'000'000'000);
  return out;
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

}  // namespace

std::unique_ptr<TrajectoryController> TrajectoryController::make(DoorHere& here, Node& node, const RobotClaim& claim,
                                                                 const control::RobotEntry& robot) {
  if (here.settings.trajectory_controller.empty()) return nullptr;
  std::unique_ptr<TrajectoryController> out(new TrajectoryController(here, claim, robot));
  if (out->joints_.empty()) return nullptr;
  TrajectoryController* const self = out.get();
  Server::Callbacks callbacks;
  callbacks.accept = [self](const auto&, const Guid& client) { return self->accept(client); };
  callbacks.begin = [self](const GoalId& id, const auto& goal, const Guid& client) { self->begin(id, goal, client); };
  callbacks.cancel = [self](const GoalId&, const Guid& client) { return self->claim_.lets(client); };
  callbacks.clock = [self] {
    const Fleet* fleet = self->here_.fleet;
    return fleet ? ros::stamp_of(instant_of(self->here_) + clock_start(*fleet)) : builtin_interfaces::msg::Time();
  };
  auto made =
      Server::make(node, here.settings.trajectory_controller + "/follow_joint_trajectory", std::move(callbacks));
  if (!made) {
    here.log.line(LogLevel::kWarn, fmt::format("ROS 2, robot {}: {}", robot.name, made.error().message()));
    return nullptr;
  }
  out->server_ = std::move(*made);
  return out;
}

TrajectoryController::TrajectoryController(DoorHere& here, const RobotClaim& claim, const control::RobotEntry& robot)
    : here_(here), claim_(claim), number_(robot.number), joints_(servo_joints(robot.panel)) {}

// ------------------------------------------------------------------------------------------------------- goals

bool TrajectoryController::accept(const Guid& client) const {
  return here_.fleet && here_.control.roster().find(number_) && claim_.may_command(client);
}

void TrajectoryController::begin(const GoalId& id, const FollowJointTrajectory::Goal& goal, const Guid& client) {
  const auto refuse = [&](const GoalFailure& why) {
    Codes result;
    result.error_code = why.code, result.error_string = why.text;
    server_->end(id, GoalStatus::STATUS_ABORTED, result);
  };
  auto plan = plan_of(goal, joints_);
  if (!plan) return refuse(plan.error());
  if (plan->begins) *plan->begins -= clock_start(*here_.fleet);
  if (plan->begins && *plan->begins + plan->points.back().at < instant_of(here_))
    return refuse({Codes::OLD_HEADER_TIMESTAMP, "by its stamp it is over already"});
  if (following_) end(GoalStatus::STATUS_ABORTED, {Codes::INVALID_GOAL, "a newer goal has taken its place"});
  following_ = Following{id, client, std::move(*plan), {}, std::nullopt, std::nullopt};
}

void TrajectoryController::end(std::int8_t status, GoalFailure why) {
  const GoalId id = following_->id;
  following_.reset();
  Codes result;
  result.error_code = why.code, result.error_string = std::move(why.text);
  server_->end(id, status, result);
}

void TrajectoryController::look() {
  if (!following_ || !here_.fleet) return;
  if (!claim_.lets(following_->client))
    return end(GoalStatus::STATUS_ABORTED, {Codes::INVALID_GOAL, "another has claimed the robot"});
  if (!server_->canceling(following_->id)) return;
  hold();
  end(GoalStatus::STATUS_CANCELED, {Codes::SUCCESSFUL, "canceled"});
}

void TrajectoryController::restart() {
  if (following_) end(GoalStatus::STATUS_ABORTED, {Codes::INVALID_GOAL, "the run began anew"});
}

// ------------------------------------------------------------------------------------------------------ motion

TrajectoryController::Readings TrajectoryController::read() const {
  const EngineView view = here_.control.bodies().view(*here_.fleet, *here_.control.roster().find(number_));
  Readings out;
  for (const ServoJoint& joint : following_->plan.joints)
    out.positions.push_back(view.qpos[joint.qpos]), out.velocities.push_back(view.qvel[joint.qvel]);
  return out;
}

void TrajectoryController::set_out(Instant now) {
  const JointPlan& plan = following_->plan;
  following_->begins = plan.begins.value_or(now);
  Readings from = read();
  following_->path.emplace(
      TrajectoryPoint{now - following_->begins, std::move(from.positions), std::move(from.velocities)}, plan.points);
}

void TrajectoryController::command() {
  look();
  if (!following_) return;
  const Instant now = instant_of(here_);
  if (following_->plan.begins && *following_->plan.begins > now) return;
  if (!following_->path) set_out(now);
  following_->path->sample(end_of_step(here_) - following_->begins, desired_.positions, desired_.velocities);
  std::vector<Control> controls;
  for (std::size_t i = 0; i < desired_.positions.size(); ++i)
    controls.push_back({following_->plan.joints[i].actuator, desired_.positions[i]});
  here_.control.commands().set_controls(number_, controls);
}

void TrajectoryController::hold() {
  if (!following_->path) return;
  const Readings at = read();
  std::vector<Control> controls;
  for (std::size_t i = 0; i < at.positions.size(); ++i)
    controls.push_back({following_->plan.joints[i].actuator, at.positions[i]});
  here_.control.commands().set_controls(number_, controls);
}

void TrajectoryController::reached(Instant now) {
  if (!following_ || !following_->path) return;
  const JointPlan& plan = following_->plan;
  const Duration at = now - following_->begins, end_at = following_->path->end();
  following_->path->sample(at, desired_.positions, desired_.velocities);
  actual_ = read();
  tell(now);
  const bool over = at >= end_at;
  const std::string off = beyond(over ? plan.at_goal : plan.on_path);
  if (over && off.empty()) return end(GoalStatus::STATUS_SUCCEEDED, {Codes::SUCCESSFUL, ""});
  const bool late = over && plan.goal_time > Duration(0) && at >= end_at + plan.goal_time;
  if (off.empty() || (over && !late)) return;
  hold();
  end(GoalStatus::STATUS_ABORTED, {over ? Codes::GOAL_TOLERANCE_VIOLATED : Codes::PATH_TOLERANCE_VIOLATED, off});
}

// The first joint that is farther off than that; empty: none is.
std::string TrajectoryController::beyond(const std::vector<JointSlack>& slack) const {
  for (std::size_t i = 0; i < slack.size(); ++i) {
    const auto off = [&](const char* what, double wanted, double is, const std::optional<double>& most) {
      return !most || std::fabs(wanted - is) <= *most
                 ? std::string()
                 : fmt::format("the {} of {} is {:g} and should be {:g}, within {:g}", what,
                               following_->plan.joints[i].name, is, wanted, *most);
    };
    for (std::string text : {off("position", desired_.positions[i], actual_.positions[i], slack[i].position),
                             off("velocity", desired_.velocities[i], actual_.velocities[i], slack[i].velocity)})
      if (!text.empty()) return text;
  }
  return "";
}

void TrajectoryController::tell(Instant now) {
  if (following_->told && now - *following_->told < kFeedback) return;
  following_->told = now;
  FollowJointTrajectory::Feedback out;
  out.header.stamp = ros::stamp_of(now + clock_start(*here_.fleet));
  for (const ServoJoint& joint : following_->plan.joints) out.joint_names.push_back(joint.name);
  const Duration at = now - following_->begins;
  out.desired = point_of(desired_.positions, desired_.velocities, at);
  out.actual = point_of(actual_.positions, actual_.velocities, at);
  out.error =
      point_of(minus(desired_.positions, actual_.positions), minus(desired_.velocities, actual_.velocities), at);
  server_->tell(following_->id, out);
}

}  // namespace convoy::ros2
