// The topics of a robot's sensors: each under its name, in its frame `<name>_link`, as docs/sensors.md has it.
#pragma once

#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <tf2_msgs/msg/tf_message.hpp>
#include <vector>

#include "messages/samples.h"
#include "sensing/sensor.h"
#include "world/sensor_spec.h"

namespace convoy::ros {

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
    const SensorType* type = nullptr;  // null: there is none, and no topic
    std::function<void(const Sample&, const Heading&)> publish;
    std::vector<const nodes::Topic*> topics;  // of a camera several
  };
  template <class Kind>
  void open(rclcpp::Node& node, One& one);
  void open_camera(rclcpp::Node& node, One& one, const SensorSpec& spec);

  std::vector<One> all_;
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr frames_;
};

}  // namespace convoy::ros
