// The topics of a robot's sensors: each under its name, in its frame `<name>_link`, as docs/sensors.md has it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

#include "sensing/sensor.h"
#include "world/sensor_spec.h"

namespace convoy::ros {

// Into a message whose header has the robot's frame, and its stamp.
void fill(const OdometryReading& reading, nav_msgs::msg::Odometry& out);

class SensorTopics {
 public:
  // `base`: the frame of the robot; `types`: those that there are, null: Convoy's own. Frames are published once, for
  // whoever comes later too.
  SensorTopics(rclcpp::Node& node, const std::vector<SensorSpec>& sensors, const std::string& base,
               const SensorBook* types = nullptr);

  bool takes(std::string_view sensor) const;
  void publish(const Sample& sample, Instant start);

 private:
  struct One {
    std::string name, frame;
    Bytes parameters;                  // as its spec has them
    const SensorType* type = nullptr;  // null: there is none, and no topic
    std::function<void(const Sample&, const rclcpp::Time&)> publish;
    std::vector<const nodes::Topic*> topics;  // of a camera several
  };
  template <class Message, class Data>
  void open(rclcpp::Node& node, One& one);
  void open_camera(rclcpp::Node& node, One& one);
  void send_frames(rclcpp::Node& node, const std::vector<SensorSpec>& sensors, const std::string& base);

  std::vector<One> all_;
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr frames_;
};

}  // namespace convoy::ros
