// Quality of service as bags and override files write it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "rclcpp/node.hpp"

namespace convoy::ros {

// The value of a bag's channel in `offered_qos_profiles`: the profile of its one publisher or of several that agree; of
// several that do not, or none, the default (reliable, volatile, the last 10). A history that was not known is the
// default's.
Result<rclcpp::QoS> recorded_qos(const std::string& yaml);

// Policies that are to be other than recorded, by topic and name.
class QosOverrides {
 public:
  // The file of `ros2 bag play --qos-profile-overrides-path`: topic -> policy -> value.
  Status add_file(const std::string& path);
  // Parameters "qos_overrides.TOPIC.publisher.POLICY".
  Status add_parameters(const std::map<std::string, rclcpp::ParameterValue>& overrides);
  // kNotFound: a topic that is none of these.
  Status check(const std::vector<std::string>& topics) const;
  rclcpp::QoS applied(const std::string& topic, rclcpp::QoS recorded) const;

 private:
  using Change = std::function<void(rmw_qos_profile_t&)>;
  std::map<std::string, std::vector<Change>> changes_;
};

}  // namespace convoy::ros
