// One robot's node: what it publishes and takes in its namespace, whether or not it has software in the run.
//
//   odom                of its wheels' encoders               joint_states   of its model's joints
//   tf                  its base in odom, links that move     tf_static      its sensors, links that do not
//   <sensor>, ...       each of its sensors, as docs/sensors.md has it
//   robot_description   std_msgs/String: URDF
//   cmd_vel             geometry_msgs/Twist and TwistStamped        joint_command  sensor_msgs/JointState
//   claim_control, release_control   std_srvs/Trigger: the lease that binds every door
//
// Nothing is computed that nobody would get.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/ros2/robot_commands.h"
#include "adapters/ros2/robot_obstacles.h"
#include "adapters/ros2/topics.h"
#include "messages/links.h"
#include "messages/sample_topics.h"
#include "shapes/shapes.h"

namespace convoy::ros2 {

inline constexpr const char* kRobotNode = "robot";

class RobotDoor {
 public:
  // The robot is the roster's and the fleet's. What cannot be made of it is logged once.
  RobotDoor(DoorHere& here, const control::RobotEntry& robot);

  WorldNumber number() const { return number_; }
  // Between ticks: who wants what of its sensors, until it is asked again. Does anybody want anything of the robot?
  bool look_who_listens();
  bool takes(const std::string& sensor) const;
  void took(const std::string& sensor, const Sample& sample, Duration clock_start);
  // The run began anew, at this instant of simulated time.
  void begin_anew(Instant now) { next_ = now; }
  // The robot is at this instant of simulated time; `stamp` is it on the clock of its messages.
  void publish(const Fleet& fleet, const Snapshot& states, Instant now, Instant stamp);
  const RobotClaim& claim() const { return commands_->claim(); }
  // Topics that are the robot's alone, in full: its nodes' topics of these names stay in the run.
  const RobotCommands::Names& names() const { return names_; }
  // Has it anything to do when a step begins?
  bool acts() const { return commands_->follows() || obstacles_; }
  // A step begins, in which what is commanded acts.
  void command();
  // Between ticks, also while the run waits.
  void keep(Moment now);
  // The run began anew.
  void restart();

 private:
  struct SensorLine {
    ros::SampleTopic topic;
    std::unique_ptr<Publisher> publisher;
    bool wanted = false;  // in this tick
  };
  void open_state(const control::RobotEntry& robot, const std::vector<SensorSpec>& sensors);
  void tell_what_is_still(const std::vector<SensorSpec>& sensors);
  void open_description(const control::RobotEntry& robot);
  void open_sensors(const std::vector<SensorSpec>& sensors);
  std::unique_ptr<Publisher> publisher(std::string_view topic, const ros::TypeSupport& type, const Qos& qos);
  void publish_odometry(const Agent& agent, Instant stamp);
  void publish_tf(Publisher* tf, const ros::RobotFrames& frames, const Agent& agent, std::span<const double> tail,
                  Instant stamp);

  DoorHere& here_;
  WorldNumber number_;
  std::string name_;
  bool drives_;
  Node node_;
  ros::RobotFrames frames_, prefixed_;
  std::unique_ptr<Publisher> odom_, joints_, tf_, tf_static_, root_tf_, root_tf_static_, description_;
  struct Look {
    std::shared_ptr<const Shapes> shapes;  // null: its model has no look
    std::vector<ros::LinkFrame> moving;    // in their parents; the others are on tf_static
  } look_;
  std::map<std::string, std::vector<SensorLine>, std::less<>> sensors_;  // by name
  RobotCommands::Names names_;
  std::unique_ptr<RobotCommands> commands_;
  std::unique_ptr<RobotObstacles> obstacles_;  // null: nobody has asked for them
  Instant next_{};
};

// "/scout": where its topics are.
std::string namespace_of(const Entity& entity);

}  // namespace convoy::ros2
