#include "adapters/ros2/robot_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <std_msgs/msg/string.hpp>

#include "adapters/ros2/names.h"
#include "agent/agent_inside.h"
#include "messages/geometry.h"
#include "messages/motion.h"
#include "messages/robot_description.h"
#include "sensing/sensor.h"

namespace convoy::ros2 {

namespace {

bool has(const std::vector<SensorSpec>& sensors, std::string_view name) {
  return std::any_of(sensors.begin(), sensors.end(), [&](const SensorSpec& s) { return s.name == name; });
}

}  // namespace

std::string namespace_of(const Entity& entity) {
  if (!entity.kind->ns.empty())
    if (auto ns = valid_namespace(entity.kind->ns)) return *ns;
  return "/" + as_name_part(entity.name);
}

RobotDoor::RobotDoor(DoorHere& here, const control::RobotEntry& robot)
    : here_(here),
      number_(robot.number),
      name_(robot.name),
      drives_(robot.has_drive),
      node_(here.domain, namespace_of(here.fleet->world().entity(here.fleet->world().slot_of(robot.number))),
            kRobotNode, here.party),
      commands_(std::make_unique<RobotCommands>(here, node_, robot, names_)) {
  const World& world = here.fleet->world();
  const EntityKind& kind = *world.entity(world.slot_of(robot.number)).kind;
  if (!kind.frame.empty()) frames_.base = prefixed_.base = kind.frame;
  prefixed_.prefix = node_.ns().substr(1) + "/";
  if (auto shapes = here.shapes.of(world.models()[world.entity(world.slot_of(robot.number)).model], world.files()))
    look_.shapes = std::move(*shapes);
  open_state(robot, kind.sensors);
  open_description(robot);
  open_sensors(kind.sensors);
  obstacles_ = RobotObstacles::make(here_, node_, number_, drives_ ? "" : frames_.base);
}

void RobotDoor::keep(Moment now) {
  commands_->keep(now);
  if (obstacles_) obstacles_->look(instant_of(here_));
}

void RobotDoor::command() {
  commands_->command();
  if (obstacles_) obstacles_->tell(instant_of(here_));
}

void RobotDoor::restart() {
  commands_->restart();
  if (obstacles_) obstacles_->restart();
}

std::unique_ptr<Publisher> RobotDoor::publisher(std::string_view topic, const ros::TypeSupport& type, const Qos& qos) {
  auto made = node_.publisher(topic, type, qos);
  if (made && !topic.ends_with("tf") && !topic.ends_with("tf_static"))
    names_.insert((*made)->topic());  // nodes say more of tf
  if (made) return std::move(*made);
  here_.log.line(LogLevel::kWarn, fmt::format("ROS 2, robot {}: {}", name_, made.error().message()));
  return nullptr;
}

// Where a sensor has that name, the topic is the sensor's.
void RobotDoor::open_state(const control::RobotEntry& robot, const std::vector<SensorSpec>& sensors) {
  const bool namespaced = here_.settings.tf_mode != TfMode::kPrefixed,
             prefixed = here_.settings.tf_mode != TfMode::kNamespaced;
  const auto tf = ros::TypeSupport::of<tf2_msgs::msg::TFMessage>();
  if (robot.has_drive && !has(sensors, "odom"))
    odom_ = publisher("odom", ros::TypeSupport::of<nav_msgs::msg::Odometry>(), {});
  const Agent* agent = here_.fleet->agent(number_);
  if (agent && !agent->model().joints.empty() && !has(sensors, "joint_states"))
    joints_ = publisher("joint_states", ros::TypeSupport::of<sensor_msgs::msg::JointState>(), {});
  if (namespaced) tf_ = publisher("tf", tf, {}), tf_static_ = publisher("tf_static", tf, kLatched);
  if (prefixed) root_tf_ = publisher("/tf", tf, {}), root_tf_static_ = publisher("/tf_static", tf, kLatched);
  tell_what_is_still(sensors);
}

// In one message: of those that are latched the last one alone is kept.
void RobotDoor::tell_what_is_still(const std::vector<SensorSpec>& sensors) {
  std::vector<ros::LinkFrame> still;
  if (look_.shapes) {
    const auto links = ros::link_frames(*look_.shapes, frames_.base);
    still = ros::links_that(false, links), look_.moving = ros::links_that(true, links);
  }
  const Instant start = Instant{} + clock_start(*here_.fleet);
  const auto tell = [&](Publisher* to, const ros::RobotFrames& frames) {
    if (!to) return;
    auto message = ros::sensor_frames(sensors, here_.sensors, frames, start);
    if (!still.empty())
      for (auto& one : ros::link_transforms(*look_.shapes, still, {}, frames, start).transforms)
        message.transforms.push_back(std::move(one));
    if (!message.transforms.empty()) ros2::publish(*to, message);
  };
  tell(tf_static_.get(), frames_), tell(root_tf_static_.get(), prefixed_);
}

// Latched: robot_state_publisher and its like come when they come.
void RobotDoor::open_description(const control::RobotEntry& robot) {
  const Agent* agent = here_.fleet->agent(number_);
  if (!look_.shapes || !agent) return;
  description_ = publisher("robot_description", ros::TypeSupport::of<std_msgs::msg::String>(), kLatched);
  if (!description_) return;
  ros::DescriptionOptions options{.name = as_name_part(name_), .base = frames_.base};
  for (const Panel::Joint& joint : robot.panel.all_joints)
    if (joint.limited) options.limits.push_back({joint.name, joint.low, joint.high});
  std_msgs::msg::String message;
  message.data = ros::robot_description(*look_.shapes, agent->model(), options);
  ros2::publish(*description_, message);
}

void RobotDoor::open_sensors(const std::vector<SensorSpec>& sensors) {
  const ros::RobotFrames& frames = here_.settings.tf_mode == TfMode::kPrefixed ? prefixed_ : frames_;
  for (const SensorSpec& spec : sensors) {
    const auto type = here_.sensors.type_of(spec);
    if (!type) continue;  // its robot would not be there
    for (ros::SampleTopic& topic : ros::topics_of(spec, **type, frames))
      if (auto made = publisher(topic.name, topic.type, {}))
        sensors_[spec.name].push_back({std::move(topic), std::move(made)});
  }
}

// ------------------------------------------------------------------------------------------------- what leaves

bool RobotDoor::look_who_listens() {
  bool any = commands_->follows();
  for (const auto* one : {&odom_, &joints_, &tf_, &root_tf_}) any = any || (*one && (*one)->wanted());
  for (auto& [name, lines] : sensors_)
    for (SensorLine& line : lines) any = (line.wanted = line.publisher->wanted()) || any;
  return any;
}

bool RobotDoor::takes(const std::string& sensor) const {
  const auto at = sensors_.find(sensor);
  return at != sensors_.end() &&
         std::any_of(at->second.begin(), at->second.end(), [](const SensorLine& line) { return line.wanted; });
}

void RobotDoor::took(const std::string& sensor, const Sample& sample, Duration clock_start) {
  const auto at = sensors_.find(sensor);
  if (at == sensors_.end()) return;
  Bytes cdr;
  for (SensorLine& line : at->second)
    if (line.publisher->wanted() && line.topic.encode(sample, sample.at + clock_start, cdr))
      line.publisher->publish(cdr);
}

void RobotDoor::publish(const Fleet& fleet, const Snapshot& states, Instant now, Instant stamp) {
  if (fleet.agent(number_)) commands_->reached(now);
  if (now < next_) return;
  const Duration period(static_cast<std::int64_t>(1e9 / here_.settings.state_rate));
  next_ += ((now - next_) / period + 1) * period;
  const Agent* agent = fleet.agent(number_);
  if (!agent) return;
  const std::span<const double> tail = states.tail(fleet.world().slot_of(number_));
  publish_odometry(*agent, stamp);
  publish_tf(tf_.get(), frames_, *agent, tail, stamp);
  publish_tf(root_tf_.get(), prefixed_, *agent, tail, stamp);
  if (!joints_ || !joints_->wanted()) return;
  const auto message = ros::joint_state_of(agent->model(), tail, stamp);
  if (!message.name.empty()) ros2::publish(*joints_, message);
}

void RobotDoor::publish_odometry(const Agent& agent, Instant stamp) {
  if (odom_ && odom_->wanted())
    ros2::publish(*odom_, ros::odometry_of(odometry_of(agent), tf_ ? frames_ : prefixed_, stamp));
}

void RobotDoor::publish_tf(Publisher* tf, const ros::RobotFrames& frames, const Agent& agent,
                           std::span<const double> tail, Instant stamp) {
  if (!tf || !tf->wanted()) return;
  tf2_msgs::msg::TFMessage message;
  if (!look_.moving.empty()) message = ros::link_transforms(*look_.shapes, look_.moving, tail, frames, stamp);
  if (drives_) message.transforms.push_back(ros::odom_transform(odometry_of(agent), frames, stamp));
  if (!message.transforms.empty()) ros2::publish(*tf, message);
}

}  // namespace convoy::ros2
