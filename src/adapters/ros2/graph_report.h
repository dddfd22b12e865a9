// What stands in the way of topics and services in a domain: who offers and wants them, and why two do not meet.
#pragma once

#include <string>
#include <vector>

#include "adapters/ros2/names.h"
#include "adapters/ros2/remote_graph.h"

namespace convoy::ros2 {

struct ReportedEnd {
  std::string node;  // "/scout/robot"; empty: no node has told of it
  std::string type;  // "std_msgs/msg/String"; as DDS has it where it is none of ROS
  std::string hash;  // empty: it tells none, as Humble's do
  bool writer = false;
  Qos qos;
};
struct ReportedTopic {
  std::string name;  // of a service: the service's
  TopicKind kind{};
  std::vector<ReportedEnd> ends;      // writers first, by node
  std::vector<std::string> problems;  // one line each, for people
};

// By name, kind and node; topics that are none of ROS's are left out.
std::vector<ReportedTopic> report_of(const RemoteGraph& graph);

}  // namespace convoy::ros2
